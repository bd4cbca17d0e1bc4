import { type App, RemovalPolicy } from 'aws-cdk-lib';

/** One installation of Mailwright in an AWS account. */
export interface StageSettings {
  name: string;
  /** The address that clients use, without `/v1` and without a trailing slash; absent: API Gateway's own. */
  baseUrl?: string;
  /** The Bedrock model or inference profile that writes for teams; absent: the embedded engine does. */
  bedrockModelId?: string;
  /** What happens to the data when its stack goes: only `dev` deletes it. */
  dataRemoval: RemovalPolicy;
}

/** Reads the context `stage` (default `dev`), `baseUrl` and `bedrockModelId`; a name that AWS resource names cannot carry is an error. */
export function stageFromContext(app: App): StageSettings {
  const name = String(app.node.tryGetContext('stage') ?? 'dev');
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name)) {
    throw new Error(`"${name}" cannot be a stage: use 1 to 20 lower-case letters, digits and hyphens, a letter first.`);
  }
  return {
    name,
    baseUrl: app.node.tryGetContext('baseUrl')?.replace(/\/+$/, ''),
    bedrockModelId: app.node.tryGetContext('bedrockModelId') || undefined,
    dataRemoval: name === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  };
}

/** The physical name of a resource: `mailwright-<stage>-<name>`. */
export function resourceName(stage: StageSettings, name: string): string {
  return `mailwright-${stage.name}-${name}`;
}
