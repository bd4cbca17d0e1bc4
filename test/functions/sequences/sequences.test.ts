import { beforeAll, describe, expect, inject, it } from 'vitest';
import { everyRow, idle } from '../../support/campaign.ts';
import {
  enrol,
  newContacts,
  newSequence,
  newStep,
  stepHtml,
  stepsSent,
  subscribersOf,
} from '../../support/sequence.ts';
import { call, newTeam, type Team } from '../../support/team.ts';

let team: Team;
let other: Team;

beforeAll(async () => {
  [team, other] = await Promise.all([newTeam(), newTeam()]);
});

const later = [newStep('Later', 1)];
const patch = (sequence: number, body: object) => team.api('PATCH', `/sequences/${sequence}`, body);
const steps = (sequence: number) => `/sequences/${sequence}/steps`;

describe('a sequence', () => {
  it('is created as a draft with the given fields', async () => {
    const given = {
      name: 'Welcome',
      description: 'For new people',
      from_email: 'Hello@Sender.example',
      from_name: 'Us',
    };
    const { body } = await team.api('POST', '/sequences', { ...given, reply_to: 'reply@sender.example' });
    const shown = {
      id: expect.any(Number),
      ...given,
      from_email: 'hello@sender.example',
      reply_to: 'reply@sender.example',
      status: 'draft',
      trigger_type: 'manual',
      subscribers_count: 0,
      trigger_tag_id: null,
      trigger_list_id: null,
      trigger_waitlist_id: null,
    };
    expect(body.data).toEqual(shown);
    expect((await team.api('GET', `/sequences/${body.data.id}`)).body.data).toEqual(shown);
    expect((await everyRow(team, '/sequences'))[0]).toEqual(shown);
  });

  it('keeps fields that a PATCH omits, and clears null ones', async () => {
    const sequence = await newSequence(team, later, { status: 'draft', description: 'Old', from_name: 'Us' });
    const { body } = await patch(sequence, { description: null, name: 'New' });
    expect(body.data).toMatchObject({ name: 'New', description: null, from_name: 'Us', status: 'draft' });
  });

  it("refuses a tag, list or waitlist that is not the team's, by its field", async () => {
    const foreign = (await other.api('POST', '/tags', { name: 'Foreign' })).body.data.id + 1_000;
    for (const field of ['trigger_tag_id', 'trigger_list_id', 'trigger_waitlist_id']) {
      const made = await team.api('POST', '/sequences', { name: 'Any', [field]: foreign });
      expect([made.status, Object.keys(made.body.errors)]).toEqual([422, [field]]);
      const sequence = await newSequence(team, later, { status: 'draft' });
      expect(Object.keys((await patch(sequence, { [field]: foreign })).body.errors)).toEqual([field]);
    }
  });

  it('is created once per Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'sequence-once' };
    const [first, again] = [0, 1].map(() => team.api('POST', '/sequences', { name: 'Once' }, key));
    const ids = [(await first!).body.data?.id, (await again!).body.data?.id].filter(Boolean);
    expect(new Set(ids).size).toBe(1);
  });

  it('is deleted with its steps and subscribers', async () => {
    const sequence = await newSequence(team, later);
    await newContacts(team, ['gone@example.com']);
    await enrol(team, sequence, ['gone@example.com']);
    expect((await team.api('DELETE', `/sequences/${sequence}`)).body.data).toEqual({ id: sequence, deleted: true });
    for (const path of ['', '/steps', '/subscribers'])
      expect((await team.api('GET', `/sequences/${sequence}${path}`)).status).toBe(404);
    expect((await team.api('DELETE', `/sequences/${sequence}`)).status).toBe(404);
  });
});

