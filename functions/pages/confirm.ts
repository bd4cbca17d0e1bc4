import * as contacts from '../../shared/data/contacts/contacts.ts';
import { withSigningKeys } from '../../shared/data/signing-key.ts';
import * as teams from '../../shared/data/teams/teams.ts';
import { type ContactStatus, confirmContact } from '../../shared/domain/contacts/contact.ts';
import { escapeHtml } from '../../shared/domain/messages/merge-tags.ts';
import { openToken } from '../../shared/domain/signed-token.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { changeContact } from '../../shared/flows/contacts/change.ts';
import { html } from '../../shared/http/html.ts';
import type { Page, PageRequest, PageRoute } from '../../shared/http/pages.ts';

const path = '/confirm/{token}';

const unknownLink: Page = {
  status: 404,
  title: 'This link does not work',
  main:
    '<p>Please open the link from the message again, or copy the whole of it. ' +
    'It stops working when the subscription is deleted.</p>',
};

async function subscriberOf({ params }: PageRequest) {
  const ids = await withSigningKeys('confirmation', (key) => openToken(key, 'confirm', params.token ?? ''));
  if (!ids) return undefined;
  const [teamId, contactId] = ids as [number, number];
  const [contact, team] = await Promise.all([contacts.find(teamId, contactId), teams.find(teamId)]);
  return contact && { teamId, contact, sender: escapeHtml(team?.name ?? 'this sender') };
}

/** The page of a link that has nothing left to confirm. */
function confirmed(status: Exclude<ContactStatus, 'pending'>, email: string, sender: string, title: string): Page {
  const address = `<strong>${escapeHtml(email)}</strong>`;
  switch (status) {
    case 'active':
      return { title, main: `<p>${address} gets messages from ${sender}.</p>` };
    case 'unsubscribed':
      return {
        title: 'You have unsubscribed',
        main: html`<p>${address} gets no messages from ${sender}, and this link does not change that.
          Ask ${sender} if you would like them again.</p>`,
      };
    case 'bounced':
      return {
        title: 'Messages do not arrive',
        main: html`<p>Messages to ${address} have come back, so ${sender} sends none.
          Ask ${sender} to use another address.</p>`,
      };
  }
}

/** Asks for confirmation. A GET changes nothing, since mail scanners follow links. */
const ask: PageRoute = {
  method: 'GET',
  path,
  async show(request) {
    const found = await subscriberOf(request);
    if (!found) return unknownLink;
    const { contact, sender } = found;
    if (contact.status !== 'pending')
      return confirmed(contact.status, contact.email, sender, 'Your subscription is confirmed already');
    return {
      title: 'Confirm your subscription?',
      main: html`
        <p><strong>${escapeHtml(contact.email)}</strong> will get messages from ${sender}.</p>
        <form method="post"><button>Confirm my subscription</button></form>`,
    };
  },
};

/** Confirms a pending contact; does not change any other. */
const confirm: PageRoute = {
  method: 'POST',
  path,
  async show(request) {
    const found = await subscriberOf(request);
    if (!found) return unknownLink;
    const { teamId, contact, sender } = found;
    const changed = await changeContact(teamId, contact.email, (current) =>
      current.id === contact.id ? confirmContact(current, timestamp()) : current,
    );
    if (!changed || changed.id !== contact.id || changed.status === 'pending') return unknownLink;
    return confirmed(changed.status, changed.email, sender, 'Your subscription is confirmed');
  },
};

export const confirmPages = [ask, confirm];
