import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityFeedbackAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { config } from './config.ts';
import { lazily } from './lazily.ts';

/** SES takes one call of each kind a second, from the whole account: what must be done now waits for its turn. */
const patient = lazily(() => new SESv2Client({ maxAttempts: 6 }));
const quick = lazily(() => new SESv2Client({ maxAttempts: 1 }));

/** A domain in SES. */
export interface FoundIdentity {
  status: 'pending' | 'verified' | 'failed';
  dkimTokens: string[];
  /** The zone with the keys of the tokens. */
  dkimZone?: string;
  tags: Record<string, string>;
}

/** The tags that say which installation of the account has made an identity, and for which team. */
const stageTag = 'mailwright:stage';
const teamTag = 'mailwright:team';

const isOwn = ({ tags }: FoundIdentity): boolean => tags[stageTag] === config.stage;

/** Whether an identity names the team, or none: an operator has made it, or a version before the tags. */
export const isFor = (teamId: number, { tags }: FoundIdentity): boolean =>
  (tags[teamTag] ?? String(teamId)) === String(teamId);

/** Asks SES to verify a domain (Easy DKIM); false when it has the domain from somebody else. Idempotent. */
export async function createIdentity(teamId: number, domain: string): Promise<boolean> {
  const tags = { [stageTag]: config.stage, [teamTag]: String(teamId) };
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  try {
    await patient().send(new CreateEmailIdentityCommand({ EmailIdentity: domain, Tags }));
    return true;
  } catch (error) {
    if ((error as Error).name !== 'AlreadyExistsException') throw error;
    const found = await findIdentity(domain, 'patiently');
    if (!found || !isOwn(found)) return false;
    // A removal of the team that had the domain before may have been overtaken by its own creation.
    if ((found.tags[teamTag] ?? String(teamId)) === String(teamId)) return true;
    await patient().send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));
    return createIdentity(teamId, domain);
  }
}

/** Keeps SES from mailing bounces and complaints to the sender: they arrive through the configuration set. */
export async function stopForwarding(domain: string): Promise<void> {
  await patient().send(
    new PutEmailIdentityFeedbackAttributesCommand({ EmailIdentity: domain, EmailForwardingEnabled: false }),
  );
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

/**
 * Removes a domain from SES if this installation has made it there for the team; idempotent. A removal that is late
 * leaves what the domain's next team has made since. An identity that an operator has tagged names no team.
 */
export async function deleteOwnIdentity(teamId: number, domain: string): Promise<void> {
  const found = await findIdentity(domain, 'patiently');
  if (!found || !isOwn(found) || (found.tags[teamTag] ?? String(teamId)) !== String(teamId)) return;
  try {
    await patient().send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }));
  } catch (error) {
    if ((error as Error).name !== 'NotFoundException') throw error;
  }
}

/** A domain in SES; undefined when SES does not have it. Throws when SES is busy. */
export async function findIdentity(domain: string, how?: 'patiently'): Promise<FoundIdentity | undefined> {
  try {
    const ses = how === 'patiently' ? patient() : quick();
    const found = await ses.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
    const failed = found.VerificationStatus === 'FAILED';
    const status = found.VerifiedForSendingStatus ? 'verified' : failed ? 'failed' : 'pending';
    const { Tokens: dkimTokens = [], SigningHostedZone: dkimZone } = found.DkimAttributes ?? {};
    const tags = Object.fromEntries((found.Tags ?? []).map(({ Key, Value }) => [Key, Value]));
    return { status, dkimTokens, dkimZone, tags };
  } catch (error) {
    if ((error as Error).name === 'NotFoundException') return undefined;
    throw error;
  }
}