describe('activation', () => {
  const activate = async (list: readonly object[], fields: object = {}) => {
    const sequence = await newSequence(team, list, { status: 'draft', ...fields });
    const { status, body } = await patch(sequence, { status: 'active' });
    return { status, code: body.code, message: body.message, errors: body.errors };
  };

  it('is refused while anything is missing, with everything that the steps lack', async () => {
    const bare = (await team.api('POST', '/sequences', { name: 'Bare' })).body.data.id;
    expect((await patch(bare, { status: 'active' })).body).toMatchObject({
      code: 'not_applicable',
      message: 'The sequence cannot be active: it has no steps.',
    });
    expect(
      await activate([{ subject: 'A' }, { html_content: stepHtml('B') }, { subject: 'C', html_content: '<p>C</p>' }]),
    ).toMatchObject({
      status: 422,
      code: 'not_applicable',
      message:
        'The sequence cannot be active: step 1 has no body; step 2 has no subject; ' +
        'step 3 has no unsubscribe link ({{unsubscribe_url}}).',
    });
    expect(await activate(later, { from_email: null })).toMatchObject({ status: 422, code: 'not_applicable' });
    expect(await activate(later, { from_email: 'me@elsewhere.example' })).toMatchObject({
      status: 422,
      code: 'sending_domain_unverified',
    });
    expect(await activate(later, { from_email: `me@${other.domain}` })).toMatchObject({
      code: 'sending_domain_unverified',
    });
  });

  it('is refused while the trigger has no record, or a deleted one', async () => {
    for (const [type, field] of [
      ['tag_added', 'trigger_tag_id'],
      ['list_joined', 'trigger_list_id'],
      ['waitlist_signup', 'trigger_waitlist_id'],
    ] as const)
      expect(Object.keys((await activate(later, { trigger_type: type })).errors)).toEqual([field]);
    const tag = (await team.api('POST', '/tags', { name: 'Short-lived' })).body.data.id;
    const sequence = await newSequence(team, later, {
      status: 'draft',
      trigger_type: 'tag_added',
      trigger_tag_id: tag,
    });
    await team.api('DELETE', `/tags/${tag}`);
    expect((await patch(sequence, { status: 'active' })).body.errors).toEqual({ trigger_tag_id: ['no such tag'] });
  });

  it('pauses and resumes, and never leads back to a draft', async () => {
    const sequence = await newSequence(team, later);
    for (const status of ['paused', 'paused', 'active', 'active'])
      expect((await patch(sequence, { status })).body.data.status).toBe(status);
    expect((await patch(sequence, { status: 'draft' })).body.code).toBe('not_applicable');
    const draft = await newSequence(team, later, { status: 'draft' });
    expect((await patch(draft, { status: 'paused' })).body.code).toBe('not_applicable');
  });

  it('keeps an active sequence from losing what it needs', async () => {
    const sequence = await newSequence(team, later);
    expect((await patch(sequence, { from_email: null })).body.code).toBe('not_applicable');
    expect((await team.api('PUT', steps(sequence), { steps: [{ subject: 'No body' }] })).body.code).toBe(
      'not_applicable',
    );
    expect((await team.api('GET', steps(sequence))).body.data.steps[0].subject).toBe('Later');
  });
});

