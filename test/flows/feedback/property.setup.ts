import { SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { beforeAll, expect, inject } from 'vitest';
import { concurrently } from '../../../shared/domain/concurrently.ts';
import { everyRow, idle, messagesOf, readyCampaign } from '../../support/campaign.ts';
import { foldEvents, scannerAgent } from '../../support/event-fold.ts';
import { putFeedback, type Report, sesNotification } from '../../support/feedback.ts';
import { awsOf } from '../../support/stack.ts';
import { newTeam, type Team } from '../../support/team.ts';

const seed = Number(process.env.PROPERTY_SEED ?? 20_261_121);

const filters = ['all', 'opened', 'clicked', 'bounced', 'sent', 'pending'] as const;
const reader =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
/** The agents that open and click: a person, and machines of each kind. */
const agents = { person: reader, marked: reader, scanner: scannerAgent, prefetch: 'Mozilla/5.0' } as const;
const byClient = {
  delivered: 'delivered',
  opened: 'opened',
  clicked: 'clicked',
  hard_bounce: 'bounced',
  soft_bounce: 'bounced',
  complaint: 'spam_report',
  deferred: 'deferred',
  unsubscribed: 'unsubscribed',
} as const;
const ofClients = ['unsubscribed'] as const;

let sqs: SQSClient;
beforeAll(() => {
  sqs = new SQSClient(awsOf(inject('folder')));
});

const place = {
  campaign: fc.nat(1),
  person: fc.nat(5),
  /** Few half seconds, so that events come close together. */
  at: fc.nat(30),
  byQueue: fc.boolean(),
  /** The time and agent of each copy; the first one counts. */
  copies: fc.array(
    fc.record({
      order: fc.nat(9_999),
      agent: fc.constantFrom(...(Object.keys(agents) as (keyof typeof agents)[])),
    }),
    { minLength: 1, maxLength: 3 },
  ),
};
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ...place, kind: fc.constant('opened' as const), links: fc.constant([0]) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...place,
      kind: fc.constant('clicked' as const),
      // Several links are followed half a second apart: three make a burst.
      links: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...place,
      kind: fc.constantFrom(
        'delivered',
        'delivered',
        'deferred',
        'hard_bounce',
        'soft_bounce',
        'complaint',
        'unsubscribed',
      ) satisfies fc.Arbitrary<keyof typeof byClient>,
      links: fc.constant([0]),
    }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;
const scenario = fc.record({
  people: fc.integer({ min: 2, max: 6 }),
  variants: fc.integer({ min: 2, max: 3 }),
  stream: fc.array(happening, { minLength: 60, maxLength: 120 }),
});

interface Sent {
  id: number;
  recipients: string[];
  variants: number[];
  /** By recipient. */
  tags: Map<string, Record<string, string>>;
}

/** Sends two campaigns to the same contacts: one plain, one that is entirely an A/B test. */
async function sendCampaigns(team: Team, people: readonly string[], variants: number): Promise<Sent[]> {
  const contacts = people.map((email) => ({ email }));
  const plain = await readyCampaign(team, contacts);
  const tested = await readyCampaign(team, contacts, { ab_test_percentage: 100, ab_test_delay_minutes: 240 });
  const labels = Array.from({ length: variants }, (_, index) => ({ label: `V${index}`, subject: `V${index}` }));
  await team.data('POST', `/campaigns/${tested.campaign}/variants`, { variants: labels });
  for (const { campaign } of [plain, tested]) await team.data('POST', `/campaigns/${campaign}/send`);
  await idle(inject('origin'), team);
  return Promise.all(
    [plain, tested].map(async ({ campaign }, index) => {
      const messages = await messagesOf(team, campaign);
      expect([...messages.keys()].sort()).toEqual([...people].sort());
      const tags = new Map([...messages].map(([email, message]) => [email, message.tags]));
      return {
        id: campaign,
        recipients: [...people],
        variants: index === 0 ? [] : labels.map((_, at) => at + 1),
        tags,
      };
    }),
  );
}

/** One incoming report. */
type Arrival = { by: 'queue'; body: string } | { by: 'api'; event: object };

