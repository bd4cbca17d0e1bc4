import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchStack, senderDomain } from './bench-stack.ts';
import { accepted, newContacts } from './requests.ts';
import { consumedBy, type Result, round, usedBy } from './results.ts';

const perRequest = 1_000;
const html = '<p>Hello {{first_name}}</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';

/** The speed and the cost of sending a step to subscribers that are due in the same minute. */
export async function measureSequence(stack: BenchStack, people: number): Promise<Result[]> {
  const { id, enrolled } = await enrol(stack, people);
  let seconds = 0;
  const used = await stack.metered(async () => {
    seconds = await sendStep(stack, id);
  });
  const steps = usedBy(used, 'send-steps');
  return [
    {
      what: `a step of a sequence, ${round(people)} people due in the same minute`,
      figure: people / seconds,
      unit: 'people/s',
      details: `enrolled ${round(enrolled)}/s`,
    },
    {
      what: 'the same, work per person and step',
      figure: steps.capacity.write / people,
      unit: 'write units',
      details: consumedBy(steps, people, 'person and step'),
    },
  ];
}

/** Enrols new contacts in a new sequence whose first step is due after an hour; returns how many a second. */
export async function enrol(stack: BenchStack, people: number): Promise<{ id: number; enrolled: number }> {
  const contacts = newContacts(people);
  const emails = contacts.map(({ email }) => email);
  for (let at = 0; at < people; at += perRequest)
    await accepted(stack.call('POST', '/contacts/bulk', { contacts: contacts.slice(at, at + perRequest) }));
  const fields = { name: 'Bench', from_email: `hello@${senderDomain}` };
  const { id } = await accepted(stack.call('POST', '/sequences', fields));
  const step = { subject: 'Hello', html_content: html, delay_value: 1, delay_unit: 'hours' };
  const steps = [step, { ...step, subject: 'Again', delay_value: 300, delay_unit: 'days' }];
  await accepted(stack.call('PUT', `/sequences/${id}/steps`, { steps }));
  await accepted(stack.call('PATCH', `/sequences/${id}`, { status: 'active' }));
  const begun = performance.now();
  for (let at = 0; at < people; at += perRequest)
    await accepted(stack.call('POST', `/sequences/${id}/subscribers`, { emails: emails.slice(at, at + perRequest) }));
  const enrolled = people / ((performance.now() - begun) / 1000);
  await stack.idle();
  return { id, enrolled };
}

/** Moves the clock to the first step of a sequence, due after an hour; the seconds until everybody was sent it. */
export async function sendStep(stack: BenchStack, id: number, advance_seconds = 3_700): Promise<number> {
  const begun = performance.now();
  await stack.call('POST', '/_local/clock', { advance_seconds });
  while (await someoneIsDue(stack, id)) await sleep(100);
  return (performance.now() - begun) / 1000;
}

/** A shard is ordered by time: the last subscriber gets its step last. */
async function someoneIsDue(stack: BenchStack, sequence: number): Promise<boolean> {
  let cursor = '';
  for (;;) {
    const { body } = await stack.call('GET', `/sequences/${sequence}/subscribers?per_page=100${cursor}`);
    if (body.data.some(({ current_step }: { current_step: number }) => current_step === 1)) return true;
    if (!body.has_more) return false;
    cursor = `&cursor=${body.next_cursor}`;
  }
}