describe('steps', () => {
  const put = async (sequence: number, list: readonly object[]) =>
    (await team.api('PUT', steps(sequence), { steps: list })).body;

  it('are read as they were written, and keep their ids when they are written again', async () => {
    const sequence = await newSequence(team, later, { status: 'draft' });
    const given = [
      { position: 2, delay_value: 3, delay_unit: 'hours', subject: 'Second', html_content: '<p>2</p>' },
      { position: 1, subject: 'First', template_id: 1 },
    ];
    const { steps: shown } = (await put(sequence, given)).data;
    expect(shown).toMatchObject([
      { position: 1, delay_value: 0, delay_unit: 'days', subject: 'First', template_id: 1 },
      {
        position: 2,
        delay_value: 3,
        delay_unit: 'hours',
        subject: 'Second',
        html_content: '<p>2</p>',
        template_id: null,
      },
    ]);
    expect(shown[0].html_content).toContain('<html');
    expect((await team.api('GET', steps(sequence))).body.data.steps).toEqual(shown);
    const swapped = [
      { ...shown[1], position: 1 },
      { ...shown[0], position: 2, subject: 'Mended' },
    ];
    const again = (await put(sequence, swapped)).data.steps;
    expect(again.map(({ id, subject }: { id: number; subject: string }) => [id, subject])).toEqual([
      [shown[1].id, 'Second'],
      [shown[0].id, 'Mended'],
    ]);
  });

  it('are refused with the path of the error', async () => {
    const sequence = await newSequence(team, later, { status: 'draft' });
    const paths = async (list: readonly object[]) => Object.keys((await put(sequence, list)).errors);
    expect(await paths([])).toEqual(['steps']);
    expect(await paths(Array.from({ length: 51 }, () => ({})))).toEqual(['steps']);
    expect(await paths([{ template_id: 999_999 }, { id: 77 }])).toEqual(['steps.0.template_id']);
    expect(await paths([{ id: 77 }])).toEqual(['steps.0.id']);
    expect(await paths([{ position: 1 }, { position: 3 }])).toEqual(['steps.1.position']);
    expect(await paths([{ position: 2 }, { position: 2 }])).toEqual(['steps.1.position']);
    expect(await paths([{ delay_value: 367 }])).toEqual(['steps.0.delay_value']);
    expect(await paths([{ delay_unit: 'weeks' }])).toEqual(['steps.0.delay_unit']);
    expect(await paths([{ delay_value: -1 }])).toEqual(['steps.0.delay_value']);
    expect(await paths([{ html_content: 'x'.repeat(180_001) }])).toEqual(['steps.0.html_content']);
    expect(await paths(Array.from({ length: 24 }, () => ({ html_content: 'x'.repeat(170_000) })))).toEqual(['steps']);
  });

  it('are at most fifty, each with its own body', async () => {
    const sequence = await newSequence(team, later, { status: 'draft' });
    const fifty = Array.from({ length: 50 }, (_, index) => newStep(`Step ${index} ${'x'.repeat(200)}`, 1));
    expect((await put(sequence, fifty)).data.steps).toHaveLength(50);
    const shown = (await team.api('GET', steps(sequence))).body.data.steps;
    expect(shown.map(({ subject }: { subject: string }) => subject)).toEqual(fifty.map(({ subject }) => subject));
    expect(shown[49].html_content).toContain('Step 49');
  });
});

