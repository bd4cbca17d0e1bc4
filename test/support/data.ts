import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, inject, vi } from 'vitest';
import { readAssembly } from '../../local/template/assembly.ts';
import { awsOf } from './stack.ts';

/** Connects the data functions that a test file imports to the shared stack's table, and its flows to all services. */
export function useSharedTable(): void {
  beforeAll(async () => {
    const aws = awsOf(inject('folder'));
    const { TableNames } = await new DynamoDBClient(aws).send(new ListTablesCommand());
    vi.stubEnv('TABLE_NAME', TableNames![0]!);
    vi.stubEnv('SECRETS_KEY_ARN', secretsKeyArn());
    vi.stubEnv('AWS_ENDPOINT_URL', aws.endpoint);
    // An outside engine is the stack's: its own name comes before the endpoint of all services.
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', aws.endpoint);
    vi.stubEnv('AWS_REGION', aws.region);
    vi.stubEnv('AWS_ACCESS_KEY_ID', aws.credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', aws.credentials.secretAccessKey);
  });
  afterAll(() => void vi.unstubAllEnvs());
}

/** The KMS key of secrets on every local stack. */
export function secretsKeyArn(): string {
  for (const { stack, body } of readAssembly(process.env.MAILWRIGHT_ASSEMBLY!))
    for (const [id, { Type }] of Object.entries(body.Resources ?? {}))
      if (Type === 'AWS::KMS::Key') return `arn:aws:kms:us-east-1:000000000000:key/${stack}-${id}`;
  throw new Error('The app has no KMS key.');
}
