import * as z from 'zod';
import { takeIds } from '../../data/counters.ts';
import * as usage from '../../data/teams/usage.ts';
import { polish } from '../../domain/copywriting/polish.ts';
import { quality } from '../../domain/copywriting/polish-advice.ts';
import type { Polished, PolishWish } from '../../domain/copywriting/polish-options.ts';
import { readProse } from '../../domain/copywriting/prose.ts';
import {
  marked,
  type Piece,
  type RewritableBlock,
  rewritableBlocks,
  unmarked,
  withBlocks,
} from '../../domain/copywriting/rewritable.ts';
import { ApiError } from '../../domain/errors.ts';
import { messageParts } from '../../domain/messages/message-parts.ts';
import type { Operation } from '../../domain/operation.ts';
import { allowancePeriod, type Plan } from '../../domain/teams/plans.ts';
import { askModel, type FromModel, hasModel, type TokenBudget } from './ask-model.ts';

/** The maximum that the model rewrites within a request; longer texts are polished by rules. */
const maxCharacters = 6_000;

/** A polished text, with the model and the tokens that it took. */
interface PolishResult extends Polished {
  id: number;
  /** null: the embedded engine. */
  model: string | null;
  tokens: number;
}

/**
 * Polishes a text and counts it once per operation; a failure is not counted. Throws 422 when an allowance is used up
 * or the model refuses, 503 when the model is busy.
 */
export async function polishContent(
  { teamId, plan }: { teamId: number; plan: Plan },
  { content, ...wish }: { content: string } & PolishWish,
  operation: Operation,
): Promise<PolishResult> {
  const month = allowancePeriod(operation.startedAt);
  if (!(await operation.memoize('taken', () => usage.take(teamId, plan, month, 'ai_tweaks', 1))))
    throw new ApiError(422, 'plan_allowance_exceeded', "The month's AI tweaks are used up.");
  try {
    const id = await operation.memoize('id', () => takeIds(teamId, 'polish'));
    const written = hasModel() ? await rewrite({ teamId, plan, month }, content, wish) : undefined;
    const result = written?.accepted ?? polish(content, wish);
    return { id, ...result, model: written?.accepted ? written.model : null, tokens: written?.tokens ?? 0 };
  } catch (error) {
    // In this order a crash in between counts a tweak that was not given, and never gives one that is not counted.
    await operation.clear('taken');
    await usage.add(teamId, month, 'ai_tweaks', -1);
    throw error;
  }
}

const answer = z.object({
  blocks: z
    .array(z.object({ n: z.int().describe('The number of the block'), text: z.string().describe('Its new text') }))
    .max(1_000)
    .describe('The blocks that you changed, and no others'),
  suggestions: z
    .array(z.string().trim().min(1).max(300))
    .max(10)
    .describe('What you changed or what the author could still improve: each one sentence that says what and where'),
});

const instructions = [
  'You edit marketing emails. You are given the text blocks of one email as a JSON array of {"n", "text"}. ',
  'Improve their wording in the language that they are written in; keep their meaning and their facts, ',
  'add no claims, offers, names or links.\n',
  'In a text, [[1]], [[2]] … stand for formatting: keep each one, in order, around the words it belongs to. ',
  '{{…}} are merge tags: keep each one exactly, as well as every web and email address. ',
  'Plain text only, no HTML, no Markdown. A block stays about as long as it is, or becomes shorter.',
].join('');

/** Has the model rewrite a text block by block: only its words are used. Undefined when it is empty or too long. */
async function rewrite(
  budget: TokenBudget,
  content: string,
  { tone, goal }: PolishWish,
): Promise<FromModel<Polished> | undefined> {
  const parts = messageParts(content);
  const blocks = rewritableBlocks(content, parts).flatMap((block) => {
    const text = marked(block);
    return text === undefined || !/\p{L}/u.test(text) ? [] : [{ block, text }];
  });
  const length = blocks.reduce((sum, { text }) => sum + text.length, 0);
  if (length === 0 || length > maxCharacters) return undefined;
  const wishes = [tone && `The tone is to be ${tone}.`, goal && `The goal is ${goal}.`].filter(Boolean).join(' ');
  return askModel(
    budget,
    {
      instructions: `${instructions}\n${wishes}`,
      material: JSON.stringify(blocks.map(({ text }, index) => ({ n: index + 1, text }))),
      answer: { name: 'edit_email', description: 'Hands in the edited blocks.', schema: answer },
      maxTokens: 4_096,
    },
    (edited) => {
      const changed = new Map<RewritableBlock, readonly Piece[]>();
      for (const { n, text } of edited.blocks) {
        const given = blocks[n - 1];
        const pieces = given && unmarked(given.block, text, parts.isHtml);
        if (!pieces || changed.has(given.block)) return undefined;
        if (text.trim() !== given.text) changed.set(given.block, pieces);
      }
      const polished = withBlocks(content, changed);
      const after = messageParts(polished);
      return {
        content: polished,
        suggestions: edited.suggestions,
        score: quality(after, readProse(after.blocks.map(({ text }) => text))),
      };
    },
  );
}
