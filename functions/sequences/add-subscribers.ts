import * as z from 'zod';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { matchContacts } from '../../shared/flows/contacts/match.ts';
import { enrolContacts } from '../../shared/flows/sequences/enrol.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { email, id, recordId } from '../../shared/http/schemas.ts';
import { sequenceOf, sequenceParams } from './schemas.ts';

const limit = 1_000;

const body = z
  .object({ contact_ids: z.array(recordId).max(limit).optional(), emails: z.array(email).max(limit).optional() })
  .refine(({ contact_ids, emails }) => contact_ids !== undefined || emails !== undefined, {
    message: 'give contact_ids, emails, or both',
    path: ['contact_ids'],
  })
  .refine(({ contact_ids = [], emails = [] }) => contact_ids.length + emails.length <= limit, {
    message: `at most ${limit} contacts, by id and by email together`,
    path: ['contact_ids'],
  })
  .meta({ id: 'SequenceSubscribersInput' });

export const addSubscribers = endpoint({
  method: 'POST',
  path: '/sequences/{sequence}/subscribers',
  scope: 'contacts:write',
  summary:
    'Enrol contacts by id or email, each once; `skipped` are those who were enrolled before or may not be mailed',
  params: sequenceParams,
  body,
  response: dataOf(z.object({ sequence_id: id, matched: z.int(), enrolled: z.int(), skipped: z.int() })),

  async handle({ caller: { teamId }, params, body, operation }) {
    const sequence = await sequenceOf(teamId, params);
    if (sequence.status !== 'active') throw notActive();
    const found = await matchContacts(teamId, body);
    const enrolled = await enrolContacts(teamId, sequence.id, found, operation.id);
    if (enrolled === undefined) throw notActive();
    const matched = found.length;
    return { data: { sequence_id: sequence.id, matched, enrolled, skipped: matched - enrolled } };
  },
});

const notActive = () => new NotApplicable('The sequence is not active: it enrols nobody.');
