import type { App } from 'aws-cdk-lib';
import cdk from '../cdk.json' with { type: 'json' };
import { ApiStack } from './api.ts';
import { DataStack } from './data.ts';
import { PipelineStack } from './pipeline.ts';
import { stageFromContext } from './stage.ts';

/**
 * Adds the stacks of the stage named in the app's context; each knows only those before it. The CDK's feature flags are
 * those of cdk.json, also without the CDK's command line: a newer library must not change what is deployed.
 */
export function addMailwright(app: App): void {
  for (const [flag, value] of Object.entries(cdk.context)) app.node.setContext(flag, value);
  const data = new DataStack(app, stageFromContext(app));
  new ApiStack(app, data, new PipelineStack(app, data));
}
