import { isUnconfirmed } from '../../shared/data/waitlists/referrals.ts';
import type { Placed } from '../../shared/data/waitlists/signups.ts';
import { publicUrl, type WaitlistItem } from '../../shared/data/waitlists/waitlists.ts';
import { escapeHtml } from '../../shared/domain/messages/merge-tags.ts';
import type { TokenKind } from '../../shared/domain/signed-token.ts';
import { placesPerReferral } from '../../shared/domain/waitlists/waitlist.ts';
import { html } from '../../shared/http/html.ts';
import type { Page } from '../../shared/http/pages.ts';

/** The waitlist of a page, and the name of its team. */
export interface Host {
  teamId: number;
  team: string;
  waitlist: WaitlistItem;
}

/** The link to a signup: from the page where it signed up, from the mail with its place, or from its invitation. */
export type LinkKind = Extract<TokenKind, 'signup' | 'place' | 'invitation'>;

/** The fields of the form as they were submitted, and the faults in them. */
export interface FormInput {
  email: string;
  name: string;
  ref: string;
  faults: { email?: string; name?: string };
}

/** The page of a link that leads to no waitlist. */
export const nowhere: Page = {
  status: 404,
  title: 'There is no waitlist here',
  main: '<p>Please check the link, or ask whoever gave it to you: it may have changed.</p>',
};

/** Text as paragraphs, with its line breaks. */
const paragraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((part) => `<p>${escapeHtml(part.trim()).replace(/\r?\n/g, '<br>')}</p>`)
    .join('');

const intro = ({ team, waitlist }: Host): string =>
  `<p class="quiet">A waitlist of ${escapeHtml(team)}</p>${paragraphs(waitlist.description ?? '')}`;

/** The page of a waitlist: its form with the submitted fields and their faults, or a note that it is closed. */
export function waitlistPage(host: Host, input: FormInput): Page {
  const { team, waitlist } = host;
  if (waitlist.status === 'closed')
    return {
      title: waitlist.name,
      main: `${intro(host)}<p class="note">This waitlist is closed: it takes no new signups.</p>`,
    };
  const wrong = Object.keys(input.faults).length > 0;
  const emailField =
    'type="email" autocomplete="email" required maxlength="254" spellcheck="false" autocapitalize="none"';
  return {
    status: wrong ? 422 : 200,
    title: wrong ? `Error: ${waitlist.name}` : waitlist.name,
    heading: waitlist.name,
    main: html`
      ${intro(host)}
      <form method="post">
        ${field('email', 'Email address', input, emailField)}
        ${field('name', 'Name (optional)', input, 'autocomplete="name" maxlength="255"')}
        <input type="hidden" name="ref" value="${escapeHtml(input.ref)}">
        <button>Join the waitlist</button>
      </form>
      <p class="quiet">${escapeHtml(team)} will write to this address when it is your turn.</p>`,
  };
}

function field(
  name: 'email' | 'name',
  label: string,
  { [name]: value, faults }: FormInput,
  attributes: string,
): string {
  const fault = faults[name];
  const message = fault === undefined ? '' : `<p class="wrong" id="${name}-fault">${escapeHtml(fault)}</p>`;
  const invalid = fault === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-fault" autofocus`;
  return html`
    <label for="${name}">${label}</label>
    ${message}
    <input id="${name}" name="${name}" ${attributes} value="${escapeHtml(value)}"${invalid}>`;
}

/** The page for an address that has signed up before: whoever gave it may be somebody else, so it shows no place. */
export const mailedPage = ({ team, waitlist }: Host, email: string): Page => ({
  title: 'Look into your inbox',
  main: html`
    <p class="quiet">${escapeHtml(waitlist.name)}, a waitlist of ${escapeHtml(team)}</p>
    <p><strong>${escapeHtml(email)}</strong> has signed up before. Its place and its link are mailed to it, once a
      day at most: only that message shows them.</p>`,
});

/** The page of a signup. The link of the invitation is the only one that can join, that of the mail confirms. */
export function statusPage(host: Host, { signup, position }: Placed, link: LinkKind): Page {
  const { team, waitlist } = host;
  const name = escapeHtml(waitlist.name);
  const invited = link === 'invitation';
  switch (signup.status) {
    case 'pending':
      return {
        title: 'You are on the list',
        main: html`
          <p class="quiet">${name}, a waitlist of ${escapeHtml(team)}</p>
          <p class="note place">Your place <strong>${position}</strong></p>
          ${isUnconfirmed(signup) ? confirmation(link) : ''}
          ${referral(waitlist, signup.referral_code)}
          <p class="quiet">Keep the address of this page: it always shows your
          place. ${escapeHtml(team)} will write to you when it is your turn.</p>`,
      };
    case 'invited':
      return invited
        ? {
            title: `You are invited to ${waitlist.name}`,
            main: html`
              <p>${escapeHtml(team)} has kept a place for <strong>${escapeHtml(signup.email)}</strong>.</p>
              <form method="post"><button>Join now</button></form>`,
            formLeadsTo: 'https:',
          }
        : {
            title: 'You are invited',
            main: html`<p>It is your turn: ${escapeHtml(team)} has invited you to ${name}.
              The message to your email address has a button that lets you in.</p>`,
          };
    case 'joined':
      return { title: `You have joined ${waitlist.name}`, main: joined(host, invited) };
    case 'removed':
      return { title: 'You are not on this list', main: removed(waitlist, name) };
  }
}

/** Asks to confirm the address where a referral waits for it. */
const confirmation = (link: LinkKind): string =>
  link === 'place'
    ? '<form method="post"><button>Confirm my address</button></form>'
    : '<p>The message to your address has a button that confirms it: then the link that you came by counts.</p>';

function referral({ name, ...waitlist }: WaitlistItem, code: string): string {
  if (waitlist.status === 'closed') return '<p>This waitlist takes no new signups. You keep your place.</p>';
  const link = `${publicUrl(waitlist)}?ref=${code}`;
  const mail = `mailto:?subject=${encodeURIComponent(name)}&body=${encodeURIComponent(link)}`;
  return html`
    <p id="about-link">Share your link: each person who signs up with it and confirms
      moves you up ${placesPerReferral} places.</p>
    <label for="link">Your link</label>
    <input id="link" readonly value="${escapeHtml(link)}" aria-describedby="about-link">
    <p class="quiet whole">${escapeHtml(link)}</p>
    <p><a href="${escapeHtml(mail)}">Send it by email</a></p>`;
}

function joined({ team, waitlist: { invite_url } }: Host, invited: boolean): string {
  const welcome = `<p>Welcome! ${escapeHtml(team)} knows that you are in`;
  if (!invite_url || !invited) return `${welcome}, and there is nothing more to do here.</p>`;
  const { host } = new URL(invite_url);
  return `${welcome}.</p><p><a class="go" href="${escapeHtml(invite_url)}">Go on to ${escapeHtml(host)}</a></p>`;
}

function removed(waitlist: WaitlistItem, name: string): string {
  if (waitlist.status === 'closed') return `<p>Your signup for ${name} was removed, and it takes no new ones.</p>`;
  return html`
    <p>Your signup for ${name} was removed.</p>
    <p><a class="go" href="${escapeHtml(publicUrl(waitlist))}">Sign up again</a></p>`;
}
