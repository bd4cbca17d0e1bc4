import type { Block, SimpleBlock } from '../blocks.ts';
import { button, closing, columns, eyebrow, heading, html, masthead, quiet, text } from './parts.ts';

const accent = '#b8320e';
const banner = { background_color: accent, color: '#ffffff', align: 'center' } as const;

const promise = (title: string, words: string): SimpleBlock[] => [
  heading(2, title, { font_size: 17, align: 'center', padding_bottom: 0 }),
  text(words, { font_size: 15, align: 'center', color: quiet, padding_top: 4 }),
];

/** An offer with a code and a last day. */
export const promotion: Block[] = [
  masthead(accent),
  eyebrow('This week only', { ...banner, padding_top: 44 }),
  heading(1, '20% off everything', { ...banner, font_size: 46, padding_top: 8 }),
  text('A thank-you to our readers, valid until Sunday at midnight.', { ...banner, font_size: 18, padding_bottom: 44 }),
  text('{{first_name | default: "Hello"}}, here is your code. Use it at checkout:', {
    align: 'center',
    padding_top: 28,
  }),
  html(
    [
      `<span style="display:inline-block;border:2px dashed ${accent};border-radius:10px;background-color:#fff4ee;`,
      'color:#8f260a;padding:14px 28px;font-family:Menlo,Consolas,monospace;font-size:24px;font-weight:bold;',
      'line-height:28px;letter-spacing:4px">THANKYOU20</span>',
    ].join(''),
    { align: 'center', padding_top: 4 },
  ),
  button('Shop the sale', 'https://example.com/shop', {
    background_color: accent,
    align: 'center',
    padding_top: 16,
    padding_bottom: 24,
  }),
  { type: 'divider', data: {} },
  columns([
    promise('Free delivery', 'On every order this week'),
    promise('30 days', 'To change your mind'),
    promise('Real help', 'Reply, and a person answers'),
  ]),
  text('One code per order. Cannot be combined with other offers.', {
    color: quiet,
    font_size: 13,
    align: 'center',
    padding_bottom: 0,
  }),
  ...closing('You are receiving this email because you asked to hear about our offers.'),
];
