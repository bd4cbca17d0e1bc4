import { join } from 'node:path';
import { dataFolder } from './local-stack.ts';

/** The flags of a command by name. */
export type Flags = Record<string, string | boolean | undefined>;

/** What a record waits for, in a sentence, by the word that the function answers with. */
const waits: Record<string, string> = {
  ab_decision: 'the decision of its A/B test',
  better_week: "days without so many bounces and complaints: the team's last week bars it from sending",
  daily_quota: "SES's daily quota; it is checked every quarter of an hour",
  due_jobs: 'its job, which runs within a minute',
  due_time: 'the time of its next step',
  import: 'its warehouse import: see "import show"',
  monthly_allowance: "next month: the team's emails of this month are used up",
  next_attempt: 'the next attempt',
  query: "Athena's answer to its query",
  reputation: 'the team to resume it: too many messages bounced or were reported as spam',
  review: 'an operator: "campaign release" or "campaign refuse"',
  sandbox: 'the team, or the SES account, to leave the sandbox',
  send_rate: "the account's send rate",
  send_workers: 'the workers of its queue',
  sending_domain: 'its sending domain to be verified; then the team resumes it',
  start_time: 'its start time',
  subscribers: 'contacts to be enrolled',
  suspension: 'an operator: its team is suspended',
  team_to_activate: 'the team to activate it',
  team_to_resume: 'the team to resume it',
  team_to_resend: 'the team to send again to its unknown recipients, if it wants to',
  team_to_send: 'the team to send it',
  unknown_recipients: "SES's events on recipients whose messages may have been accepted",
  workflow: "the workflow's next step",
};

interface Shown {
  team_id: number;
  status: string;
  since: string;
  waits_for: string | null;
  until: string | null;
  last_error: string | null;
  logs: string[];
}

type Line = [name: string, value: string | number | null | undefined];

/** A record as text: what all have in common, and its own lines; those without a value are left out. */
function page(record: Shown, [noun, id]: [noun: string, field: string], own: Line[], { stage }: Flags): string {
  const { team_id, status, since, waits_for, until, last_error, logs } = record;
  const number = (record as unknown as Record<string, number>)[id]!;
  const waiting = waits_for === null ? 'nothing' : waits[waits_for] + (until ? `, until ${until}` : '');
  const all: Line[] = [['Waits for', waiting], ...own, ['Last error', last_error]];
  const lines = all.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const]));
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    `The ${noun} ${number} of team ${team_id} is ${status}, since ${since}.`,
    ...lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    'Its failures, in the logs:',
    ...logs.map((name) => `  ${logCommand(name, { team_id, [id]: number }, stage)}`),
  ].join('\n');
}

/** The command that finds a record's failures in the log of a function. */
function logCommand(name: string, ids: Record<string, number>, stage: Flags[string]): string {
  const all = Object.entries(ids);
  if (stage === undefined) {
    const pattern = all.map(([field, id]) => `"${field}":${id},`).join('');
    return `grep '${pattern}' ${join(dataFolder(), 'logs', `mailwright-dev-${name}.log`)}`;
  }
  const filter = all.map(([field, id]) => `$.${field} = ${id}`).join(' && ');
  return `aws logs tail /aws/lambda/mailwright-${stage}-${name} --since 3h --filter-pattern '{ ${filter} }'`;
}

const counted = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');

/** What `operate` answered, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: each command answers with an object of its own
export type Answer = any;

/** How the results of the commands that show a record read. */
export const shownRecords = {
  'campaign show': (found: Answer, flags: Flags) => {
    const { run, run_started_at, execution, recipients, pages, errors } = found;
    const { total, ...counts } = recipients;
    const { total: all, complete, oldest_open: oldest, ...states } = pages;
    const own: Line[] = [
      ['Recipients', total ? `${total}: ${counted(counts)}` : null],
      ['Last progress', found.status === 'sending' ? found.last_progress_at : null],
      ['Pages', all ? `${all}: ${counted(states)}${complete ? '' : ', of the first 10000'}` : null],
      ['Oldest open page', oldest && `${oldest.page}, ${oldest.state}, claimed until ${oldest.claimed_until}`],
      ['Import', found.import],
      ['Run', run && `${run}, since ${run_started_at}`],
      ['Execution', execution && `${execution.name}, ${execution.status ?? 'not there'}`],
      ...errors.map(({ error, recipients }: Answer): Line => ['Failed', `${recipients} recipients: ${error}`]),
    ];
    return page(found, ['campaign', 'campaign_id'], own, flags);
  },
  'import show': (found: Answer, flags: Flags) => {
    const { source, reading, problems } = found;
    const from = source.query ? `the query ${source.query}` : `s3://${source.bucket}/${source.prefix}`;
    const own: Line[] = [
      ['Campaign', `${found.campaign_status}${found.stale ? '; it will be imported anew' : ''}`],
      ['Reads', from],
      ['Objects', found.objects],
      ['Reads now', reading && `object ${reading.object} of ${found.objects}, line ${reading.line}`],
      ['Rows', `${found.rows}, ${found.bad_rows} of them bad`],
      ...problems.map(({ object, line, reason }: Answer): Line => ['Bad row', `${object}, line ${line}: ${reason}`]),
      ['Addresses', found.addresses],
    ];
    return page(found, ['import of campaign', 'campaign_id'], own, flags);
  },
  'sequence show': (found: Answer, flags: Flags) => {
    const own: Line[] = [
      ['Trigger', found.trigger],
      ['Steps', found.steps],
      ['Enrolled', found.enrolled],
      ...found.shards.map(
        ({ shard, due, next_due_at, queued_until, open_page }: Answer): Line => [
          `Shard ${shard}`,
          [
            due > 0 ? `${due === 100 ? '100 or more' : due} due` : 'nobody is due',
            next_due_at ? `next due ${next_due_at}` : 'nobody waits',
            queued_until && `queued, at the latest until ${queued_until}`,
            open_page && `${open_page.subscribers} being sent, claimed until ${open_page.claimed_until}`,
          ]
            .filter(Boolean)
            .join('; '),
        ],
      ),
    ];
    return page(found, ['sequence', 'sequence_id'], own, flags);
  },
  'webhook show': (found: Answer, flags: Flags) => {
    const { pending_deliveries: pending, next_attempts } = found;
    const own: Line[] = [
      ['Endpoint', `${found.url} (${found.events.join(', ')})`],
      ['Failed attempts in a row', found.consecutive_failures],
      ['Failing since', found.failing_since],
      ['Deliveries given up in a row', found.deliveries_given_up],
      ['Last delivered', found.last_delivered_at ?? 'never'],
      ['Last attempt took', found.last_attempt_ms === null ? null : `${found.last_attempt_ms} ms`],
      ['Attempts under way', found.attempts_under_way],
      ['Execution of its retries', found.execution],
      ['Pending deliveries', pending === 1_000 ? '1000 or more' : pending],
      ...next_attempts.map(
        ({ event_id, type, attempt, next_at }: Answer): Line => [
          'Next attempt',
          `${next_at}: attempt ${attempt} at ${type}, event ${event_id}`,
        ],
      ),
    ];
    return page(found, ['webhook', 'webhook_id'], own, flags);
  },
} as const;
