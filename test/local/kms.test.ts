import { expect, it } from 'vitest';
import { openKms } from '../../local/aws/kms.ts';
import type { Template } from '../../local/template/resource.ts';
import { resolveTemplates } from '../../local/template/template.ts';

const environment = { region: 'us-east-1', accountId: '000000000000', awsEndpoint: '', apiEndpoint: '' };
const body = { Resources: { A: { Type: 'AWS::KMS::Key' }, B: { Type: 'AWS::KMS::Key' } } } as Template['body'];
const resources = () => resolveTemplates([{ stack: 'Main', body, assets: {} }], environment);
const arn = (id: string) => `arn:aws:kms:us-east-1:000000000000:key/Main-${id}`;

function ask(operation: string, input: object, kms = openKms(resources())) {
  const { status, body } = kms.handle(operation, input);
  return { status, ...JSON.parse(String(body)) };
}

const EncryptionContext = { purpose: 'signing', stage: 'dev' };
const made = ask('GenerateDataKey', { KeyId: arn('A'), EncryptionContext });
const decrypt = (KeyId: string, context: object, CiphertextBlob = made.CiphertextBlob) =>
  ask('Decrypt', { KeyId, CiphertextBlob, EncryptionContext: context });

it('decrypts a data key with the context that it was made with, in any order and after a restart', () => {
  expect(Buffer.from(made.Plaintext, 'base64')).toHaveLength(32);
  expect(decrypt(arn('A'), { stage: 'dev', purpose: 'signing' }).Plaintext).toBe(made.Plaintext);
});

it('refuses another context, another key, and what it has not encrypted', () => {
  const refusals = [
    decrypt(arn('A'), { ...EncryptionContext, purpose: 'webhooks' }),
    decrypt(arn('A'), {}),
    decrypt(arn('B'), EncryptionContext),
    decrypt(arn('A'), EncryptionContext, 'AAAA'),
  ];
  for (const { status, __type } of refusals) expect([status, __type]).toEqual([400, 'InvalidCiphertextException']);
  expect(decrypt(arn('C'), EncryptionContext).__type).toBe('NotFoundException');
});

it('shows no data key to who asks for one without plaintext', () => {
  const hidden = ask('GenerateDataKeyWithoutPlaintext', { KeyId: arn('A'), EncryptionContext });
  expect(hidden.Plaintext).toBeUndefined();
  expect(decrypt(arn('A'), EncryptionContext, hidden.CiphertextBlob).Plaintext).toMatch(/^.{43}=$/);
});
