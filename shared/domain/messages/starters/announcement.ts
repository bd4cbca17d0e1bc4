import type { Block } from '../blocks.ts';
import { button, closing, disc, eyebrow, heading, rows, text } from './parts.ts';

const accent = '#4338ca';
const banner = { background_color: '#1e1b4b', align: 'center' } as const;

/** An announcement with three reasons and one button. */
export const announcement: Block[] = [
  eyebrow('New from Your Company', { ...banner, color: '#c7d2fe', padding_top: 48 }),
  heading(1, 'Meet a simpler way to work', { ...banner, color: '#ffffff', font_size: 36, padding_top: 12 }),
  text('Faster to start, simpler to share, and ready for you today.', {
    ...banner,
    color: '#e0e7ff',
    font_size: 18,
    padding_bottom: 48,
  }),
  text(
    'Hello {{first_name | default: "there"}},\n\n' +
      'For a year we listened to what slowed you down. Today we can show you what came of it.',
    { padding_top: 28 },
  ),
  rows(
    () => disc('&#10003;', accent, '#e0e7ff'),
    [
      ['Ready in minutes', 'Bring what you have; nothing gets lost on the way.'],
      ['Made to be shared', 'Invite the people you work with, as many as you like.'],
      ['No surprises', 'Your plan and your price stay the same.'],
    ],
  ),
  button('See what is new', 'https://example.com/new', { background_color: accent, align: 'center', padding_top: 20 }),
  ...closing('You are receiving this email because you have an account with Your Company.'),
];
