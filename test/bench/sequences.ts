import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchStack, senderDomain } from './bench-stack.ts';
import { accepted, newContacts } from './requests.ts';
import { consumedBy, type Result, round, usedBy } from './results.ts';

const perRequest = 1_000;
const html = '<p>Hello {{first_name}}</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';

/** The speed and the cost of sending a step to subscribers that are due in the same minute. */
export async function measureSequence(stack: BenchStack, people: number): Promise<Result[]> {
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
  const enrolling = performance.now();
  for (let at = 0; at < people; at += perRequest)
    await accepted(stack.call('POST', `/sequences/${id}/subscribers`, { emails: emails.slice(at, at + perRequest) }));
  const enrolled = people / ((performance.now() - enrolling) / 1000);
  await stack.idle();
  let seconds = 0;
  const used = await stack.metered(async () => {
    const begun = performance.now();
    await stack.call('POST', '/_local/clock', { advance_seconds: 3_700 });
    while (await someoneIsDue(stack, id)) await sleep(100);
    seconds = (performance.now() - begun) / 1000;
  });
  return [
    {
      what: `a step of a sequence, ${round(people)} people due in the same minute`,
      budget: '(none)',
      figure: `${round(people / seconds)} people/s; enrolled ${round(enrolled)}/s`,
      within: true,
      consumed: consumedBy(usedBy(used, 'send-steps'), people, 'person and step'),
    },
  ];
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
