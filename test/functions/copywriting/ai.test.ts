import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, readyCampaign, rows } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { type Row, rawTable } from '../../support/table.ts';
import { control, keyWith, newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam({ plan: 'business' });
});

const data = mkdtempSync(join(tmpdir(), 'mailwright-allowance-'));
let stack: Stack;
beforeAll(async () => {
  // A separate stack: its table is written directly, faults are injected, and its clock is moved.
  stack = await startStack({ data });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const usage = async (of = team) => (await of.api('GET', '/ai/usage')).body.data;

describe('POST /ai/polish', () => {
  const polish = (body: object, of = team, headers?: Record<string, string>) =>
    of.api('POST', '/ai/polish', body, headers);

  it('improves the text, keeps markup, links and merge tags, and reports its changes', async () => {
    const content =
      '<p style="color:#333">Dear {{first_name | default: "you"}}, in order to <a ' +
      'href="https://example.com/in order to">utilize</a> it, ACT NOW!!!</p>';
    const { status, body } = await polish({ content, tone: 'professional', goal: 'clarity' });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: expect.any(Number),
      tweaked_content:
        '<p style="color:#333">Dear {{first_name | default: "you"}}, to <a href="https://example.com/in ' +
        'order to">use</a> it, act now!</p>',
      ai_suggestions: expect.arrayContaining([expect.stringContaining('Wrote "to" for "in order to"')]),
      quality_score: expect.any(Number),
      model_used: null,
      tokens_used: 0,
    });
  });

  it('numbers its results by team', async () => {
    const own = await newTeam();
    const ids = [];
    for (let index = 0; index < 3; index++) ids.push((await polish({ content: 'Hello' }, own)).body.data.id);
    expect(ids).toEqual([1, 2, 3]);
  });

  it('counts once per Idempotency-Key', async () => {
    const own = await newTeam({ plan: 'business' });
    const key = { 'idempotency-key': 'polish' };
    const first = await polish({ content: 'Hello' }, own, key);
    const again = await polish({ content: 'Hello' }, own, key);
    expect(again.body).toEqual(first.body);
    expect((await usage(own)).ai_tweaks).toEqual({ used: 1, limit: 1_000, remaining: 999 });
  });

  it.each([
    ['content', {}],
    ['content', { content: '' }],
    ['content', { content: ' \n ' }],
    ['content', { content: 7 }],
    ['content', { content: 'x'.repeat(180_001) }],
    ['content', { content: '<div>'.repeat(2_000) }],
    ['content', { content: '\ud800' }],
    ['tone', { content: 'x', tone: 'angry' }],
    ['goal', { content: 'x', goal: 'profit' }],
  ])('refuses a bad %s by its path, uncounted', async (path, body) => {
    const before = (await usage()).ai_tweaks.used;
    const refused = await polish(body);
    expect([refused.status, refused.body.code, Object.keys(refused.body.errors)]).toEqual([
      422,
      'validation_error',
      [path],
    ]);
    expect((await usage()).ai_tweaks.used).toBe(before);
  });

  it('needs the scope ai:write, unlike the usage', async () => {
    const reader = await keyWith(team, ['contacts:read']);
    expect((await polish({ content: 'x' }, reader)).body.code).toBe('missing_scope');
    expect((await reader.api('GET', '/ai/usage')).status).toBe(200);
    expect((await (await keyWith(team, [])).api('GET', '/ai/usage')).status).toBe(200);
  });
});

