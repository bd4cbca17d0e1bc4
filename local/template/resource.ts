// biome-ignore lint/suspicious/noExplicitAny: templates are JSON of any shape
export type Value = any;

/** A stack's template as the cloud assembly holds it. */
export interface Template {
  stack: string;
  body: {
    Resources?: Record<string, { Type: string; Properties?: Record<string, Value> }>;
    Outputs?: Record<string, { Value: Value; Export?: { Name: Value } }>;
    Parameters?: Record<string, { Default?: string }>;
  };
  /** Asset hash → folder with the unpacked asset. */
  assets: Record<string, string>;
}

/** One resource with every intrinsic function in its properties resolved. */
export interface Resource {
  /** The logical id, with the stack's name in front where two stacks use the same one. */
  id: string;
  stack: string;
  type: string;
  name: string;
  arn: string;
  properties: Record<string, Value>;
}

/** What the pseudo parameters and generated addresses resolve to. */
export interface Surroundings {
  region: string;
  accountId: string;
  /** Address of the AWS endpoint, for queue URLs. */
  awsEndpoint: string;
  /** Address that an HTTP API answers on. */
  apiEndpoint: string;
}

/** Every resource of the templates, resolved, and the resources of a type. */
export interface Resources {
  all: Resource[];
  /** The folder of the asset with the hash. */
  asset(hash: string): string;
  ofType(...types: string[]): Resource[];
}
