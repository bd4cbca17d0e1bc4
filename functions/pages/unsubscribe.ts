import * as teams from '../../shared/data/teams/teams.ts';
import { escapeHtml } from '../../shared/domain/messages/merge-tags.ts';
import { timestamp } from '../../shared/domain/time.ts';
import { readerOf } from '../../shared/flows/campaigns/unsubscribe-link.ts';
import { applyEvents } from '../../shared/flows/feedback/apply-events.ts';
import { html } from '../../shared/http/html.ts';
import type { Page, PageRequest, PageRoute } from '../../shared/http/pages.ts';

const path = '/unsubscribe/{token}';

const unknownLink: Page = {
  status: 404,
  title: 'This link is not complete',
  main: '<p>Please open the unsubscribe link from the message again, or copy the whole of it.</p>',
};

/** The link of a test message names neither a campaign nor a contact. */
const testLink: Page = {
  title: 'This is the link of a test message',
  main: '<p>In the campaign itself it lets the reader unsubscribe. Here it does nothing.</p>',
};

/** The link of an earlier version, whose contact was erased since: nobody is left whom it could unsubscribe. */
const erased = (sender: string): Page => ({
  status: 410,
  title: 'This address was erased',
  main: `<p>${sender} has erased the address that this message went to, so this link has nothing to unsubscribe.
    Should you get another message, please use the link in that one.</p>`,
});

async function readerOfLink({ params }: PageRequest) {
  const reader = await readerOf(params.token ?? '');
  if (!reader) return undefined;
  const team = await teams.find(reader.teamId);
  return { ...reader, sender: escapeHtml(team?.name ?? 'this sender') };
}

const done = (sender: string): Page => ({
  title: 'You are unsubscribed',
  main: `<p>You will get no more marketing messages from ${sender}.</p>`,
});

/** Asks for confirmation. A GET changes nothing, since mail scanners follow links. */
const ask: PageRoute = {
  method: 'GET',
  path,
  async show(request) {
    const found = await readerOfLink(request);
    if (!found) return unknownLink;
    const { campaignId, email, unsubscribed, sender } = found;
    if (campaignId === 0) return testLink;
    if (!email) return erased(sender);
    if (unsubscribed) return done(sender);
    return {
      title: 'Unsubscribe?',
      main: html`
        <p><strong>${escapeHtml(email)}</strong> will get no more marketing messages from ${sender}.</p>
        <form method="post"><button>Unsubscribe</button></form>`,
    };
  },
};

/** Unsubscribes, by the button of the page or a one-click request (RFC 8058); idempotent. */
const unsubscribe: PageRoute = {
  method: 'POST',
  path,
  async show(request) {
    const found = await readerOfLink(request);
    if (!found) return unknownLink;
    const { teamId, campaignId, email, contact_id, unsubscribed, sender } = found;
    if (campaignId === 0) return testLink;
    if (!email) return erased(sender);
    if (!unsubscribed) {
      const oneClick = request.form.get('List-Unsubscribe') === 'One-Click';
      await applyEvents(teamId, [
        {
          email,
          event: 'unsubscribed',
          campaign_id: campaignId,
          contact_id,
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
