import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { catalogue } from '../../functions/catalogue.ts';
import { webhookEventTypes } from '../../shared/domain/webhooks/webhook-event.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { openapi } from '../../shared/http/openapi.ts';
import { finished, readyCampaign } from '../support/campaign.ts';
import { document, faults, type Json, resolved } from '../support/document.ts';
import { fill, makeRecords, routeOf, sampleBody } from '../support/samples.ts';
import { enrol, newSequence, newStep } from '../support/sequence.ts';
import { newTeam, type Team } from '../support/team.ts';

const endpoints = Object.values(catalogue).flatMap((folder) => Object.values(folder));
const operations = new Map<string, Json>(
  endpoints.map((found) => [routeOf(found), document.paths[found.path][found.method.toLowerCase()]]),
);

/** Every object of a JSON document. */
function* objects(node: Json): Generator<Json> {
  if (typeof node !== 'object' || node === null) return;
  yield node;
  for (const part of Object.values(node)) yield* objects(part);
}

const answerSchema = (route: string, status: number): object =>
  resolved(operations.get(route).responses[status]).content['application/json'].schema;

describe('the OpenAPI document', () => {
  it('defines every reference, and uses every schema, response, header and parameter that it defines', () => {
    const references = new Set([...objects(document)].flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref])));
    for (const $ref of references) expect(resolved({ $ref }), $ref).toBeDefined();
    for (const kind of ['schemas', 'responses', 'headers', 'parameters'])
      for (const name of Object.keys(document.components[kind]))
        expect(references).toContain(`#/components/${kind}/${name}`);
  });

  it('gives every operation a unique id that can name a method', () => {
    const ids = [...operations.values()].map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
  });

  it.each(endpoints.map((found) => ({ route: routeOf(found), path: found.path })))(
    'declares the path parameters of $route and requires them',
    ({ route, path }) => {
      const declared = operations.get(route).parameters.map(resolved);
      const inPath = declared.filter((parameter: { in: string }) => parameter.in === 'path');
      expect(inPath.map(({ name }: { name: string }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const { required } of inPath) expect(required).toBe(true);
    },
  );

  it('gives query and path parameters their types', () => {
    const schemas = (route: string) =>
      Object.fromEntries(
        operations
          .get(route)
          .parameters.map(resolved)
          .map(({ name, schema }: { name: string; schema: object }) => [name, schema]),
      );
    const id = { type: 'integer', format: 'int64', minimum: 1 };
    expect(schemas('GET /contacts')).toMatchObject({
      per_page: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
      tag_id: id,
      updated_since: { type: 'string', format: 'date-time' },
      include: { type: 'array', items: { type: 'string', enum: ['tags', 'lists'] } },
    });
    expect(schemas('GET /events')).toMatchObject({
      email: { type: 'string', format: 'email' },
      include_machine_opens: { type: 'boolean', default: false },
    });
    expect(schemas('DELETE /lists/{list}/contacts/{contact}')).toMatchObject({ list: id, contact: id });
  });

  it('requires a body only for endpoints that refuse an empty one', () => {
    const required = [...operations].filter(([, { requestBody }]) => requestBody?.required === false);
    expect(required.map(([route]) => route).sort()).toEqual([
      'PATCH /contacts/{contact}',
      'PATCH /sequences/{sequence}',
      'PATCH /waitlists/{waitlist}',
      'PATCH /webhooks/{endpoint}',
      'POST /campaigns/{campaign}/report/share',
      'POST /segments/preview',
      'PUT /campaigns/{campaign}/content',
    ]);
  });

  it.each(endpoints.filter(({ body }) => body).map((found) => ({ route: routeOf(found), found })))(
    'accepts the sample body of $route',
    ({ route, found }) => {
      const { schema } = operations.get(route).requestBody.content['application/json'];
      expect(faults(schema, sampleBody(found))).toEqual([]);
    },
  );

  it('describes the webhook request of every event type', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...webhookEventTypes].sort());
    for (const [type, { post }] of Object.entries<Json>(document.webhooks)) {
      const body = resolved(post.requestBody.content['application/json'].schema);
      expect(body.properties.type.const).toBe(type);
      expect(body.required.toSorted()).toEqual(['created_at', 'data', 'id', 'type']);
      const headers = post.parameters.map((parameter: Json) => resolved(parameter).name);
      expect(headers).toEqual(['Service-Signature', 'Service-Event-Id', 'Service-Event-Type']);
    }
  });

  it.each(endpoints.map((found) => ({ route: routeOf(found), found })))(
    'has examples of $route that match their schemas, with a body that the endpoint accepts',
    ({ route, found }) => {
      const { requestBody, responses } = operations.get(route);
      for (const media of [requestBody?.content, responses[200].content].filter(Boolean)) {
        const { schema, example } = media['application/json'];
        expect(example).toBeDefined();
        expect(faults(schema, example)).toEqual([]);
      }
      if (found.body) expect(() => found.body.parse(requestBody.content['application/json'].example)).not.toThrow();
    },
  );

  it('has what Postman and Bruno import: server, security schemes, folders, unique summaries, response schemas', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Mailwright', version: '1.0.0' } });
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual(['/v1']);
    const schemes = Object.keys(document.components.securitySchemes);
    expect(document.security.flatMap(Object.keys)).toEqual(schemes);
    const folders = document.tags.map(({ name }: { name: string }) => name);
    const titles = new Set<string>();
    for (const { summary, tags, responses } of operations.values()) {
      expect(folders).toContain(tags[0]);
      expect(summary).toMatch(/^[A-Z].{5,}[^.]$/);
      titles.add(`${tags[0]}: ${summary}`);
      expect(responses[200].content['application/json'].schema).toBeDefined();
    }
    expect(titles.size).toBe(operations.size);
  });

  it('leaves answers open to new fields', () => {
    for (const node of objects(document)) expect(node.additionalProperties).not.toBe(false);
  });

  it('refuses two different schemas with one name', () => {
    const named = (path: string, response: z.ZodType) =>
      endpoint({ method: 'GET', path, scope: 'any-key', summary: '', response, handle: () => undefined });
    const [number, text] = [z.object({ a: z.int() }), z.object({ a: z.string() })];
    const folder = {
      one: named('/one', number.meta({ id: 'Thing' })),
      two: named('/two', text.meta({ id: 'Thing' })),
    };
    expect(() => openapi({ folder })).toThrow('two different schemas are named Thing');
  });
});

