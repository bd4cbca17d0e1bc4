// biome-ignore lint/suspicious/noExplicitAny: templates are JSON of any shape
export type Value = any;

/** The template of a stack, with its assets. */
export interface Template {
  stack: string;
  body: {
    Resources?: Record<string, { Type: string; Properties?: Record<string, Value> }>;
    Outputs?: Record<string, { Value: Value; Export?: { Name: Value } }>;
  };
  /** The folder of each asset by its hash. */
  assets: Record<string, string>;
}

/** A resource with all intrinsic functions in its properties resolved. */
export interface Resource {
  /** The logical id, with the stack's name as a prefix where two stacks use the same one. */
  id: string;
  stack: string;
  type: string;
  name: string;
  arn: string;
  properties: Record<string, Value>;
}

/** The account, region and addresses that a template resolves to. */
export interface Environment {
  region: string;
  accountId: string;
  /** Base of queue URLs. */
  awsEndpoint: string;
  /** Address of the HTTP API. */
  apiEndpoint: string;
}

/** The resolved resources of all templates. */
export interface Resources {
  all: Resource[];
  /** The folder of an asset; throws a Problem when there is none. */
  asset(hash: string): string;
  ofType(type: string): Resource[];
}
