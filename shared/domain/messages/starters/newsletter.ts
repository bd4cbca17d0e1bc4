import type { Block, SimpleBlock } from '../blocks.ts';
import { closing, columns, eyebrow, heading, html, masthead, text } from './parts.ts';

const accent = '#0f766e';
const panel = { background_color: '#e3f4f1', color: '#11403c' } as const;

const link = (page: string) => `<a href="https://example.com/stories/${page}"><strong>Read the story</strong></a>`;

const story = (title: string, words: string, page: string): SimpleBlock[] => [
  heading(3, title, { font_size: 18 }),
  text(words, { padding_top: 0 }),
  html(link(page), { padding_top: 0 }),
];

/** A newsletter: one main story, two side by side, and a preview. */
export const newsletter: Block[] = [
  masthead(accent),
  eyebrow('The monthly letter', { color: accent, padding_top: 16 }),
  heading(1, 'What we made, read and learned this month', { font_size: 32, padding_top: 4 }),
  text('Hello {{first_name | default: "there"}}, here is the short version, over one cup of coffee.', {
    padding_bottom: 24,
  }),
  eyebrow('Featured', { ...panel, color: accent, padding_top: 28 }),
  heading(2, 'The small change that saved us a day a week', { ...panel, padding_top: 4 }),
  text(
    'We stopped doing one thing, wrote another one down, and got our Fridays back. ' +
      'Here is what it took, with the parts that did not work.',
    panel,
  ),
  html(link('front'), { ...panel, padding_top: 4, padding_bottom: 28 }),
  columns(
    [
      story('A visit to the workshop', 'How it is made, by the people who make it.', 'workshop'),
      story('Five books for the month', 'Short ones, long ones, and one to give away.', 'books'),
    ],
    { padding_top: 20, padding_right: 16, padding_bottom: 8, padding_left: 16 },
  ),
  { type: 'divider', data: {} },
  heading(2, 'Coming up', { font_size: 20 }),
  html(
    [
      '<ul style="margin:0;padding:0 0 0 20px">',
      '<li style="margin:0 0 8px">An open evening on the last Thursday</li>',
      '<li style="margin:0 0 8px">The new catalogue</li>',
      '<li style="margin:0">Your questions, answered: just reply</li></ul>',
    ].join(''),
  ),
  ...closing('You are receiving this email because you subscribed to our monthly letter.'),
];
