import { signingKey, withSigningKeys } from '../../shared/data/signing-key.ts';
import * as teams from '../../shared/data/teams/teams.ts';
import * as referrals from '../../shared/data/waitlists/referrals.ts';
import * as signups from '../../shared/data/waitlists/signups.ts';
import * as waitlists from '../../shared/data/waitlists/waitlists.ts';
import { emailFault, normalizeEmail } from '../../shared/domain/email-address.ts';
import { NotApplicable } from '../../shared/domain/errors.ts';
import { openToken, signToken } from '../../shared/domain/signed-token.ts';
import { slugPattern } from '../../shared/domain/waitlists/waitlist.ts';
import { signUpOnPage } from '../../shared/flows/waitlists/sign-up-on-page.ts';
import type { PageRequest, PageRoute } from '../../shared/http/pages.ts';
import {
  type FormInput,
  type Host,
  type LinkKind,
  mailedPage,
  nowhere,
  statusPage,
  waitlistPage,
} from './waitlist-views.ts';

const formPath = '/w/{slug}';
const statusPath = '/w/{slug}/{token}';
const linkKinds = ['invitation', 'place', 'signup'] as const satisfies LinkKind[];

/** The waitlist of the request's slug. */
async function hostOf({ params: { slug = '' } }: PageRequest): Promise<Host | undefined> {
  const found = slugPattern.test(slug) ? await waitlists.findBySlug(slug) : undefined;
  return found && { ...found, team: await teamName(found.teamId) };
}

const teamName = async (teamId: number): Promise<string> => (await teams.find(teamId))?.name ?? 'this sender';

/** A form field as one line, as names are stored. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const lineOf = (text: string | null): string => (text ?? '').replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();

function inputOf({ form, query }: PageRequest): FormInput {
  const [email, name] = [normalizeEmail(lineOf(form.get('email'))), lineOf(form.get('name'))];
  const ref = lineOf(form.get('ref') ?? query.get('ref'))
    .slice(0, 100)
    .toWellFormed();
  return { email, name, ref, faults: {} };
}

function faultsOf({ email, name }: FormInput): FormInput['faults'] {
  const fault = email === '' ? 'your address is missing' : emailFault(email);
  return {
    ...(fault && { email: `${fault[0]!.toUpperCase()}${fault.slice(1)}. Enter one like name@example.com.` }),
    ...(name.length > 255 && { name: 'A name has at most 255 characters.' }),
  };
}

const form: PageRoute = {
  method: 'GET',
  path: formPath,
  async show(request) {
    const host = await hostOf(request);
    return host ? waitlistPage(host, inputOf(request)) : nowhere;
  },
};

/** Signs up and redirects to the page with the position; of a signup from before only its own mail tells anything. */
const enter: PageRoute = {
  method: 'POST',
  path: formPath,
  limited: true,
  async show(request) {
    const host = await hostOf(request);
    if (!host) return nowhere;
    const input = inputOf(request);
    const faults = faultsOf(input);
    if (Object.keys(faults).length > 0) return waitlistPage(host, { ...input, faults });
    const { teamId, waitlist } = host;
    try {
      const { email, name, ref } = input;
      const fields = { email, name: name || undefined, referral_code: ref || undefined };
      const signup = await signUpOnPage(teamId, waitlist.id, fields);
      if (!signup) return mailedPage(host, email);
      const token = signToken(await signingKey(), 'signup', [teamId, waitlist.id, signup.id]);
      return { redirect: `/w/${waitlist.slug}/${token}` };
    } catch (error) {
      // The waitlist is closed.
      if (!(error instanceof NotApplicable)) throw error;
      return { ...waitlistPage({ ...host, waitlist: { ...waitlist, status: 'closed' } }, input), status: 422 };
    }
  },
};

function linkOf(key: Buffer, token: string) {
  for (const kind of linkKinds) {
    const ids = openToken(key, kind, token);
    if (ids) return { kind, ids };
  }
  return undefined;
}

/** The signup of a link's token, and the kind of the link; the slug of the path may be an old one. */
async function signupOf({ params: { token = '' } }: PageRequest) {
  const link = await withSigningKeys('waitlist', (key) => linkOf(key, token));
  if (!link) return undefined;
  const { kind, ids } = link;
  const [teamId, waitlistId, signupId] = ids as [number, number, number];
  const [waitlist, signup, team] = await Promise.all([
    waitlists.find(teamId, waitlistId),
    signups.find(teamId, waitlistId, signupId),
    teamName(teamId),
  ]);
  if (!waitlist || !signup) return undefined;
  return { host: { teamId, team, waitlist }, signup, kind };
}

/** Shows the signup. A GET changes nothing, since mail scanners follow links. */
const status: PageRoute = {
  method: 'GET',
  path: statusPath,
  async show(request) {
    const found = await signupOf(request);
    if (!found) return nowhere;
    const { host, signup, kind } = found;
    const { teamId, waitlist } = host;
    const [placed] = await signups.place(teamId, waitlist.id, waitlist.version, [signup]);
    return statusPage(host, placed!, kind);
  },
};

/** Confirms the address by the button of a mail; that of an invitation joins, too, and goes on to `invite_url`. */
const press: PageRoute = {
  method: 'POST',
  path: statusPath,
  async show(request) {
    const found = await signupOf(request);
    if (!found) return nowhere;
    const { host, signup, kind } = found;
    const { teamId, waitlist } = host;
    const own = `/w/${waitlist.slug}/${request.params.token}`;
    if (kind !== 'signup') await referrals.confirm(teamId, waitlist.id, signup.id);
    if (kind !== 'invitation') return { redirect: own };
    const { status } = (await signups.join(teamId, waitlist.id, signup.id)) ?? signup;
    return { redirect: (status === 'joined' && waitlist.invite_url) || own };
  },
};

export const waitlistPages = [form, enter, status, press];
