import type { Block } from './blocks.ts';
import { renderBlocks } from './render-blocks.ts';
import { announcement } from './starters/announcement.ts';
import { event } from './starters/event.ts';
import { newsletter } from './starters/newsletter.ts';
import { promotion } from './starters/promotion.ts';
import { welcome } from './starters/welcome.ts';

/** A system template: every team has it and nobody can change it. */
export interface StarterTemplate {
  id: number;
  name: string;
  category: string;
  style: string;
  description: string;
  preview: string;
  blocks: readonly Block[];
}

/** The five system templates, by id; ids of teams' templates begin at 1001. */
export const starterTemplates: readonly StarterTemplate[] = [
  {
    id: 1,
    name: 'Welcome',
    category: 'welcome',
    style: 'plain',
    description: 'A greeting to somebody new, with three first steps.',
    preview: 'Three small steps, and you are all set.',
    blocks: welcome,
  },
  {
    id: 2,
    name: 'Newsletter',
    category: 'newsletter',
    style: 'editorial',
    description: 'One story in front, two beside each other, and what is coming.',
    preview: 'This month in a few minutes.',
    blocks: newsletter,
  },
  {
    id: 3,
    name: 'Announcement',
    category: 'announcement',
    style: 'bold',
    description: 'Something new under a dark banner, with three reasons and one button.',
    preview: 'Faster to start, simpler to share.',
    blocks: announcement,
  },
  {
    id: 4,
    name: 'Promotion',
    category: 'promotion',
    style: 'vivid',
    description: 'An offer with a code, a last day and three promises.',
    preview: 'Your code is inside, valid until Sunday.',
    blocks: promotion,
  },
  {
    id: 5,
    name: 'Event invitation',
    category: 'event',
    style: 'elegant',
    description: 'An invitation with date, place and the course of the evening.',
    preview: 'Three speakers, one room, and a seat for you.',
    blocks: event,
  },
];

const rendered = new Map<number, Promise<string>>();

/** A system template's HTML. */
export function starterHtml({ id, blocks, preview }: StarterTemplate): Promise<string> {
  const html = rendered.get(id) ?? renderBlocks(blocks, { lang: 'en', preview });
  rendered.set(id, html);
  return html;
}