describe('real responses match the document', () => {
  let team: Team;
  let values: Record<string, string | number>;

  beforeAll(async () => {
    team = await newTeam();
    values = await makeRecords(team);
    const bounced = { email: 'bounce@simulator.amazonses.com', first_name: 'Bo', metadata: { city: 'Oslo', n: [1] } };
    const { list, campaign } = await readyCampaign(team, [{ email: 'ann@example.com' }, bounced], {
      audience_filters: { search: 'e', date_from: '2020-01-01' },
      reply_to: `reply@${team.domain}`,
    });
    expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
    expect((await finished(team, campaign)).status).toBe('sent');
    await team.api('POST', `/contacts/${values.contact}/tags`, [values.tag]);
    const sequence = await newSequence(team, [newStep('Later', 1)]);
    await enrol(team, sequence, ['ann@example.com']);
    values = { ...values, list, campaign, sequence };
  });

  it.each(endpoints.filter(({ method }) => method === 'GET').map((found) => ({ route: routeOf(found), found })))(
    '$route',
    async ({ route, found }) => {
      const include = route === 'GET /contacts' ? '?include=tags,lists' : '';
      const { status, body } = await team.api('GET', `${fill(found, values)}${include}`);
      expect(status).toBe(200);
      // Webhook deliveries are compared with the document in test/functions/webhooks/webhooks.test.ts.
      if (found.query && !found.path.endsWith('/deliveries')) expect(body.data.length).toBeGreaterThan(0);
      expect(faults(answerSchema(route, 200), body)).toEqual([]);
    },
  );

  it.each(endpoints.filter(({ method, params }) => method === 'POST' && !params))('$method $path', async (found) => {
    const { status, body } = await team.api('POST', found.path, sampleBody(found, team));
    expect(status).toBe(200);
    expect(faults(answerSchema(routeOf(found), status), body)).toEqual([]);
  });

  it('or the check names the difference', async () => {
    const { body } = await team.api('GET', '/contacts');
    body.data[0].created_at = 'yesterday';
    expect(faults(answerSchema('GET /contacts', 200), body).join()).toContain('data.0.created_at');
  });

  it('for errors: unauthenticated, not found, refused fields, blockers', async () => {
    const { id } = (await team.api('POST', '/campaigns', { name: 'Empty' })).body.data;
    const answers = [
      ['GET /contacts', await team.withKey('mw_live_wrong').api('GET', '/contacts')],
      ['GET /lists/{list}', await team.api('GET', '/lists/999999')],
      ['POST /contacts', await team.api('POST', '/contacts', { email: 'no address' })],
      ['POST /campaigns/{campaign}/send', await team.api('POST', `/campaigns/${id}/send`)],
    ] as const;
    expect(answers.map(([, { status }]) => status)).toEqual([401, 404, 422, 422]);
    expect(answers[3][1].body.blockers.length).toBeGreaterThan(0);
    for (const [route, { status, body }] of answers) expect(faults(answerSchema(route, status), body)).toEqual([]);
  });

  it('and the API serves the same document', async () => {
    const { body } = await team.api('GET', '/openapi.json');
    expect(body).toEqual({ ...document, servers: [{ url: expect.stringMatching(/^http.*\/v1$/) }] });
  });

  it('which may be kept for five minutes, and is not sent again to who has it', async () => {
    const { headers } = await team.api('GET', '/openapi.json');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const etag = headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await team.api('GET', '/openapi.json', undefined, { 'if-none-match': known });
      expect([known, again.status, again.headers.get('etag'), again.body]).toEqual([known, 304, etag, '']);
    }
    const changed = await team.api('GET', '/openapi.json', undefined, { 'if-none-match': '"other"' });
    expect(changed.status).toBe(200);
    expect((await team.api('GET', '/me')).headers.get('cache-control')).toBe('no-store');
  });
});
