import { Aws } from 'aws-cdk-lib';
import { allow, arnOf, type Grant } from './grants.ts';
import type { StageSettings } from './stage.ts';

/**
 * What the function of the AI tools needs. A request waits for the model up to 24 seconds: without a concurrency of
 * their own, such requests could take the account's from the rest of the API and the workers.
 */
export const aiTools = ({ bedrockModelId, aiConcurrency }: StageSettings) => ({
  grants: bedrockModelId ? [invokeModel(bedrockModelId)] : [],
  memoryMb: 1024,
  reservedConcurrency: aiConcurrency,
});

/** Profiles that spread calls over regions have a prefix (`us.`, `eu.`, `global.`) before the model's own id. */
const profilePrefix = /^(?:us|eu|apac|ap|jp|au|ca|sa|me|af|il|us-gov|global)\./;

/**
 * Ask one Bedrock model, named by id (a foundation model or a cross-region inference profile) or by ARN (those, and
 * provisioned or custom models). Throws for an application inference profile, which does not name its model.
 */
function invokeModel(modelId: string): Grant {
  if (modelId.includes(':application-inference-profile/'))
    throw new Error(
      'bedrockModelId cannot be an application inference profile: name the model or the profile it was made from.',
    );
  const profile = /:inference-profile\/(.+)$/.exec(modelId)?.[1] ?? (profilePrefix.test(modelId) ? modelId : undefined);
  const model = modelId.startsWith('arn:')
    ? modelId
    : `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}::foundation-model/${modelId}`;
  const environment = { BEDROCK_MODEL_ID: modelId };
  if (profile === undefined) return { statements: [allow([model], ['bedrock:InvokeModel'])], environment };
  // A profile's call needs its model as well, in whichever region it is answered.
  const anywhere = `bedrock:*::foundation-model/${profile.replace(profilePrefix, '')}`;
  const through = modelId.startsWith('arn:') ? modelId : arnOf(`bedrock:inference-profile/${modelId}`);
  return {
    statements: [allow([through, `arn:${Aws.PARTITION}:${anywhere}`], ['bedrock:InvokeModel'])],
    environment,
    wildcards: [
      {
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${anywhere}]`,
        reason: 'An inference profile answers from whichever of its regions has room; the model is named.',
      },
    ],
  };
}
