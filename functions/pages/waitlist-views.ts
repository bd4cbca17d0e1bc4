import type { Placed } from '../../shared/data/waitlists/signups.ts';
import { publicUrl, type WaitlistItem } from '../../shared/data/waitlists/waitlists.ts';
import { escapeHtml } from '../../shared/domain/messages/merge-tags.ts';
import { placesPerReferral } from '../../shared/domain/waitlists/waitlist.ts';
import type { Page } from '../../shared/http/pages.ts';

/** Whose waitlist a page is about. */
export interface Host {
  teamId: number;
  team: string;
  waitlist: WaitlistItem;
}

/** What a person typed into the form, and what is wrong with it. */
export interface Typed {
  email: string;
  name: string;
  ref: string;
  faults: { email?: string; name?: string };
}

/** A link that leads to no waitlist. */
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
  `<p class="quiet">A waitlist of ${escapeHtml(team)}</p>${waitlist.description ? paragraphs(waitlist.description) : ''}`;

/** The page of a waitlist: its form, with what was typed and what is wrong with it, or that it is closed. */
export function waitlistPage(host: Host, typed: Typed): Page {
  const { team, waitlist } = host;
  if (waitlist.status === 'closed')
    return {
      title: waitlist.name,
      main: `${intro(host)}<p class="note">This waitlist is closed: it takes no new signups.</p>`,
    };
  const { faults } = typed;
  const wrong = Object.keys(faults).length > 0;
  return {
    status: wrong ? 422 : 200,
    title: wrong ? `Error: ${waitlist.name}` : waitlist.name,
    heading: waitlist.name,
    main: `${intro(host)}<form method="post">${field('email', 'Email address', typed, 'type="email" autocomplete="email" required maxlength="254" spellcheck="false" autocapitalize="none"')}${field('name', 'Name (optional)', typed, 'autocomplete="name" maxlength="255"')}<input type="hidden" name="ref" value="${escapeHtml(typed.ref)}"><button>Join the waitlist</button></form><p class="quiet">${escapeHtml(team)} will write to this address when it is your turn.</p>`,
  };
}

function field(name: 'email' | 'name', label: string, { [name]: value, faults }: Typed, attributes: string): string {
  const fault = faults[name];
  const message = fault === undefined ? '' : `<p class="wrong" id="${name}-fault">${escapeHtml(fault)}</p>`;
  const invalid = fault === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-fault" autofocus`;
  return `<label for="${name}">${label}</label>${message}<input id="${name}" name="${name}" ${attributes} value="${escapeHtml(value)}"${invalid}>`;
}

/** Where a signup stands. `invited` says that the link is the invitation's own, which alone lets its holder join. */
export function statusPage(host: Host, { signup, position }: Placed, invited: boolean): Page {
  const { team, waitlist } = host;
  const name = escapeHtml(waitlist.name);
  switch (signup.status) {
    case 'pending':
      return {
        title: 'You are on the list',
        main: `<p class="quiet">${name}, a waitlist of ${escapeHtml(team)}</p><p class="note place">Your place <strong>${position}</strong></p>${referral(waitlist, signup.referral_code)}<p class="quiet">Keep the address of this page: it always shows your place. ${escapeHtml(team)} will write to you when it is your turn.</p>`,
      };
    case 'invited':
      return invited
        ? {
            title: `You are invited to ${waitlist.name}`,
            main: `<p>${escapeHtml(team)} has kept a place for <strong>${escapeHtml(signup.email)}</strong>.</p><form method="post"><button>Join now</button></form>`,
            formLeadsTo: 'https:',
          }
        : {
            title: 'You are invited',
            main: `<p>It is your turn: ${escapeHtml(team)} has invited you to ${name}. The message to your email address has a button that lets you in.</p>`,
          };
    case 'joined':
      return { title: `You have joined ${waitlist.name}`, main: joined(host, invited) };
    case 'removed':
      return { title: 'You are not on this list', main: removed(waitlist, name) };
  }
}

function referral({ name, ...waitlist }: WaitlistItem, code: string): string {
  if (waitlist.status === 'closed') return '<p>This waitlist takes no new signups. You keep your place.</p>';
  const link = `${publicUrl(waitlist)}?ref=${code}`;
  const mail = `mailto:?subject=${encodeURIComponent(name)}&body=${encodeURIComponent(link)}`;
  return `<p id="about-link">Share your link: each person who signs up with it moves you up ${placesPerReferral} places.</p><label for="link">Your link</label><input id="link" readonly value="${escapeHtml(link)}" aria-describedby="about-link"><p class="quiet whole">${escapeHtml(link)}</p><p><a href="${escapeHtml(mail)}">Send it by email</a></p>`;
}

function joined({ team, waitlist: { invite_url } }: Host, invited: boolean): string {
  if (!invite_url || !invited)
    return `<p>Welcome! ${escapeHtml(team)} knows that you are in, and there is nothing more to do here.</p>`;
  return `<p>Welcome! ${escapeHtml(team)} knows that you are in.</p><p><a class="go" href="${escapeHtml(invite_url)}">Go on to ${escapeHtml(new URL(invite_url).host)}</a></p>`;
}

function removed(waitlist: WaitlistItem, name: string): string {
  if (waitlist.status === 'closed') return `<p>Your signup for ${name} was removed, and it takes no new ones.</p>`;
  return `<p>Your signup for ${name} was removed.</p><p><a class="go" href="${escapeHtml(publicUrl(waitlist))}">Sign up again</a></p>`;
}
