import * as z from 'zod';
import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { signupStatuses, slugPattern, waitlistStatuses } from '../../shared/domain/waitlists/waitlist.ts';
import { pathRecord } from '../../shared/http/endpoint.ts';
import { address, description, email, id, metadata, singleLine } from '../../shared/http/schemas.ts';

const status = z.enum(waitlistStatuses).meta({ id: 'WaitlistStatus' });
const slug = z.string().regex(slugPattern, 'a slug has 3 to 60 lower-case letters, digits and hyphens');

const beyond = { description: 'Beyond the contract' };

/** A waitlist in a response. */
export const waitlist = z
  .object({
    id,
    name: z.string(),
    slug: z.string(),
    status,
    public_url: z.string().meta({ format: 'uri' }),
    signups_count: z.int(),
    description: z.string().nullable().meta(beyond),
    invite_url: z.string().nullable().meta(beyond),
  })
  .meta({ id: 'Waitlist' });

/** A signup in a response. */
export const signup = z
  .object({
    id,
    email: address,
    name: z.string().nullable(),
    position: z.int().nullable(),
    status: z.enum(signupStatuses).meta({ id: 'WaitlistSignupStatus' }),
    referral_code: z.string(),
    referrals_count: z.int(),
  })
  .meta({ id: 'WaitlistSignup' });

const httpsUrl = singleLine(2_000).refine(
  (text) => URL.canParse(text) && new URL(text).protocol === 'https:',
  'an https address such as https://example.com/welcome',
);

/** What a PATCH takes; absent fields stay. */
export const waitlistPatch = z
  .object({
    name: singleLine(255).optional(),
    slug: slug.optional(),
    description: description.nullish(),
    status: status.optional(),
    invite_url: httpsUrl.nullish(),
  })
  .meta({ id: 'WaitlistPatch' });

/** What creation takes. */
export const waitlistInput = waitlistPatch.extend({ name: singleLine(255) }).meta({ id: 'WaitlistInput' });

/** What a signup takes. */
export const signupInput = z
  .object({
    email,
    name: singleLine(255, 0).nullish(),
    referral_code: singleLine(100, 0).nullish(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'WaitlistSignupInput' });

/** `{waitlist}` in a path, and the waitlist that it names, or 404. */
export const [waitlistParams, waitlistOf] = pathRecord('waitlist', waitlists.find);
