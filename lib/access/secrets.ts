import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { allow, type Grant } from '../grants.ts';
import type { StageSettings } from '../stage.ts';

/** What secrets are for, as `shared/domain/sealed.ts` has it. */
export type Purpose = 'signing' | 'webhooks' | 'answers';

/** Adds the key that wraps the data keys of secrets. Without it nothing sealed opens: it stays with the table. */
export function addSecretsKey(scope: Construct, { name, dataRemoval }: StageSettings): Key {
  return new Key(scope, 'SecretsKey', {
    description: `Mailwright ${name}: signing key, webhook secrets and stored answers with secrets.`,
    enableKeyRotation: true,
    // Where copies of the table are in another region, a replica of the key can open them.
    multiRegion: true,
    removalPolicy: dataRemoval,
  });
}

/** Seal and open the secrets of these purposes and of no other. */
export function useSecrets(key: Key, ...purposes: Purpose[]): Grant {
  const statement = allow([key.keyArn], ['kms:Decrypt']);
  statement.addCondition('StringEquals', { 'kms:EncryptionContext:purpose': purposes });
  return { statements: [statement], environment: { SECRETS_KEY_ARN: key.keyArn } };
}

/** Make data keys without seeing them. */
export function makeDataKeys({ keyArn }: Key): Grant {
  return {
    statements: [allow([keyArn], ['kms:GenerateDataKeyWithoutPlaintext'])],
    environment: { SECRETS_KEY_ARN: keyArn },
  };
}