describe('the AI allowance', () => {
  const month = async () =>
    new Date((await control('GET', '/clock', undefined, stack.origin)).body.now).toISOString().slice(0, 7);
  async function teamWith(used: number, plan = 'business', more: object = {}): Promise<Team> {
    const own = await newTeam({ origin: stack.origin, plan });
    const row: Row = { pk: `TEAM#${own.id}`, sk: `USAGE#${await month()}`, ai_tweaks: used, ...more };
    await (await rawTable(data)).write([row]);
    return own;
  }

  it('is never exceeded by concurrent requests', async () => {
    const own = await teamWith(990);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => own.api('POST', '/ai/polish', { content: 'Hello there' })),
    );
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(10);
    expect(new Set(served.map(({ body }) => body.data.id)).size).toBe(10);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      expect([status, body.code]).toEqual([422, 'plan_allowance_exceeded']);
    expect((await usage(own)).ai_tweaks).toEqual({ used: 1_000, limit: 1_000, remaining: 0 });
  });

  it('takes no tokens for the embedded engine, which works when they are used up', async () => {
    const own = await teamWith(0, 'business', { ai_tokens: 5_000_000 });
    expect((await own.api('POST', '/ai/polish', { content: 'Hello' })).status).toBe(200);
    expect((await own.api('POST', '/ai/subject-lines', { subject: 'Hello' })).status).toBe(200);
    expect((await usage(own)).ai_tokens).toEqual({ used: 5_000_000, limit: 5_000_000, remaining: 0 });
  });

  it('is for polishing alone: the other tools work when it is used up', async () => {
    const own = await teamWith(1_000);
    expect((await own.api('POST', '/ai/polish', { content: 'Hello' })).body.code).toBe('plan_allowance_exceeded');
    expect((await own.api('POST', '/ai/subject-lines', { subject: 'Hello' })).status).toBe(200);
    expect((await own.api('POST', '/ai/deliverability', { content: 'Hello' })).status).toBe(200);
    expect(await usage(own)).toMatchObject({
      ai_tweaks: { used: 1_000 },
      subject_tests: { used: 1, limit: null, remaining: null },
    });
  });

  it('has no limit on a plan without one', async () => {
    const own = await teamWith(5_000, 'enterprise');
    expect((await own.api('POST', '/ai/polish', { content: 'Hello' })).status).toBe(200);
    expect((await usage(own)).ai_tweaks).toEqual({ used: 5_001, limit: null, remaining: null });
  });

  it('starts again with each month, in UTC', async () => {
    const own = await teamWith(1_000);
    const before = await usage(own);
    expect(before.period_start).toBe(`${await month()}-01T00:00:00.000+00:00`);
    const now = new Date((await control('GET', '/clock', undefined, stack.origin)).body.now).getTime();
    const seconds = Math.ceil((Date.parse(before.period_end) - now) / 1000) + 1;
    await control('POST', '/clock', { advance_seconds: seconds }, stack.origin);
    const after = await usage(own);
    expect(after.period_start).toBe(before.period_end);
    expect(after.ai_tweaks).toEqual({ used: 0, limit: 1_000, remaining: 1_000 });
    expect((await own.api('POST', '/ai/polish', { content: 'Hello' })).status).toBe(200);
  });

  it('counts every tweak while the table throttles', async () => {
    const own = await teamWith(0);
    await control(
      'POST',
      '/faults',
      { service: 'dynamodb', operation: 'TransactWriteItems', error: 'TransactionCanceledException', rate: 0.3 },
      stack.origin,
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => own.api('POST', '/ai/polish', { content: 'Hello there' })),
    );
    await control('DELETE', '/faults', undefined, stack.origin);
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThan(0);
    expect((await usage(own)).ai_tweaks.used).toBe(served.length);
  });
});

describe('GET /ai/usage', () => {
  it('shows the emails of the month beside it', async () => {
    const own = await newTeam({ plan: 'business' });
    const { campaign } = await readyCampaign(own, rows(3));
    await own.api('POST', `/campaigns/${campaign}/send`);
    await finished(own, campaign);
    const shown = await usage(own);
    expect(shown).toEqual({
      period_start: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000\+00:00$/),
      period_end: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000\+00:00$/),
      ai_tweaks: { used: 0, limit: 1_000, remaining: 1_000 },
      subject_tests: { used: 0, limit: null, remaining: null },
      emails: { used: 3, limit: 1_000_000, remaining: 999_997 },
      ai_tokens: { used: 0, limit: 5_000_000, remaining: 5_000_000 },
    });
  });
});

