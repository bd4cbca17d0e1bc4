import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { lazily } from './lazily.ts';

const ses = lazily(() => new SESv2Client({}));

/** Asks SES to verify a domain (Easy DKIM); idempotent. */
export async function createIdentity(domain: string): Promise<void> {
  try {
    await ses().send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
  } catch (error) {
    if ((error as Error).name !== 'AlreadyExistsException') throw error;
  }
}

/** Sets a custom MAIL FROM domain; SES uses its own until the DNS records are published. */
export async function setMailFrom(domain: string, mailFrom: string): Promise<void> {
  await ses().send(
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
    await ses().send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));
  } catch (error) {
    if ((error as Error).name !== 'NotFoundException') throw error;
  }
}

/** A domain's status and DKIM tokens in SES; undefined when SES does not have the domain. */
export async function findIdentity(
  domain: string,
): Promise<{ status: 'pending' | 'verified' | 'failed'; dkimTokens: string[] } | undefined> {
  try {
    const found = await ses().send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
    const failed = found.VerificationStatus === 'FAILED';
    const status = found.VerifiedForSendingStatus ? 'verified' : failed ? 'failed' : 'pending';
    return { status, dkimTokens: found.DkimAttributes?.Tokens ?? [] };
  } catch (error) {
    if ((error as Error).name === 'NotFoundException') return undefined;
    throw error;
  }
}
