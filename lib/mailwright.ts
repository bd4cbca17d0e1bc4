import type { App } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { ApiStack } from './api-stack.ts';
import { DataStack } from './data-stack.ts';
import { PipelineStack } from './pipeline-stack.ts';
import { stageFromContext } from './stage.ts';

/** Adds the stacks of the stage named in the app's context; each knows only those before it. */
export function addMailwright(app: App): { data: DataStack; pipeline: PipelineStack; api: ApiStack } {
  for (const [flag, value] of Object.entries(CURRENTLY_RECOMMENDED_FLAGS)) app.node.setContext(flag, value);
  app.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
  const stage = stageFromContext(app);
  const data = new DataStack(app, stage);
  const pipeline = new PipelineStack(app, stage, data);
  const api = new ApiStack(app, stage, data, pipeline);
  return { data, pipeline, api };
}