function arrival(
  { kind, at, byQueue }: Happening,
  agent: keyof typeof agents,
  link: number,
  index: number,
  email: string,
  campaign: Sent,
  start: number,
): Arrival {
  const time = start + (at + index) * 500;
  const visit = kind === 'opened' || kind === 'clicked';
  const url = kind === 'clicked' ? `https://example.com/${link}` : undefined;
  const bot = visit && agent === 'marked';
  const tags = campaign.tags.get(email);
  // Only clients report recipients that were never sent a message, and unsubscribes elsewhere.
  if (byQueue && tags && !ofClients.includes(kind as 'unsubscribed')) {
    const report = { kind: kind as Report['kind'], email, at: time, tags, url };
    return { by: 'queue', body: sesNotification({ ...report, ...(visit && { agent: agents[agent], bot }) }) };
  }
  const metadata = {
    occurred_at: new Date(time).toISOString(),
    ...(kind === 'soft_bounce' && { bounce_type: 'soft' }),
    ...(url && { url }),
    ...(visit && { user_agent: agents[agent] }),
    ...(bot && { bot }),
  };
  return { by: 'api', event: { email, event: byClient[kind], campaign_id: campaign.id, metadata } };
}

/** All reports with their duplicates, in order of arrival. */
function arrivals(
  stream: readonly Happening[],
  emailOf: (person: number) => string,
  campaigns: readonly Sent[],
): Arrival[] {
  const start = Date.now() - 3_600_000;
  const all = stream.flatMap((one) => {
    const email = emailOf(one.person);
    return one.copies.flatMap(({ order, agent }) =>
      one.links.map((link, index) => ({
        order: order + index * 97,
        what: arrival(one, agent, link, index, email, campaigns[one.campaign]!, start),
      })),
    );
  });
  return all.sort((a, b) => a.order - b.order).map(({ what }) => what);
}

/** Sends all reports, over the queue and the API at the same time. */
async function send(team: Team, some: readonly Arrival[]): Promise<void> {
  const bodies = some.flatMap((one) => (one.by === 'queue' ? one.body : []));
  const events = some.flatMap((one) => (one.by === 'api' ? one.event : []));
  // Many small concurrent calls, so that several concern one address.
  const calls = Array.from({ length: Math.ceil(events.length / 3) }, (_, at) => events.slice(at * 3, at * 3 + 3));
  await Promise.all([
    putFeedback(sqs, bodies),
    concurrently(calls, 16, async (call) => {
      const { status, body } = await team.api('POST', '/events', { events: call });
      expect([status, body]).toEqual([200, { status: 'processed', processed: call.length }]);
    }),
  ]);
  await idle(inject('origin'), team);
}

async function compare(team: Team, { id, recipients, variants, tags }: Sent): Promise<void> {
  const events = await everyRow(team, `/events?campaign_id=${id}&include_machine_opens=true`);
  const variantOf = new Map(
    [...tags].flatMap(([email, { variant }]) => (variant === undefined ? [] : [[email, Number(variant)] as const])),
  );
  const expected = foldEvents(events, recipients, { ids: variants, of: variantOf });
  const read = (what: string) => team.data('GET', `/campaigns/${id}/report${what}`);
  const byUrl = (rows: { url?: string }[]) => rows.sort((a, b) => (a.url! < b.url! ? -1 : 1));
  const listed = Object.fromEntries(
    await Promise.all(
      filters.map(async (filter) => {
        const rows = await everyRow(team, `/campaigns/${id}/recipients?filter=${filter}`);
        const shown = rows.map(({ email, status, opened_at, clicked_at }) => ({
          email,
          status,
          opened_at,
          clicked_at,
        }));
        return [filter, shown] as const;
      }),
    ),
  );
  const results: { id: number; sent: number; opened: number; clicked: number }[] = await read('/variants');
  expect({
    metrics: (await read('')).metrics,
    links: byUrl(await read('/links')),
    variants: results.map(({ id: variant, sent, opened, clicked }) => ({ id: variant, sent, opened, clicked })),
    recipients: listed,
  }).toEqual({ ...expected, links: byUrl(expected.links) });
}

/** Checks the property on so many random scenarios. */
export async function expectReportsMatchEvents(numRuns: number): Promise<void> {
  const property = fc.asyncProperty(scenario, async ({ people: count, variants, stream }) => {
    const team = await newTeam();
    // Addresses of this team alone: a provider's suppression applies to the other teams of the stack too.
    const people = Array.from({ length: count }, (_, index) => `p${index}@${team.domain}`);
    const stranger = `stranger@${team.domain}`;
    const campaigns = await sendCampaigns(team, people, variants);
    const all = arrivals(stream, (person) => people[person] ?? stranger, campaigns);
    // A late part follows a quiet time, with copies of counted events.
    for (const some of [all.slice(0, all.length / 2), all.slice(all.length / 2)]) {
      await send(team, some);
      for (const campaign of campaigns) await compare(team, campaign);
    }
  });
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
}
