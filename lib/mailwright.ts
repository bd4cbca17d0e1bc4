import type { App } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { ApiStack } from './api.ts';
import { DataStack } from './data.ts';
import { PipelineStack } from './pipeline.ts';
import { stageFromContext } from './stage.ts';

/** Adds the stacks of the stage named in the app's context; each knows only those before it. */
export function addMailwright(app: App): void {
  for (const [flag, value] of Object.entries(CURRENTLY_RECOMMENDED_FLAGS)) app.node.setContext(flag, value);
  app.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
  const data = new DataStack(app, stageFromContext(app));
  new ApiStack(app, data, new PipelineStack(app, data));
}
