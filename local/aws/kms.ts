import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Resources, Value } from '../template/resource.ts';
import { type Answer, awsError } from './errors.ts';

const headers = { 'content-type': 'application/x-amz-json-1.1' };
const nonceBytes = 12;
const tagBytes = 16;

/** KMS, with the keys of the template. */
export interface Kms {
  /** Answers GenerateDataKeyWithoutPlaintext, GenerateDataKey and Decrypt. */
  handle(operation: string, input: Value): Answer;
}

/** The keys of the template. What they are made of is their ARN: there is nothing to keep over a restart. */
export function openKms(resources: Resources): Kms {
  const keyOf = (id: string): string | undefined =>
    resources.ofType('AWS::KMS::Key').find(({ arn, name }) => id === arn || id === name)?.arn;
  return {
    handle(operation, input) {
      const arn = keyOf(input.KeyId);
      if (!arn) return awsError('kms', 'NotFoundException', `Key '${input.KeyId}' does not exist`);
      const context = canonical(input.EncryptionContext);
      const output = operation === 'Decrypt' ? decrypted(arn, context, input) : generated(operation, arn, context);
      if (!output) return awsError('kms', 'InvalidCiphertextException', '');
      return { status: 200, headers, body: JSON.stringify({ KeyId: arn, ...output }) };
    },
  };
}

/** As KMS does, a key refuses what was encrypted with another context. */
const canonical = (context: Record<string, string> = {}): string => JSON.stringify(Object.entries(context).sort());

const material = (arn: string): Buffer => createHash('sha256').update(`local KMS key ${arn}`).digest();

function generated(operation: string, arn: string, context: string) {
  const dataKey = randomBytes(32);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', material(arn), nonce).setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(dataKey), cipher.final()]);
  const CiphertextBlob = Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  return operation === 'GenerateDataKey'
    ? { CiphertextBlob, Plaintext: dataKey.toString('base64') }
    : { CiphertextBlob };
}

function decrypted(arn: string, context: string, { CiphertextBlob }: { CiphertextBlob: string }) {
  const blob = Buffer.from(CiphertextBlob, 'base64');
  const [nonce, tag] = [blob.subarray(0, nonceBytes), blob.subarray(nonceBytes, nonceBytes + tagBytes)];
  try {
    const decipher = createDecipheriv('aes-256-gcm', material(arn), nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(context))
      .setAuthTag(tag);
    const plain = Buffer.concat([decipher.update(blob.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return { Plaintext: plain.toString('base64') };
  } catch {
    return undefined;
  }
}
