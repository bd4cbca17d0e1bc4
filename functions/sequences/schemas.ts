import * as z from 'zod';
import * as sequences from '../../shared/data/sequences/sequences.ts';
import {
  delayMs,
  delayUnits,
  maxSteps,
  sequenceStatuses,
  subscriberStatuses,
  triggerTypes,
} from '../../shared/domain/sequences/sequence.ts';
import type { ShownStep } from '../../shared/flows/sequences/save-steps.ts';
import { bodyText } from '../../shared/http/content-schemas.ts';
import { pathRecord } from '../../shared/http/endpoint.ts';
import { address, email, id, recordId, singleLine, time } from '../../shared/http/schemas.ts';

const status = z.enum(sequenceStatuses).meta({ id: 'SequenceStatus' });
const trigger = z.enum(triggerTypes).meta({ id: 'SequenceTrigger' });
const delayUnit = z.enum(delayUnits).meta({ id: 'DelayUnit' });
const beyond = { description: 'Beyond the contract' };

/** A sequence in a response. */
export const sequence = z
  .object({
    id,
    name: z.string(),
    description: z.string().nullable(),
    status,
    trigger_type: trigger.nullable(),
    subscribers_count: z.int(),
    trigger_tag_id: id.nullable().meta(beyond),
    trigger_list_id: id.nullable().meta(beyond),
    trigger_waitlist_id: id.nullable().meta(beyond),
    from_email: address.nullable().meta(beyond),
    from_name: z.string().nullable().meta(beyond),
    reply_to: address.nullable().meta(beyond),
  })
  .meta({ id: 'Sequence' });

const sequenceFields = z.object({
  name: singleLine(255).optional(),
  description: z
    .string()
    .trim()
    .max(2_000)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
    .nullish(),
  trigger_type: trigger.nullish().describe('`manual` unless given'),
  trigger_tag_id: recordId.nullish().describe('For `tag_added`'),
  trigger_list_id: recordId.nullish().describe('For `list_joined`'),
  trigger_waitlist_id: recordId.nullish().describe('For `waitlist_signup`'),
  from_email: email.nullish(),
  from_name: singleLine(100, 0).nullish(),
  reply_to: email.nullish(),
});

/** What creation takes. */
export const sequenceInput = sequenceFields.extend({ name: singleLine(255) }).meta({ id: 'SequenceInput' });

/** What a PATCH takes; absent fields stay. */
export const sequencePatch = sequenceFields.extend({ status: status.optional() }).meta({ id: 'SequencePatch' });

/** A step in a response. */
const step = z
  .object({
    id,
    position: z.int(),
    delay_value: z.int(),
    delay_unit: delayUnit,
    subject: z.string().nullable(),
    html_content: z.string().nullable(),
    template_id: id.nullable(),
  })
  .meta({ id: 'SequenceStep' });

/** The steps of a sequence in a response. */
export const stepList = z.object({ steps: z.array(step) }).meta({ id: 'SequenceSteps' });

const longestDelayMs = 366 * 24 * 3_600_000;

const stepInput = z
  .object({
    id: recordId
      .nullish()
      .describe('The step that it is; without it, the one that says the same or stands in its place'),
    position: z
      .int()
      .min(1)
      .max(maxSteps)
      .nullish()
      .describe('From 1; unless all have one, the order of the list counts'),
    delay_value: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('After the step before; after the enrolment for the first'),
    delay_unit: delayUnit.default('days'),
    subject: singleLine(255, 0).nullish(),
    html_content: bodyText.nullish(),
    template_id: recordId.nullish().describe('Its HTML is copied in unless `html_content` is given'),
  })
  .refine((given) => delayMs(given) <= longestDelayMs, { message: 'at most 366 days', path: ['delay_value'] })
  .meta({ id: 'SequenceStepInput' });

type StepGiven = z.output<typeof stepInput>;

const ordered = (given: readonly StepGiven[]): given is (StepGiven & { position: number })[] =>
  given.every(({ position }) => typeof position === 'number');

/** What replaces a sequence's steps: by position where all have one, else as they come. */
export const stepsInput = z
  .object({
    steps: z
      .array(stepInput)
      .min(1, 'at least one step')
      .max(maxSteps, `at most ${maxSteps} steps`)
      .superRefine((given, context) => {
        if (!ordered(given)) return;
        const positions = given.map(({ position }) => position);
        for (const [index, position] of positions.entries())
          if (position > given.length || positions.indexOf(position) < index)
            context.addIssue({
              code: 'custom',
              message: `positions count from 1 to ${given.length}, each once`,
              path: [index, 'position'],
            });
      })
      .transform((given) => (ordered(given) ? given.toSorted((a, b) => a.position - b.position) : given)),
  })
  .meta({ id: 'SequenceStepsInput' });

/** A contact in a sequence, in a response. */
export const subscriber = z
  .object({
    contact_id: id.nullable(),
    email: address.nullable(),
    status: z.enum(subscriberStatuses).meta({ id: 'SequenceSubscriberStatus' }),
    current_step: z.int(),
    next_run_at: time.nullable(),
    enrolled_at: time,
    completed_at: time.nullable(),
    exit_reason: z.string().nullable(),
    unknown_steps: z
      .array(id)
      .describe('Ids of the steps that SES may or may not have accepted; they are not sent again'),
  })
  .meta({ id: 'SequenceSubscriber' });

/** Steps as the API shows them. */
export const stepViews = (steps: readonly ShownStep[]): z.input<typeof step>[] =>
  steps.map(({ id, delay_value, delay_unit, subject, html_content, template_id }, index) => ({
    id,
    position: index + 1,
    ...{ delay_value, delay_unit, subject, html_content, template_id },
  }));

/** `{sequence}` in a path, and the sequence that it names, or 404. */
export const [sequenceParams, sequenceOf] = pathRecord('sequence', sequences.find);
