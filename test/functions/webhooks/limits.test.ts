import { describe, expect, it } from 'vitest';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam, type Team } from '../../support/team.ts';

useSharedTable();

const hosts = ['93.184.215.14', '93.184.215.15', '93.184.215.16'];
const create = (team: Team, url: string) => team.api('POST', '/webhooks', { url, events: ['webhook.test'] });
const createMany = (team: Team, count: number, host: (index: number) => string) =>
  Promise.all(Array.from({ length: count }, (_, index) => create(team, `https://${host(index)}/hook-${index}`)));
const counted = (answers: { status: number }[]) => answers.filter(({ status }) => status === 200).length;

describe('endpoints of a team', () => {
  it('are ten of a host at most, also when many are created at once, whatever the port', async () => {
    const team = await newTeam();
    const answers = await createMany(team, 13, (index) => `${hosts[0]}:${index % 2 ? 8443 : 443}`);
    expect(counted(answers)).toBe(10);
    for (const { status, body } of answers.filter(({ status }) => status !== 200))
      expect([status, body.code, Object.keys(body.errors)]).toEqual([422, 'validation_error', ['url']]);
    const elsewhere = await create(team, `https://${hosts[1]}/`);
    expect(elsewhere.status).toBe(200);
    const move = (url: string) => team.api('PATCH', `/webhooks/${elsewhere.body.data.id}`, { url });
    expect((await move(`https://${hosts[0]}/moved`)).body.code).toBe('validation_error');
    expect((await move(`https://${hosts[1]}/moved`)).body.data.url).toBe(`https://${hosts[1]}/moved`);
    const [{ id }] = await team.data('GET', '/webhooks?per_page=2').then((rows) => rows.slice(1));
    await team.data('DELETE', `/webhooks/${id}`);
    expect((await move(`https://${hosts[0]}/moved`)).status).toBe(200);
  });

  it('are twenty at most, also when many are created at once', async () => {
    const team = await newTeam();
    const answers = await createMany(team, 23, (index) => hosts[index % 3]!);
    expect(counted(answers)).toBe(20);
    for (const { status, body } of answers.filter(({ status }) => status !== 200))
      expect([status, body.code]).toEqual([422, 'not_applicable']);
    const list = await team.data('GET', '/webhooks?per_page=100');
    expect(list).toHaveLength(20);
    await team.data('DELETE', `/webhooks/${list[0].id}`);
    expect((await create(team, `https://${hosts[0]}/again`)).status).toBe(200);
  });

  it('beyond these limits, from an earlier version, may still be changed', async () => {
    const team = await newTeam();
    const { id } = (await create(team, `https://${hosts[0]}/`)).body.data;
    const stored = await table.get<table.Item>(keys.webhook(team.id, id));
    const more = Array.from({ length: 24 }, (_, index) => ({ ...stored, ...keys.webhook(team.id, 100 + index) }));
    await table.batchPut(more.map((item, index) => ({ ...item, id: 100 + index })));
    const changed = await team.api('PATCH', '/webhooks/110', { url: `https://${hosts[0]}/other` });
    expect([changed.status, changed.body.data.url]).toEqual([200, `https://${hosts[0]}/other`]);
    expect((await team.api('PATCH', '/webhooks/110', { url: `https://${hosts[1]}/` })).status).toBe(200);
    expect((await create(team, `https://${hosts[1]}/`)).body.code).toBe('not_applicable');
  });
});
