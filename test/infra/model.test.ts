import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { Synthesized } from './synthesized.ts';

const checks = (app: App) => void Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const withModel = (bedrockModelId: string, prepare?: (app: App) => void) =>
  Synthesized.stage('dev', prepare, { bedrockModelId });

function modelGrants(app: Synthesized): [name: string, resources: string[]][] {
  return [...app.grants()].flatMap(([name, statements]) =>
    statements
      .filter(({ actions }) => actions.some((action) => action.startsWith('bedrock:')))
      .map(({ actions, resources }): [string, string[]] => {
        expect(actions).toEqual(['bedrock:InvokeModel']);
        return [name, resources];
      }),
  );
}

const modelsOf = (app: Synthesized) =>
  app
    .all('AWS::Lambda::Function')
    .map(({ properties }) => properties.Environment?.Variables?.BEDROCK_MODEL_ID)
    .filter((id) => id !== undefined);

test('configures and grants no model by default', async () => {
  const app = await Synthesized.stage('dev');
  expect([modelGrants(app), modelsOf(app)]).toEqual([[], []]);
});

const anthropic = 'anthropic.claude-haiku-4-5-20251001-v1:0';
const provisioned = 'arn:aws:bedrock:us-east-1:111122223333:provisioned-model/abcdefghij';
const profile = `arn:aws:bedrock:eu-west-1:111122223333:inference-profile/eu.${anthropic}`;

test.each([
  [
    'a model by its id',
    'amazon.nova-lite-v1:0',
    ['arn:AWS::Partition:bedrock:AWS::Region::foundation-model/amazon.nova-lite-v1:0'],
  ],
  [
    'an inference profile by its id, and its model in every region',
    `us.${anthropic}`,
    [
      `arn:AWS::Partition:bedrock:AWS::Region:AWS::AccountId:inference-profile/us.${anthropic}`,
      `arn:AWS::Partition:bedrock:*::foundation-model/${anthropic}`,
    ],
  ],
  [
    'an inference profile by its ARN',
    profile,
    [profile, `arn:AWS::Partition:bedrock:*::foundation-model/${anthropic}`],
  ],
  ['a provisioned model by its ARN', provisioned, [provisioned]],
])('grants only the AI tools %s', async (_what, id, resources) => {
  const app = await withModel(id, id === profile ? checks : undefined);
  expect(modelGrants(app)).toEqual([['ai', resources]]);
  expect(modelsOf(app)).toEqual([id]);
});

test('refuses an application inference profile, because the grant must name its model', async () => {
  const id = 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/abcdefghij';
  await expect(withModel(id)).rejects.toThrow('application inference profile');
});
