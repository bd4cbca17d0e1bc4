import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import { keys } from '../../../shared/data/keys.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { awsOf } from '../../support/stack.ts';
import { type Row, rawTable } from '../../support/table.ts';
import type { Team } from '../../support/team.ts';
import { advance, subscribe } from '../../support/webhooks.ts';
import { folder, receiver, stack } from './receivers.setup.ts';

const machine = 'arn:aws:states:us-east-1:000000000000:stateMachine:mailwright-dev-webhook';
let paths = 0;

let moved = 0;

export async function forward(seconds: number): Promise<void> {
  moved += seconds;
  await advance(stack.origin, seconds);
}

/** A time on the stack's clock, some seconds from now, as it is stored. */
export const secondsFromNow = (seconds: number): string => timestamp(Date.now() + (moved + seconds) * 1000);

/** An endpoint with a path that no other test uses: it refuses everything while `up` is false. */
export async function newEndpoint(team: Team, events = ['webhook.test']) {
  const path = `/retries-${++paths}`;
  const place = { path, id: 0, up: false, accepted: [] as string[] };
  receiver.behave(path, ({ body }, response) => {
    if (place.up) place.accepted.push(body.id);
    response.writeHead(place.up ? 200 : 500).end();
  });
  place.id = (await subscribe(team, receiver.url + path, events)).id;
  return place;
}

/** The endpoint as it is stored. */
export async function stored(team: Team, id: number): Promise<Row> {
  const { pk, sk } = keys.webhook(team.id, id);
  return (await (await rawTable(folder)).partition(pk)).find((row) => row.sk === sk)!;
}

/** Changes the endpoint as it is stored. */
export async function store(team: Team, id: number, change: object): Promise<void> {
  await (await rawTable(folder)).write([{ ...(await stored(team, id)), ...change }]);
}

/** The deliveries of an endpoint that have attempts left, in the order of their times. */
export async function pending(team: Team, id: number): Promise<Row[]> {
  const rows = await (await rawTable(folder)).naming(`TEAM#${team.id}#WEBHOOK_RETRY#${id}`);
  return rows.sort((a, b) => (String(a.gsi1sk) < String(b.gsi1sk) ? -1 : 1));
}

/** The names of the endpoint's executions that are open. */
export async function openRuns(team: Team, id: number): Promise<string[]> {
  const states = new SFNClient(awsOf(folder));
  const { run = 0 } = (await stored(team, id)) as Row & { run?: number };
  const names = Array.from({ length: run + 1 }, (_, index) => `team-${team.id}-webhook-${id}-${index + 1}`);
  const open = await Promise.all(
    names.map(async (name) => {
      const executionArn = `${machine.replace(':stateMachine:', ':execution:')}:${name}`;
      const found = await states.send(new DescribeExecutionCommand({ executionArn })).catch(() => undefined);
      return found?.status === 'RUNNING' ? [name] : [];
    }),
  );
  return open.flat();
}

export { machine };
