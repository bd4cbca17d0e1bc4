import type { Block } from '../blocks.ts';
import { button, closing, disc, heading, masthead, rows, text } from './parts.ts';

const accent = '#1d4ed8';

/** The first message to a new subscriber. */
export const welcome: Block[] = [
  masthead(accent),
  heading(1, 'Welcome, {{first_name | default: "friend"}}!', { font_size: 34, padding_top: 16 }),
  text(
    'We are glad you are here. You will hear from us when there is something worth your time: ' +
      'new work, useful guides, and the occasional story from behind the scenes.',
  ),
  button('Get started', 'https://example.com/start', { background_color: accent }),
  { type: 'divider', data: {}, style: { padding_top: 20, padding_bottom: 20 } },
  heading(2, 'Three steps to begin', { font_size: 22 }),
  rows(
    (index) => disc(String(index + 1), accent, '#dbe6ff'),
    [
      ['Tell us what you like', 'Choose your topics, and we leave out the rest.'],
      ['Take the tour', 'See how everything works in five minutes.'],
      ['Say hello', 'Reply to this email: a person reads it.'],
    ],
  ),
  ...closing('You are receiving this email because you signed up at Your Company.'),
];