describe('POST /ai/subject-lines', () => {
  const test = (body: object, of = team, headers?: Record<string, string>) =>
    of.api('POST', '/ai/subject-lines', body, headers);

  it('scores, proposes, and names the winner', async () => {
    const { status, body } = await test({ subject: 'SAVE 20% ON SHOES NOW!!!' });
    expect(status).toBe(200);
    const { variations, original_score, best_score, winning_subject } = body.data;
    expect(variations.length).toBeGreaterThanOrEqual(3);
    expect(variations.length).toBeLessThanOrEqual(5);
    for (const variation of variations)
      expect(variation).toEqual({ subject: expect.any(String), score: expect.any(Number), reason: expect.any(String) });
    expect(variations[0]).toMatchObject({ subject: winning_subject, score: best_score });
    expect(best_score).toBeGreaterThan(original_score);
  });

  it('counts every test, and one per Idempotency-Key', async () => {
    const own = await newTeam({ plan: 'business' });
    const key = { 'idempotency-key': 'subject' };
    await test({ subject: 'Hello' }, own);
    await test({ subject: 'Hello' }, own, key);
    await test({ subject: 'Hello' }, own, key);
    expect((await usage(own)).subject_tests).toEqual({ used: 2, limit: null, remaining: null });
  });

  it('reports when there is too little history', async () => {
    const { body } = await test({ subject: 'Save 20% on shoes', use_history: true });
    expect(body.data.variations[0].reason).toContain('your history is too short to learn from');
    expect((await test({ subject: 'Save 20% on shoes' })).body.data.variations[0].reason).not.toContain('history');
  });

  it("learns from the team's own open rates, and from no other team's", async () => {
    const [own, other] = await Promise.all([newTeam({ origin: stack.origin }), newTeam({ origin: stack.origin })]);
    const subjects = [1, 2, 3].flatMap((day) => [`The garden on day ${day}`, `Is the garden ready on day ${day}?`]);
    const sent = [];
    for (const [index, subject] of subjects.entries()) {
      const people = rows(20, `history-${index}.example`);
      const { campaign } = await readyCampaign(own, people, { subject });
      await own.api('POST', `/campaigns/${campaign}/send`);
      sent.push({ campaign, openers: people.slice(0, subject.endsWith('?') ? 12 : 4) });
    }
    for (const { campaign } of sent) await finished(own, campaign, stack.origin);
    // An immediate open counts as a machine's.
    await control('POST', '/clock', { advance_seconds: 60 }, stack.origin);
    const events = sent.flatMap(({ campaign, openers }) =>
      openers.map(({ email }) => ({ email, event: 'opened', campaign_id: campaign })),
    );
    expect((await own.api('POST', '/events', { events })).status).toBe(200);
    const asked = { subject: 'Plan your garden before spring', use_history: true };
    const learned = (await test(asked, own)).body.data;
    const question = learned.variations.find(({ subject }: { subject: string }) => subject.endsWith('?'));
    const plain = (await test({ ...asked, use_history: false }, own)).body.data;
    const before = plain.variations.find(({ subject }: { subject: string }) => subject === question?.subject);
    expect(question.reason).toMatch(/your subjects with a question are opened \d+% more/i);
    expect(question.score).toBeGreaterThan(before.score);
    expect((await test(asked, other)).body.data.variations[0].reason).toContain('too short');
  });

  it.each([
    ['subject', {}],
    ['subject', { subject: '' }],
    ['subject', { subject: 'Two\nlines' }],
    ['subject', { subject: 'x'.repeat(256) }],
    ['use_history', { subject: 'x', use_history: 'yes' }],
  ])('refuses a bad %s by its path', async (path, body) => {
    const refused = await test(body);
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, [path]]);
  });
});

