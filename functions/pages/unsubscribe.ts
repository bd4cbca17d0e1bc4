import * as contacts from '../../shared/data/contacts.ts';
import { signingKey } from '../../shared/data/signing-key.ts';
import * as teams from '../../shared/data/teams.ts';
import { escapeHtml } from '../../shared/domain/merge-tags.ts';
import { openToken } from '../../shared/domain/signed-token.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { applyEvents } from '../../shared/flows/apply-events.ts';
import type { Page, PageRequest, PageRoute } from '../../shared/http/pages.ts';

const path = '/unsubscribe/{token}';

const unknownLink: Page = {
  status: 404,
  title: 'This link is not complete',
  main: '<p>Please open the unsubscribe link from the message again, or copy the whole of it.</p>',
};

/** The link of a test message is nobody's: it names neither a campaign nor a contact. */
const testLink: Page = {
  title: 'This is the link of a test message',
  main: '<p>In the campaign itself it lets the reader unsubscribe. Here it does nothing.</p>',
};

async function recipientOf({ params }: PageRequest) {
  const ids = openToken(await signingKey(), 'unsubscribe', params.token ?? '');
  if (!ids) return undefined;
  const [teamId, campaignId, contactId] = ids as [number, number, number];
  // A deleted contact counts: who restores it must not mail a person who has unsubscribed meanwhile.
  const [contact, team] = await Promise.all([contacts.findStored(teamId, contactId), teams.find(teamId)]);
  return { teamId, campaignId, contact, sender: escapeHtml(team?.name ?? 'this sender') };
}

const done = (sender: string): Page => ({
  title: 'You are unsubscribed',
  main: `<p>You will get no more marketing messages from ${sender}.</p>`,
});

/** Asks; changes nothing, for scanners follow links. */
const ask: PageRoute = {
  method: 'GET',
  path,
  async show(request) {
    const found = await recipientOf(request);
    if (!found) return unknownLink;
    const { campaignId, contact, sender } = found;
    if (campaignId === 0) return testLink;
    if (!contact || contact.status === 'unsubscribed') return done(sender);
    return {
      title: 'Unsubscribe?',
      main: `<p><strong>${escapeHtml(contact.email)}</strong> will get no more marketing messages from ${sender}.</p><form method="post"><button>Unsubscribe</button></form>`,
    };
  },
};

/** Unsubscribes, from the page's button or as a one-click request (RFC 8058); again changes nothing. */
const unsubscribe: PageRoute = {
  method: 'POST',
  path,
  async show(request) {
    const found = await recipientOf(request);
    if (!found) return unknownLink;
    const { teamId, campaignId, contact, sender } = found;
    if (campaignId === 0) return testLink;
    if (contact && contact.status !== 'unsubscribed') {
      const oneClick = request.form.get('List-Unsubscribe') === 'One-Click';
      await applyEvents(teamId, [
        {
          email: contact.email,
          event: 'unsubscribed',
          campaign_id: campaignId,
          contact_id: contact.id,
          provider: null,
          source: oneClick ? 'one_click' : 'unsubscribe_page',
          metadata: {},
          occurred_at: timestamp(),
        },
      ]);
    }
    return done(sender);
  },
};

export const unsubscribePages = [ask, unsubscribe];