describe('enrolment by request', () => {
  it('matches contacts by id and email, each once, and skips those not mailable or enrolled before', async () => {
    const sequence = await newSequence(team, later);
    const emails = ['a', 'b', 'pending', 'left', 'bounced', 'listed', 'deleted'].map((name) => `${name}@enrol.example`);
    const [a, b, , , bounced, , deleted] = await newContacts(team, emails);
    await team.api('PATCH', `/contacts/${emails[2]}`, { status: 'pending' });
    await team.api('PATCH', `/contacts/${emails[3]}`, { status: 'unsubscribed' });
    await team.api('POST', '/suppressions', { email: emails[4], reason: 'hard_bounce' });
    await team.api('POST', '/suppressions', { email: emails[5], reason: 'manual' });
    await team.api('DELETE', `/contacts/${deleted}`);
    expect((await team.api('GET', `/contacts/${bounced}`)).body.data.status).toBe('bounced');
    const body = {
      contact_ids: [a, a, deleted, 999_999],
      emails: [...emails, ' A@ENROL.example', 'nobody@enrol.example'],
    };
    const path = `/sequences/${sequence}/subscribers`;
    const first = await team.api('POST', path, body);
    expect(first.body.data).toEqual({ sequence_id: sequence, matched: 6, enrolled: 2, skipped: 4 });
    const again = await team.api('POST', path, { contact_ids: [a, b] });
    expect(again.body.data).toEqual({ sequence_id: sequence, matched: 2, enrolled: 0, skipped: 2 });
    const rows = await subscribersOf(team, sequence);
    expect([...rows.keys()]).toEqual(emails.slice(0, 2));
    const row = rows.get(emails[0]!);
    expect(row).toEqual({
      contact_id: a,
      email: emails[0],
      status: 'active',
      current_step: 1,
      next_run_at: expect.any(String),
      enrolled_at: expect.any(String),
      completed_at: null,
      exit_reason: null,
      unknown_steps: [],
    });
    expect(Date.parse(row.next_run_at) - Date.parse(row.enrolled_at)).toBe(86_400_000);
    expect((await team.api('GET', `/sequences/${sequence}`)).body.data.subscribers_count).toBe(2);
  });

  it('is refused while the sequence is not active, without contacts, and for over a thousand', async () => {
    const draft = await newSequence(team, later, { status: 'draft' });
    const refused = await team.api('POST', `/sequences/${draft}/subscribers`, { emails: [] });
    expect([refused.status, refused.body.code]).toEqual([422, 'not_applicable']);
    const sequence = await newSequence(team, later);
    const path = `/sequences/${sequence}/subscribers`;
    expect((await team.api('POST', path, {})).body.errors).toHaveProperty('contact_ids');
    const ids = Array.from({ length: 600 }, (_, index) => index + 1);
    const many = { contact_ids: ids, emails: ids.map((id) => `${id}@example.com`) };
    expect((await team.api('POST', path, many)).body.errors).toHaveProperty('contact_ids');
    await patch(sequence, { status: 'paused' });
    expect((await team.api('POST', path, { emails: [] })).body.code).toBe('not_applicable');
  });

  it('enrols once, and counts exactly, under concurrent requests', async () => {
    const sequence = await newSequence(team, later);
    const emails = Array.from({ length: 120 }, (_, index) => `many-${index}@enrol.example`);
    await team.api('POST', '/contacts/bulk', { contacts: emails.map((email) => ({ email })) });
    const answers = await Promise.all(Array.from({ length: 6 }, () => enrol(team, sequence, emails)));
    expect(answers.reduce((sum, { enrolled }) => sum + enrolled, 0)).toBe(120);
    expect((await team.api('GET', `/sequences/${sequence}`)).body.data.subscribers_count).toBe(120);
    expect(await everyRow(team, `/sequences/${sequence}/subscribers`)).toHaveLength(120);
  });

  it('repeats its answer under the same Idempotency-Key', async () => {
    const sequence = await newSequence(team, later);
    await newContacts(team, ['key@enrol.example']);
    const key = { 'idempotency-key': 'enrol-once' };
    const ask = () => team.api('POST', `/sequences/${sequence}/subscribers`, { emails: ['key@enrol.example'] }, key);
    expect((await ask()).body.data.enrolled).toBe(1);
    expect((await ask()).body.data.enrolled).toBe(1);
  });
});

describe('removal', () => {
  it('stops pending steps; `removed` is false for a contact that was never enrolled or has ended', async () => {
    const sequence = await newSequence(team, later);
    const [id, never] = await newContacts(team, ['leaves@example.com', 'never@example.com']);
    await enrol(team, sequence, ['leaves@example.com']);
    const remove = async (contact: number) =>
      (await team.api('DELETE', `/sequences/${sequence}/subscribers/${contact}`)).body.data;
    expect(await remove(id!)).toEqual({ sequence_id: sequence, contact_id: id, removed: true });
    expect((await subscribersOf(team, sequence)).get('leaves@example.com')).toMatchObject({
      status: 'exited',
      exit_reason: 'removed',
      next_run_at: null,
    });
    expect(await remove(id!)).toEqual({ sequence_id: sequence, contact_id: id, removed: false });
    expect(await remove(never!)).toEqual({ sequence_id: sequence, contact_id: never, removed: false });
    expect((await team.api('DELETE', `/sequences/${sequence}/subscribers/999999`)).status).toBe(404);
    expect((await enrol(team, sequence, ['leaves@example.com'])).enrolled).toBe(0);
  });
});