describe('POST /ai/deliverability', () => {
  const check = (body: object, of = team) => of.api('POST', '/ai/deliverability', body);
  const good =
    '<p>Hello {{first_name | default: "there"}}, our garden guide for the spring is ready. It says when to ' +
    'sow, how to water, and which plants like shade.</p><p><a href="https://example.com/guide">Read the ' +
    'guide</a></p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';

  it('passes a good message, and lists the passed checks', async () => {
    const { status, body } = await check({ content: good, subject: 'Your garden guide for the spring' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id: expect.any(Number), spam_score: 0, issues: [], verdict: 'pass' });
    expect(body.data.checks_passed.length).toBeGreaterThan(20);
    for (const passed of body.data.checks_passed)
      expect(passed).toEqual({ code: expect.any(String), message: expect.any(String) });
  });

  it('fails a bad one, with its issues, heaviest first', async () => {
    const { body } = await check({
      content: '<script>1</script><p>MAKE MONEY FAST!!! <a href="http://192.0.2.1/">bank.example</a></p>',
      subject: 'RE: YOU HAVE WON!!!',
    });
    expect(body.data.verdict).toBe('fail');
    const scores = body.data.issues.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    for (const issue of body.data.issues)
      expect(issue).toEqual({
        code: expect.any(String),
        severity: expect.stringMatching(/^(?:low|medium|high)$/),
        score: expect.any(Number),
        message: expect.any(String),
        suggestion: expect.any(String),
      });
  });

  it('judges recent bounces and complaints and the sending domain, unless the request waives it', async () => {
    const own = await newTeam();
    const people = [
      ...rows(100, 'fine.example'),
      ...Array.from({ length: 15 }, (_, index) => ({ email: `bounce+${index}@simulator.amazonses.com` })),
      ...Array.from({ length: 3 }, (_, index) => ({ email: `complaint+${index}@simulator.amazonses.com` })),
    ];
    const { campaign } = await readyCampaign(own, people);
    await own.api('POST', `/campaigns/${campaign}/send`);
    await finished(own, campaign);
    const codes = async (body: object, of = own) =>
      (await check(body, of)).body.data.issues.map(({ code }: { code: string }) => code);
    expect(await codes({ content: good })).toEqual(['bounce_rate', 'complaint_rate']);
    expect(await codes({ content: good, use_account_signals: true })).toEqual(['bounce_rate', 'complaint_rate']);
    expect(await codes({ content: good, use_account_signals: false })).toEqual([]);
    const bare = (await control('POST', '/teams', { name: 'Bare', plan: 'business', domains: [] })).body;
    expect(await codes({ content: good }, own.withKey(bare.api_key))).toEqual(['domain_unauthenticated']);
  });

  it('counts against no allowance', async () => {
    const before = await usage();
    await check({ content: good });
    expect(await usage()).toEqual(before);
  });

  it.each([
    ['content', {}],
    ['content', { content: '' }],
    ['content', { content: '<div>'.repeat(2_000) }],
    ['subject', { content: 'x', subject: 'Two\nlines' }],
    ['use_account_signals', { content: 'x', use_account_signals: 1 }],
  ])('refuses a bad %s by its path', async (path, body) => {
    const refused = await check(body);
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, [path]]);
  });

  it('accepts null for optional fields', async () => {
    const { status } = await check({ content: good, subject: null, use_account_signals: null });
    expect(status).toBe(200);
    expect((await team.api('POST', '/ai/polish', { content: 'x', tone: null, goal: null })).status).toBe(200);
  });

  it('answers within the time limit of the API for the largest content', async () => {
    const large = `<p>${'Water the garden, friends, and act now! '.repeat(4_400)}</p>`;
    expect((await check({ content: large })).status).toBe(200);
    expect((await team.api('POST', '/ai/polish', { content: large, goal: 'brevity' })).status).toBe(200);
  });
});
