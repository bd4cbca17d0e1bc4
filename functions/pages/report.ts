import { escapeHtml } from '../../shared/domain/messages/merge-tags.ts';
import { bucketsOf, funnel, lengthOf, moment, timeline } from '../../shared/domain/reports/plots.ts';
import { clickedPlaces } from '../../shared/domain/reports/shared-links.ts';
import { openReport, type SharedReport } from '../../shared/flows/reports/share-report.ts';
import { css, html } from '../../shared/http/html.ts';
import type { Page, PageRoute } from '../../shared/http/pages.ts';

const maxLinks = 10;

const gone: Page = {
  status: 404,
  title: 'This report is not here',
  main: '<p>The link has expired or was revoked, or it is not complete. Ask whoever sent it to you for a new one.</p>',
};

const style = css`
  :root{--opened:light-dark(#1a5fd0,#8ab4f8);--clicked:light-dark(#c2410c,#fdba74);--soft:light-dark(#eef3fc,#2a3140);
  --faint:light-dark(#dadce0,#3c4043)}h2{font-size:1.0625rem;margin:2rem 0 .5rem}
  dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(max(7rem,28%),1fr));gap:.75rem;margin:0}
  dl div{padding:.75rem;border-radius:.5rem;background:var(--soft)}dt,.of{font-size:.875rem;color:var(--quiet)}
  dd{margin:0;font-size:1.25rem;font-weight:600}dl,.funnel,.timeline,td{font-variant-numeric:tabular-nums}
  .of{display:block;font-weight:400;line-height:1.4}.funnel{list-style:none;margin:0;padding:0}
  .funnel li{display:grid;grid-template-columns:5.5rem 1fr minmax(3rem,auto);gap:.25rem .75rem;align-items:center;
  margin:.5rem 0}.value{text-align:right}.track{border-radius:.25rem;background:var(--soft)}
  .bar{display:block;min-width:2px;height:1.5rem;border-radius:.25rem;background:var(--opened)}
  .timeline{display:grid;grid-template-columns:auto 1fr;gap:.5rem;margin:1.25rem 0 0;font-size:.8125rem;
  line-height:1.4;color:var(--quiet)}
  .scale{display:flex;flex-direction:column;justify-content:space-between;text-align:right}.scale span{line-height:0}
  .timeline svg{display:block;width:100%;height:13rem;overflow:visible;border-bottom:1px solid var(--line)}
  .timeline path{stroke:var(--faint);vector-effect:non-scaling-stroke}polygon{fill:var(--opened);opacity:.12}
  polyline{fill:none;stroke-width:2.5;stroke-linejoin:round;vector-effect:non-scaling-stroke}
  polyline.opened{stroke:var(--opened)}polyline.clicked{stroke:var(--clicked)}
  .ends{grid-column:2;display:flex;justify-content:space-between}.ends span{flex:1}.ends span+span{text-align:center}
  .ends span:last-child{text-align:right}.keys{display:flex;flex-wrap:wrap;gap:0 1rem}
  .keys [class]::before{content:"";display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:50%;
  background:var(--opened)}.keys .clicked::before{background:var(--clicked)}
  table{width:100%;border-collapse:collapse;font-size:.9375rem}
  th,td{padding:.5rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--faint)}
  td+td,th+th{padding-left:1rem;text-align:right;white-space:nowrap}@media(max-width:30rem){main{padding:1.25rem}
  .funnel li{grid-template-columns:1fr auto;margin:.75rem 0}.track{grid-row:2;grid-column:1/-1}}
`;

const read: PageRoute = {
  method: 'GET',
  path: '/reports/{token}',
  limited: true,
  async show({ params }) {
    const report = await openReport(params.token ?? '');
    return report ? pageOf(report) : gone;
  },
};

function pageOf(report: SharedReport): Page {
  const { name, subject, sent_at } = report.campaign;
  // A merge tag has a value for each recipient, and none for the reader of a report.
  const heading = subject && !subject.includes('{{') ? subject : name;
  const shown = { title: `${heading}: report`, heading, wide: true, style };
  const team = escapeHtml(report.team);
  if (!sent_at) return { ...shown, main: `<p>${team} has not sent this campaign yet.</p>` };
  const now = new Date();
  const sent = new Date(sent_at).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const about = html`
    <p class="quiet">Sent by ${team} on ${sent}.
    Figures of ${moment(now)}; what machines opened and clicked is left out.${counted(report)}</p>`;
  return { ...shown, main: about + rates(report) + steps(report) + overTime(report, now) + topLinks(report) };
}

/** What there is to say where not all opens and clicks are counted yet. */
const counted = ({ counts }: SharedReport): string =>
  counts.exact
    ? ''
    : ` Opens and clicks over time and by link are those counted by ${moment(new Date(counts.counted_at))}.`;

function rates({ metrics }: SharedReport): string {
  const { sent, delivered } = metrics;
  const tiles = [
    ['Delivered', metrics.delivery_rate, delivered, sent, 'sent'],
    ['Opened', metrics.open_rate, metrics.opened, delivered, 'delivered'],
    ['Clicked', metrics.click_rate, metrics.clicked, delivered, 'delivered'],
    ['Bounced', metrics.bounce_rate, metrics.bounced, sent, 'sent'],
    ['Unsubscribed', metrics.unsubscribe_rate, metrics.unsubscribed, delivered, 'delivered'],
    ['Complained', metrics.complaint_rate, metrics.complained, delivered, 'delivered'],
  ] as const;
  const shown = tiles.map(
    ([label, rate, part, whole, of]) =>
      `<div><dt>${label}</dt><dd>${rate}% <span class="of">${number(part)} of ${number(whole)} ${of}</span></dd></div>`,
  );
  return `<dl>${shown.join('')}</dl>`;
}

function steps({ metrics }: SharedReport): string {
  const bars = [
    { label: 'Sent', value: metrics.sent },
    { label: 'Delivered', value: metrics.delivered },
    { label: 'Opened', value: metrics.opened },
    { label: 'Clicked', value: metrics.clicked },
  ];
  return `<h2>From sent to clicked</h2>${funnel(bars)}`;
}

function overTime({ campaign, counts }: SharedReport, now: Date): string {
  const heading = '<h2>Opens and clicks over time</h2>';
  if (counts.latest === undefined) return `${heading}<p class="quiet">Nobody has opened or clicked yet.</p>`;
  const buckets = bucketsOf(new Date(campaign.sent_at!), now, counts);
  const keys = html`
    <span class="opened">First opens</span>
    <span class="clicked">First clicks</span>
    <span>every ${lengthOf(buckets)}</span>`;
  return `${heading}<p class="quiet keys">${keys}</p>${timeline(buckets)}`;
}

function topLinks({ links }: SharedReport): string {
  const places = clickedPlaces(links).slice(0, maxLinks);
  if (places.length === 0) return '';
  const cells = places.map(
    ({ place, clicks, unique }) =>
      `<tr><td>${escapeHtml(place)}</td><td>${number(clicks)}</td><td>${number(unique)}</td></tr>`,
  );
  return html`
    <h2>Top links</h2>
    <table>
      <thead><tr><th scope="col">Link</th><th scope="col">Clicks</th><th scope="col">People</th></tr></thead>
      <tbody>${cells.join('')}</tbody>
    </table>`;
}

const number = (value: number): string => value.toLocaleString('en-US');

export const reportPages = [read];
