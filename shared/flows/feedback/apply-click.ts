import * as bodies from '../../data/campaigns/bodies.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as clicks from '../../data/events/clicks.ts';
import * as engagement from '../../data/events/engagement.ts';
import * as rows from '../../data/events/rows.ts';
import { bursts, firstHuman } from '../../domain/events/click-burst.ts';
import type { IncomingEvent } from '../../domain/events/delivery-event.ts';
import { templateOf } from '../../domain/messages/link-templates.ts';

/** The reason for a click in a burst. */
const burstReason = 'click_burst';

/** A click with its context. */
interface Click {
  event: IncomingEvent;
  id: number;
  contact: contacts.ContactItem | undefined;
  /** Why it is a machine's on its own; undefined for a person's. */
  machine: string | undefined;
  variant: number | undefined;
}

/** The verdict on a click. */
interface Judged {
  machine: string | undefined;
  /** The change of the number of people who clicked. */
  change: number | 'doubtful';
}

/** Stores a click and judges it with the recipient's others, which may have counted as human before. */
export async function applyClick(teamId: number, campaignId: number, click: Click): Promise<Judged> {
  const { event, id, contact, machine } = click;
  const clicked = typeof event.metadata.url === 'string' ? event.metadata.url : '';
  const url = templateOf(clicked, await bodies.links(teamId, campaignId));
  const before = contact?.last_clicked_at;
  const known = { who: event.email, at: event.occurred_at, id, contact_id: contactIdOf(click), url, clicked };
  await clicks.note(teamId, campaignId, { ...known, ...(machine && { machine }), ...(before && { before }) });
  return judge(teamId, campaignId, click);
}

const contactIdOf = ({ event, contact }: Click): number | null => event.contact_id ?? contact?.id ?? null;

async function judge(teamId: number, campaignId: number, click: Click): Promise<Judged> {
  const { event, contact, variant } = click;
  const { email } = event;
  const { found: own, all } = await clicks.near(teamId, campaignId, email, event.occurred_at);
  const caught = bursts(own).filter(({ machine }) => !machine);
  for (const one of caught) {
    // The click last: until it is marked, it is found again.
    const row = { event: 'clicked', campaign_id: campaignId, created_at: one.at, id: one.id } as const;
    await rows.judge(teamId, row, burstReason);
    await clicks.judge(one, burstReason);
  }
  const human = own.filter((one) => !one.machine && !caught.includes(one));
  if (caught.length > 0 && contact) await correctContact(teamId, email, caught, human);
  const recipient = { email, contact_id: contactIdOf(click), variant };
  const { change, written } = all
    ? await engagement.setClick(teamId, campaignId, recipient, human[0]?.at)
    : await setFromPart(teamId, campaignId, recipient, own, human);
  // Another worker may have stored a click between our read and our write.
  if (written && (await clicks.near(teamId, campaignId, email, event.occurred_at)).found.length > own.length) {
    const again = await judge(teamId, campaignId, click);
    const doubtful = change === 'doubtful' || again.change === 'doubtful';
    return { machine: again.machine, change: doubtful ? 'doubtful' : Number(change) + Number(again.change) };
  }
  const mine = own.find((one) => one.id === click.id);
  return { machine: mine && caught.includes(mine) ? burstReason : mine?.machine, change };
}

/** Sets the first human click, where the recipient has more clicks than were read. */
async function setFromPart(
  teamId: number,
  campaignId: number,
  recipient: Parameters<typeof engagement.replace>[2],
  part: readonly clicks.ClickItem[],
  human: readonly clicks.ClickItem[],
): Promise<{ change: number | 'doubtful'; written: boolean }> {
  for (let [total, written] = [0, false]; ; written = true) {
    const noted = (await engagement.find(teamId, campaignId, recipient.email))?.clicked_at;
    const first = firstHuman(noted, part, human);
    if (first === noted) return { change: total, written };
    const change = await engagement.replace(teamId, campaignId, recipient, 'clicked_at', noted, first);
    if (change === 'doubtful') return { change, written: true };
    total += change;
  }
}

/** Restores the contact's last human click from before a burst. */
async function correctContact(
  teamId: number,
  email: string,
  caught: readonly clicks.ClickItem[],
  human: readonly clicks.ClickItem[],
): Promise<void> {
  const [first, last] = [caught[0]!, caught.at(-1)!];
  const earlier = [first.before, ...human.map(({ at }) => at)].filter((at) => at !== undefined && at < first.at);
  const span = { from: first.at, to: last.at };
  await contacts.restoreEngagement(teamId, email, 'last_clicked_at', span, earlier.sort().at(-1));
}