describe('a step without delay', () => {
  it('is sent at once, tracked, with its own unsubscribe link, and reported as an event of its contact', async () => {
    const sequence = await newSequence(team, [newStep('Hi {{first_name}}')], {
      from_name: 'Us',
      reply_to: 'reply@example.com',
    });
    const [id] = await newContacts(team, ['now@example.com'], { first_name: 'Nora' });
    await enrol(team, sequence, ['now@example.com']);
    await idle(inject('origin'), team);
    const [message] = await stepsSent(team, sequence, inject('origin'));
    expect(message).toMatchObject({ to: 'now@example.com', subject: 'Hi Nora', reply_to: 'reply@example.com' });
    expect(message!.from).toContain('Us');
    expect(message!.tags).toMatchObject({ contact: String(id), step: '1' });
    expect(message!.text).toContain('Nora');
    const events = await everyRow(team, '/events?email=now@example.com');
    expect(events).toMatchObject([
      { event: 'delivered', campaign_id: null, contact_id: id, metadata: { sequence_id: sequence } },
    ]);
  });

  it("offers to unsubscribe by the page's button and by one click, which ends every sequence", async () => {
    const first = await newSequence(team, [newStep('Bye'), newStep('Never', 1)]);
    const second = await newSequence(team, later);
    await newContacts(team, ['bye@example.com']);
    for (const sequence of [first, second]) await enrol(team, sequence, ['bye@example.com']);
    await idle(inject('origin'), team);
    const [message] = await stepsSent(team, first, inject('origin'));
    const url = message!.headers['List-Unsubscribe']!.slice(1, -1);
    expect(message!.html).toContain(url);
    const page = await call(url);
    expect([page.status, page.body.includes('bye@example.com')]).toEqual([200, true]);
    expect((await team.api('GET', '/contacts/bye@example.com')).body.data.status).toBe('active');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await call(url, 'POST', 'List-Unsubscribe=One-Click', form)).status).toBe(200);
    expect((await team.api('GET', '/contacts/bye@example.com')).body.data.status).toBe('unsubscribed');
    await idle(inject('origin'), team);
    for (const sequence of [first, second])
      expect((await subscribersOf(team, sequence)).get('bye@example.com')).toMatchObject({
        status: 'exited',
        exit_reason: 'unsubscribed',
      });
  });
});

describe('a trigger', () => {
  const settled = (of = team) => idle(inject('origin'), of);
  const inside = async (sequence: number) => {
    await settled();
    return [...(await subscribersOf(team, sequence)).keys()].sort();
  };
  const record = async (kind: string, name: string, fields: object = {}) =>
    (await team.api('POST', `/${kind}`, { name, ...fields })).body.data.id as number;

  it('enrols contacts that get the tag by any request, and none that has it already', async () => {
    const tag = await record('tags', 'Triggers');
    await newContacts(team, ['before@tag.example'], { tag_ids: [tag] });
    await settled();
    const fields = { trigger_type: 'tag_added', trigger_tag_id: tag };
    const sequence = await newSequence(team, later, fields);
    await newContacts(team, ['created@tag.example'], { tag_ids: [tag] });
    await newContacts(team, ['added@tag.example', 'patched@tag.example', 'bulk@tag.example', 'other@tag.example']);
    await team.api('POST', '/contacts/added@tag.example/tags', { tag_ids: [tag] });
    await team.api('PATCH', '/contacts/patched@tag.example', { tag_ids: [tag] });
    await team.api('POST', '/contacts/bulk', { contacts: [{ email: 'bulk@tag.example' }], tag_ids: [tag] });
    await team.api('PATCH', '/contacts/before@tag.example', { first_name: 'Still' });
    expect(await inside(sequence)).toEqual(
      ['added', 'bulk', 'created', 'patched'].map((name) => `${name}@tag.example`),
    );
  });

  it('enrols contacts that join the list, a pending one after its confirmation', async () => {
    const list = await record('lists', 'Double', { opt_in_mode: 'double' });
    const sequence = await newSequence(team, later, { trigger_type: 'list_joined', trigger_list_id: list });
    await newContacts(team, ['pending@list.example'], { list_ids: [list] });
    expect((await team.api('GET', '/contacts/pending@list.example')).body.data.status).toBe('pending');
    expect(await inside(sequence)).toEqual([]);
    await team.api('PATCH', '/contacts/pending@list.example', { status: 'active' });
    const [id] = await newContacts(team, ['attached@list.example']);
    await team.api('POST', `/lists/${list}/contacts`, { contact_ids: [id] });
    expect(await inside(sequence)).toEqual(['attached@list.example', 'pending@list.example']);
  });

  it('enrols every new contact', async () => {
    const own = await newTeam();
    const sequence = await newSequence(own, later, { trigger_type: 'contact_created' });
    const contacts = Array.from({ length: 70 }, (_, index) => ({ email: `new-${index}@created.example` }));
    await own.api('POST', '/contacts/bulk', { contacts });
    await newContacts(own, ['new-0@created.example']);
    await settled(own);
    expect((await subscribersOf(own, sequence)).size).toBe(70);
    expect((await own.api('GET', `/sequences/${sequence}`)).body.data.subscribers_count).toBe(70);
  });

  it('enrols a contact on the waitlist, whether the contact or the signup came first', async () => {
    const waitlist = await record('waitlists', 'Queue');
    const fields = { trigger_type: 'waitlist_signup', trigger_waitlist_id: waitlist };
    const sequence = await newSequence(team, later, fields);
    const signUp = (email: string) => team.api('POST', `/waitlists/${waitlist}/signups`, { email });
    await newContacts(team, ['contact@queue.example']);
    await signUp('contact@queue.example');
    await signUp('signup@queue.example');
    expect(await inside(sequence)).toEqual(['contact@queue.example']);
    await newContacts(team, ['signup@queue.example', 'neither@queue.example']);
    expect(await inside(sequence)).toEqual(['contact@queue.example', 'signup@queue.example']);
  });

  it('enrols no contact while the sequence is paused, except by request', async () => {
    const tag = await record('tags', 'Paused');
    const sequence = await newSequence(team, later, { trigger_type: 'tag_added', trigger_tag_id: tag });
    await patch(sequence, { status: 'paused' });
    await newContacts(team, ['paused@tag.example'], { tag_ids: [tag] });
    expect(await inside(sequence)).toEqual([]);
    await patch(sequence, { status: 'active' });
    await enrol(team, sequence, ['paused@tag.example']);
    expect(await inside(sequence)).toEqual(['paused@tag.example']);
  });
});

