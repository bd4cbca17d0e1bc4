import {
  DeleteSuppressedDestinationCommand,
  GetSuppressedDestinationCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { timestamp } from '../domain/time.ts';
import { lazily } from './lazily.ts';

/** SES takes one call of each kind a second, from the whole account. */
const ses = lazily(() => new SESv2Client({ maxAttempts: 6 }));

/** Why and since when SES itself does not mail an address; undefined when it does. */
export async function find(email: string): Promise<{ reason: string; since: string } | undefined> {
  const sent = ses().send(new GetSuppressedDestinationCommand({ EmailAddress: email }));
  const { SuppressedDestination: found } = (await unlessAbsent(sent)) ?? {};
  return found && { reason: found.Reason!, since: timestamp(found.LastUpdateTime) };
}

/** Has SES mail an address again; false when it did before. */
export async function remove(email: string): Promise<boolean> {
  const sent = ses().send(new DeleteSuppressedDestinationCommand({ EmailAddress: email }));
  return (await unlessAbsent(sent)) !== undefined;
}

async function unlessAbsent<T>(sent: Promise<T>): Promise<T | undefined> {
  try {
    return await sent;
  } catch (error) {
    if ((error as Error).name === 'NotFoundException') return undefined;
    throw error;
  }
}
