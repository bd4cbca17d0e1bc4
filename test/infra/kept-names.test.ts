import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Synthesized } from './synthesized.ts';

/** The resource types that hold data or have an address, and the property with the physical name. */
const kept: Record<string, string> = {
  'AWS::ApiGatewayV2::Api': 'Name',
  'AWS::ApiGatewayV2::Stage': 'StageName',
  'AWS::Athena::WorkGroup': 'Name',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SES::ConfigurationSet': 'Name',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::StepFunctions::StateMachine': 'StateMachineName',
};

/** A line per resource: stack, type, logical id, and physical name (`-` when AWS generates it). */
function namesOf({ stackNames, stacks, outputs }: Synthesized): string[] {
  return [
    ...Object.entries(stacks).flatMap(([stack, resources]) =>
      resources
        .filter(({ type }) => type in kept)
        .map(({ type, id, properties }) => [stackNames[stack], type, id, properties[kept[type]!] ?? '-']),
    ),
    ...outputs.map(({ stack, id, exportName }) => [stackNames[stack], 'Output', id, exportName ?? '-']),
  ].map((line) => line.join(' '));
}

// CloudFormation replaces a resource whose logical id or physical name changes, and its data is lost. An export must
// stay as long as a deployed stack imports it. So a line leaves this file only with a plan for the deployed stages.
const lines = readFileSync(new URL('kept-names.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

test.each(['dev', 'prod'])('keeps the names of resources with data or an address, in %s', async (stage) => {
  const names = new Set(namesOf(await Synthesized.stage(stage)));
  const expected = lines.filter((line) => line.startsWith(`mailwright-${stage}-`));
  expect(expected.length).toBeGreaterThan(70);
  expect(expected.filter((line) => !names.has(line))).toEqual([]);
});