describe('a contact that', () => {
  it.each([
    [
      'unsubscribes',
      'unsubscribed',
      (email: string) => team.api('PATCH', `/contacts/${email}`, { status: 'unsubscribed' }),
    ],
    ['bounces', 'bounced', (email: string) => team.api('POST', '/events', { events: [{ email, event: 'bounced' }] })],
    [
      'complains',
      'complained',
      (email: string) => team.api('POST', '/events', { events: [{ email, event: 'spam_report' }] }),
    ],
    [
      'is suppressed for an unsubscription',
      'unsubscribed',
      (email: string) => team.api('POST', '/suppressions', { email, reason: 'unsubscribe' }),
    ],
    ['is deleted', 'deleted', (email: string) => team.api('DELETE', `/contacts/${email}`)],
  ])('%s exits', async (name, reason, act) => {
    const sequence = await newSequence(team, later);
    const email = `${name.replaceAll(' ', '-')}@leaves.example`;
    await newContacts(team, [email]);
    await enrol(team, sequence, [email]);
    expect((await act(email)).status).toBe(200);
    await idle(inject('origin'), team);
    expect((await subscribersOf(team, sequence)).get(email)).toMatchObject({
      status: 'exited',
      exit_reason: reason,
      next_run_at: null,
    });
  });

  it('is erased leaves a row without its address, and may enrol as another contact', async () => {
    const sequence = await newSequence(team, later);
    const email = 'erased@leaves.example';
    const [before] = await newContacts(team, [email]);
    await enrol(team, sequence, [email]);
    expect((await team.api('POST', `/contacts/${before}/erase`)).status).toBe(200);
    const [row, ...others] = await everyRow(team, `/sequences/${sequence}/subscribers`);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ contact_id: null, email: null, status: 'exited', exit_reason: 'erased' });
    await newContacts(team, [email]);
    expect((await enrol(team, sequence, [email])).enrolled).toBe(1);
    expect(await everyRow(team, `/sequences/${sequence}/subscribers`)).toHaveLength(2);
  });
});
