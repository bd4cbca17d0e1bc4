import { DecryptCommand, GenerateDataKeyWithoutPlaintextCommand, KMSClient } from '@aws-sdk/client-kms';
import type { Purpose } from '../domain/sealed.ts';
import { config } from './config.ts';
import { lazily } from './lazily.ts';

// Without the mark the client would be in every bundle.
const kms = /* @__PURE__ */ lazily(
  () =>
    new KMSClient({
      maxAttempts: 5,
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    }),
);

/** Makes a data key that only KMS can unwrap; who makes it does not see it. */
export async function makeDataKey(purpose: Purpose): Promise<Uint8Array> {
  const input = { KeyId: config.secretsKeyArn, KeySpec: 'AES_256' as const, EncryptionContext: { purpose } };
  const { CiphertextBlob } = await kms().send(new GenerateDataKeyWithoutPlaintextCommand(input));
  return CiphertextBlob!;
}

/** Unwraps a data key; KMS refuses it to a function that has no right to the purpose, and with another purpose. */
export async function unwrapDataKey(purpose: Purpose, wrapped: Uint8Array): Promise<Uint8Array> {
  const input = { KeyId: config.secretsKeyArn, CiphertextBlob: wrapped, EncryptionContext: { purpose } };
  const { Plaintext } = await kms().send(new DecryptCommand(input));
  return Plaintext!;
}
