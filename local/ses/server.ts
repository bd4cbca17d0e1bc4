import type { Answer } from '../aws/errors.ts';
import type { HttpResult } from '../http/http-event.ts';
import { type ConfigurationSet, indexConfigurationSets } from './configuration-sets.ts';
import { eventMessage } from './events.ts';
import { openIdentities } from './identities.ts';
import { openLimits } from './limits.ts';
import { type Message, type MessageFilter, readMessages } from './mailbox.ts';
import { placeOf } from './message-ids.ts';
import { answer, type SesRequest } from './operations.ts';
import { openOutbox } from './outbox.ts';
import type { PendingEvent } from './records.ts';
import { openStore } from './store.ts';
import { openSuppressed } from './suppressed.ts';
import { openTemplates } from './templates.ts';
import { type TrackRequest, track } from './tracking.ts';

const DAY_MS = 24 * 3600 * 1000;

/** How to open the server. */
export interface SesOptions {
  /** Path of its database, or `:memory:`. */
  file: string;
  /** Publishes an event to a topic; called again for the same event until it resolves. */
  publish(topicArn: string, message: string): Promise<void>;
  configurationSets: readonly ConfigurationSet[];
  /** The base URL of open pixels and tracked links, without a trailing slash. */
  trackingBaseUrl: string;
  /** Recipients per second. @default 14000 */
  maxSendRate?: number;
  /** Recipients per 24 hours. @default 50000000 */
  max24HourSend?: number;
}

/** A running local SES. */
export interface Ses {
  /** Answers an API request, also with an error. */
  handle(request: SesRequest): Answer;
  /** Answers open pixels and tracked links: `/_local/ses/open/…` and `/_local/ses/click/…`. */
  track(request: TrackRequest): HttpResult;
  /** Accepted messages, newest last. */
  messages(filter: MessageFilter): Message[];
  /** Whether a domain is an identity of the account, verified or not. */
  hasIdentity(domain: string): boolean;
  /** The tags of an identity; none when the account does not have it. */
  tagsOf(domain: string): Record<string, string>;
  /** Verifies a domain at once; one that the account does not have is created as by somebody else, with these tags. */
  verifyIdentity(domain: string, tags?: Record<string, string>): void;
  /** Sets the zone with the DKIM keys of identities from now on. */
  setSigningZone(zone: string): void;
  /** Changes the account's recipients per second, as AWS does on request. */
  setMaxSendRate(recipientsPerSecond: number): void;
  /** Takes calls about identities and the account at any rate while `work` runs. */
  withoutCallLimit<T>(work: () => Promise<T>): Promise<T>;
  /** The number of unpublished events. */
  pending(): number;
  /** Stops publishing and closes the database; pending events are published after the next start. */
  close(): Promise<void>;
}

/** Opens the local SES on its database and publishes the pending events of an earlier run. */
export function openSes(options: SesOptions): Ses {
  const { publish, trackingBaseUrl, maxSendRate = 14_000, max24HourSend = 50_000_000 } = options;
  const store = openStore(options.file);
  const templates = openTemplates(store);
  const identities = openIdentities(store);
  const configurationSets = indexConfigurationSets(options.configurationSets);
  const limits = openLimits({ maxSendRate, max24HourSend }, store.sentByMinute(Date.now() - DAY_MS));
  const outbox = openOutbox(store, publishEvent);
  const server = {
    store,
    templates,
    identities,
    suppressed: openSuppressed(store),
    configurationSets,
    limits,
    account: { production: true, plan: 'ESSENTIALS' },
    eventsRecorded: outbox.notify,
    trackingBaseUrl,
  };

  async function publishEvent(event: PendingEvent): Promise<void> {
    const call = store.call(placeOf(event.message).call)!;
    const topics = configurationSets.topics(call.configurationSet, event.kind);
    const message = eventMessage(server, call, event);
    await Promise.all(topics.map((topicArn) => publish(topicArn, message)));
  }

  return {
    handle: (request) => answer(server, request),
    track: (request) => track(server, request),
    messages: (filter) => readMessages(server, filter),
    hasIdentity: identities.has,
    tagsOf: identities.tagsOf,
    verifyIdentity: identities.verify,
    setSigningZone: identities.signIn,
    setMaxSendRate(recipientsPerSecond) {
      limits.maxSendRate = recipientsPerSecond;
    },
    withoutCallLimit: limits.withoutCallLimit,
    pending: outbox.pending,
    async close() {
      await outbox.close();
      store.close();
    },
  };
}
