import { escapeHtml } from '../../shared/domain/merge-tags.ts';
import { bucketsOf, funnel, timeline } from '../../shared/domain/report-plots.ts';
import { openReport, type SharedReport } from '../../shared/flows/share-report.ts';
import type { Page, PageRoute } from '../../shared/http/pages.ts';

const mostLinks = 10;

const gone: Page = {
  status: 404,
  title: 'This report is not here',
  main: '<p>The link has expired, or it is not complete. Ask whoever sent it to you for a new one.</p>',
};

/** Colours in light and dark, and nothing smaller than can be read on a phone. */
const style = `<style>h2{font-size:1.0625rem;margin:1.5rem 0 .5rem}dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(max(6.5rem,28%),1fr));gap:.75rem;margin:0 0 1.5rem}dl div{padding:.75rem;border-radius:.5rem;background:light-dark(#eef3fc,#2a3140)}dt{font-size:.875rem;color:var(--quiet)}dd{margin:0;font-size:1.25rem;font-weight:600;font-variant-numeric:tabular-nums}.funnel{list-style:none;margin:0;padding:0;font-variant-numeric:tabular-nums}.funnel li{display:grid;grid-template-columns:5.5rem 1fr 7rem;gap:.75rem;align-items:center;margin:.5rem 0}.bar{display:block;min-width:2px;height:1.5rem;border-radius:.25rem;background:#1a5fd0}.timeline{margin:0}.timeline svg{display:block;width:100%;height:12rem;overflow:visible;border-bottom:1px solid var(--line);border-top:1px dotted var(--line)}polyline{fill:none;stroke-width:3;stroke-linejoin:round;vector-effect:non-scaling-stroke}polyline.opened{stroke:light-dark(#1a5fd0,#8ab4f8)}polyline.clicked{stroke:light-dark(#c2410c,#fdba74)}.ends{display:flex;justify-content:space-between;gap:1rem;font-size:.8125rem;color:var(--quiet)}.key{display:inline-block;width:.8em;height:.8em;border-radius:50%;margin:0 .4em 0 0}.key.opened{background:light-dark(#1a5fd0,#8ab4f8)}.key.clicked{background:light-dark(#c2410c,#fdba74)}table{width:100%;border-collapse:collapse;font-size:.9375rem}th,td{padding:.5rem .25rem;text-align:left;border-bottom:1px solid light-dark(#dadce0,#3c4043)}td+td,th+th{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}@media(max-width:30rem){.funnel li{grid-template-columns:1fr auto}.funnel .track{grid-row:2;grid-column:1/-1}}</style>`;

const read: PageRoute = {
  method: 'GET',
  path: '/reports/{token}',
  async show({ params }) {
    const report = await openReport(params.token ?? '');
    return report ? pageOf(report) : gone;
  },
};

function pageOf({ team, campaign, metrics, opened, clicked, links }: SharedReport): Page {
  const { name, subject, sent_at } = campaign;
  const title = `${subject || name}: report`;
  if (!sent_at) return { title, wide: true, main: `<p>${escapeHtml(team)} has not sent this campaign yet.</p>` };
  const rates = [
    ['Delivered', metrics.delivery_rate],
    ['Opened', metrics.open_rate],
    ['Clicked', metrics.click_rate],
    ['Bounced', metrics.bounce_rate],
    ['Unsubscribed', metrics.unsubscribe_rate],
    ['Complained', metrics.complaint_rate],
  ] as const;
  const steps = [
    { label: 'Sent', value: metrics.sent },
    { label: 'Delivered', value: metrics.delivered },
    { label: 'Opened', value: metrics.opened },
    { label: 'Clicked', value: metrics.clicked },
  ];
  const buckets = bucketsOf(new Date(sent_at), new Date(), opened, clicked);
  const sent = new Date(sent_at).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return {
    title,
    heading: subject || name,
    wide: true,
    main: `${style}<p class="quiet">Sent by ${escapeHtml(team)} on ${sent}. Opens and clicks are people's; machines are left out.</p><dl>${rates.map(([label, rate]) => `<div><dt>${label}</dt><dd>${rate}%</dd></div>`).join('')}</dl><h2>From sent to clicked</h2>${funnel(steps)}<h2>Opens and clicks over time</h2><p class="quiet"><span class="key opened"></span>First opens &nbsp; <span class="key clicked"></span>First clicks</p>${timeline(buckets)}${linkTable(links)}`,
  };
}

function linkTable(links: SharedReport['links']): string {
  const rows = links.filter(({ clicks }) => clicks > 0).slice(0, mostLinks);
  if (rows.length === 0) return '';
  const cells = rows.map(
    ({ url, clicks, unique }) =>
      `<tr><td>${escapeHtml(url)}</td><td>${clicks.toLocaleString('en-US')}</td><td>${unique.toLocaleString('en-US')}</td></tr>`,
  );
  return `<h2>Top links</h2><table><thead><tr><th scope="col">Link</th><th scope="col">Clicks</th><th scope="col">People</th></tr></thead><tbody>${cells.join('')}</tbody></table>`;
}

export const reportPages = [read];
