import type { Block } from '../blocks.ts';
import { button, cell, closing, eyebrow, heading, html, layout, masthead, text } from './parts.ts';

const accent = '#6d28d9';

/** A calendar sheet with the day of the event. */
const sheet =
  '<table role="presentation" width="72" cellpadding="0" cellspacing="0" border="0"' +
  ' style="width:72px;border-collapse:separate;border:1px solid #d7dbe2;border-radius:10px;background-color:#ffffff">' +
  `<tbody>\n<tr><td align="center" style="${cell}border-radius:9px 9px 0 0;background-color:${accent};color:#ffffff;` +
  'font-size:13px;font-weight:bold;line-height:26px;letter-spacing:1.5px">MAY</td></tr>\n' +
  `<tr><td align="center" style="${cell}color:#1f2933;font-size:32px;font-weight:bold;line-height:52px">14</td></tr>` +
  '</tbody></table>';
const place =
  '<strong>Thursday, 18:30 to 21:00</strong><br>The Old Library, 8 Example Square<br>' +
  '<a href="https://example.com/event/map">See the map</a>';
const when = layout(`<tr>
<td width="92" valign="top" style="${cell}">
${sheet}</td>
<td valign="middle" style="${cell}">${place}</td>
</tr>`);

const agenda = [
  ['18:30', 'Doors open, something to drink'],
  ['19:00', 'Three short talks'],
  ['20:00', 'Questions, food, and time to talk'],
];

const agendaRow = ([time, what]: readonly string[]) =>
  `<tr><td width="80" valign="top" style="${cell}padding:8px 0"><strong>${time}</strong></td>` +
  `<td valign="top" style="${cell}padding:8px 0">${what}</td></tr>`;

/** An invitation to a day and a place. */
export const event: Block[] = [
  masthead(accent),
  eyebrow('You are invited', { color: accent, padding_top: 16 }),
  heading(1, 'An evening worth staying for', { font_size: 34, padding_top: 4 }),
  text(
    'Dear {{first_name | default: "friend"}}, we would love to have you with us: ' +
      'three speakers, one room, and people you will want to meet.',
    { padding_bottom: 16 },
  ),
  html(when),
  button('Save my seat', 'https://example.com/event/seat', { background_color: accent, padding_top: 16 }),
  { type: 'divider', data: {}, style: { padding_top: 20, padding_bottom: 20 } },
  heading(2, 'The evening', { font_size: 22 }),
  html(layout(agenda.map(agendaRow).join(''))),
  text('Admission is free, but seats are few. Cannot make it? Pass this on to a friend.'),
  ...closing('You are receiving this email because you asked to hear about our events.'),
];
