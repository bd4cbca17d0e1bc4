import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { lazily } from './lazily.ts';

/** SES takes one call of each kind a second, from the whole account: what must be done now waits for its turn. */
const patient = lazily(() => new SESv2Client({ maxAttempts: 6 }));
const quick = lazily(() => new SESv2Client({ maxAttempts: 1 }));

/** Asks SES to verify a domain (Easy DKIM); idempotent. */
export async function createIdentity(domain: string): Promise<void> {
  try {
    await patient().send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
  } catch (error) {
    if ((error as Error).name !== 'AlreadyExistsException') throw error;
  }
}

/** Sets a custom MAIL FROM domain; SES uses its own until the DNS records are published. */
export async function setMailFrom(domain: string, mailFrom: string): Promise<void> {
  await patient().send(
    new PutEmailIdentityMailFromAttributesCommand({
      EmailIdentity: domain,
      MailFromDomain: mailFrom,
      BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
    }),
  );
}

/** Removes a domain from SES; idempotent. */
export async function deleteIdentity(domain: string): Promise<void> {
  try {
    await patient().send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));
  } catch (error) {
    if ((error as Error).name !== 'NotFoundException') throw error;
  }
}

/** A domain's status and DKIM tokens in SES; undefined when SES does not have the domain. Throws when SES is busy. */
export async function findIdentity(
  domain: string,
  how?: 'patiently',
): Promise<{ status: 'pending' | 'verified' | 'failed'; dkimTokens: string[] } | undefined> {
  try {
    const ses = how === 'patiently' ? patient() : quick();
    const found = await ses.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
    const failed = found.VerificationStatus === 'FAILED';
    const status = found.VerifiedForSendingStatus ? 'verified' : failed ? 'failed' : 'pending';
    return { status, dkimTokens: found.DkimAttributes?.Tokens ?? [] };
  } catch (error) {
    if ((error as Error).name === 'NotFoundException') return undefined;
    throw error;
  }
}
