import { createHash, randomUUID } from 'node:crypto';
import * as templates from '../../data/messages/templates.ts';
import * as sequences from '../../data/sequences/sequences.ts';
import * as stored from '../../data/sequences/steps.ts';
import { type FieldErrors, NotFound, ValidationError } from '../../domain/errors.ts';
import { hasUnsubscribeTag } from '../../domain/messages/merge-tags.ts';
import { checkContent } from '../../domain/messages/screening.ts';
import { type DelayUnit, identifySteps, type Step } from '../../domain/sequences/sequence.ts';
import { requireSender } from '../../domain/teams/scopes.ts';
import { timestamp } from '../../domain/time.ts';
import { templateHtml } from '../messages/compose-body.ts';
import { checkSteps, type Editor } from './save-sequence.ts';

/** All bodies together: one response has to hold them (Lambda: 6 MB). */
const maxBytes = 4_000_000;

/** A requested step; its index in the list is its position. */
export interface StepInput {
  id?: number | null | undefined;
  delay_value: number;
  delay_unit: DelayUnit;
  subject?: string | null | undefined;
  html_content?: string | null | undefined;
  template_id?: number | null | undefined;
}

/** A requested step with its HTML: its own, or its template's. */
interface Prepared extends Pick<Step, 'delay_value' | 'delay_unit' | 'subject' | 'template_id' | 'body_hash'> {
  id: number | null | undefined;
  html: string | undefined;
}

/** The fields of a step that no edit changes. */
type Identity = Pick<Step, 'id' | 'created_at' | 'put_before'>;

/** A step with its body. */
export type ShownStep = Step & { html_content: string | null };

/** A sequence's steps with their bodies, in order. */
export async function readSteps(teamId: number, sequenceId: number): Promise<ShownStep[]> {
  const { steps } = await stored.find(teamId, sequenceId);
  const ids = steps.map(({ body_id }) => body_id);
  const bodies = await stored.bodies(teamId, sequenceId, ids);
  return steps.map((step, index) => ({ ...step, html_content: bodies[index] ?? null }));
}

/**
 * Replaces a sequence's steps; present ones keep their identity (identifySteps), and templates are copied. Throws 404,
 * 403 for an active sequence that the key may not send, and 422 for unknown ids and templates, for too many bytes, and
 * for what an active sequence would lack.
 */
export async function saveSteps(
  { teamId, scopes }: Editor,
  sequenceId: number,
  given: readonly StepInput[],
): Promise<ShownStep[]> {
  const prepared = await prepare(teamId, given);
  const saved = await sequences.change(teamId, sequenceId, async (sequence) => {
    const active = sequence.status === 'active';
    if (active) requireSender(scopes, 'the sequence is active');
    const before = await stored.find(teamId, sequenceId);
    const known = identify(before.steps, prepared);
    let last_id = before.last_id;
    const steps = prepared.map((step, index) => {
      const behind = known.slice(index).flatMap((other) => other?.id ?? []);
      return toStep(step, known[index] ?? { id: ++last_id, created_at: timestamp(), put_before: behind });
    });
    if (active) checkSteps(steps);
    if (active) for (const { html } of prepared) checkContent({ html_content: html });
    const kept = new Set(before.steps.map(({ body_id }) => body_id));
    const fresh = steps.flatMap(({ body_id }, index) => (body_id && !kept.has(body_id) ? [{ body_id, index }] : []));
    await Promise.all(
      fresh.map(({ body_id, index }) => stored.putBody(teamId, sequenceId, body_id, prepared[index]!.html!)),
    );
    const now = new Set(steps.map(({ body_id }) => body_id));
    const unused = [...kept].flatMap((id) => (id && !now.has(id) ? [id] : []));
    return {
      result: { steps, unused },
      after: { ...sequence, updated_at: timestamp() },
      writes: [stored.replace(teamId, sequenceId, { steps, last_id })],
    };
  });
  if (!saved) throw new NotFound('sequence');
  await stored.removeBodies(teamId, sequenceId, saved.unused);
  return saved.steps.map((step, index) => ({ ...step, html_content: prepared[index]!.html ?? null }));
}

async function prepare(teamId: number, given: readonly StepInput[]): Promise<Prepared[]> {
  const errors: FieldErrors = {};
  const prepared = await Promise.all(
    given.map(async ({ id, delay_value, delay_unit, subject, html_content, template_id }, index): Promise<Prepared> => {
      const template = template_id ? await templates.find(teamId, template_id) : undefined;
      if (template_id && !template) errors[`steps.${index}.template_id`] = ['no such template'];
      const html = html_content || (template && (await templateHtml(teamId, template))) || undefined;
      const body_hash = html && createHash('sha256').update(html).digest('base64url');
      const own = { subject: subject || null, template_id: template_id ?? null };
      return { id, delay_value, delay_unit, ...own, html, body_hash };
    }),
  );
  const bytes = prepared.reduce((sum, { html = '' }) => sum + Buffer.byteLength(html), 0);
  if (bytes > maxBytes) errors.steps = [`at most ${maxBytes} bytes of HTML in all steps together`];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return prepared;
}

/** The present step of each requested one; throws 422 on an id that is unknown or comes twice. */
function identify(before: readonly Step[], given: readonly Prepared[]): (Step | undefined)[] {
  const ids = before.map(({ id }) => id);
  const errors = given.flatMap(({ id }, index): [string, string[]][] => {
    if (!id) return [];
    if (!ids.includes(id)) return [[`steps.${index}.id`, ['no such step of this sequence']]];
    return given.findIndex((step) => step.id === id) < index ? [[`steps.${index}.id`, ['comes twice']]] : [];
  });
  if (errors.length > 0) throw new ValidationError(Object.fromEntries(errors));
  const asked = given.map(({ id, subject, body_hash }) => ({ id, subject, body_hash }));
  return identifySteps(before, asked);
}

function toStep({ html, id: _id, ...step }: Prepared, known: Identity & Partial<Step>): Step {
  const { id, created_at, put_before } = known;
  const sameBody = known.body_hash === step.body_hash ? known.body_id : undefined;
  return {
    ...{ ...step, id, created_at, put_before },
    body_id: html === undefined ? undefined : (sameBody ?? randomUUID()),
    has_unsubscribe_link: html !== undefined && hasUnsubscribeTag(html),
  };
}
