import * as z from 'zod';
import {
  addressFault,
  alignments,
  type Block,
  countBlocks,
  fontWeights,
  imageSchemes,
  linkSchemes,
  maxBlocks,
  maxColumns,
} from '../domain/messages/blocks.ts';
import { multiLine, singleLine, wellFormed } from './schemas.ts';

/** A DynamoDB item has at most 400 KB, and a campaign's two bodies share one. */
export const maxBodyBytes = 180_000;

/** The HTML or the text of a message: at most 180,000 bytes. */
export const bodyText = wellFormed(z.string()).refine(
  (text) => Buffer.byteLength(text) <= maxBodyBytes,
  `at most ${maxBodyBytes} bytes`,
);

const color = z
  .string()
  .regex(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, 'a color such as #1d4ed8')
  .nullish();
const pixels = (min: number, max: number) => z.int().min(min).max(max).nullish();
const padding = pixels(0, 100);

const style = z
  .object({
    color: color.describe('Of text, of the text of a button, of the line of a divider'),
    background_color: color.describe('Behind the block; of the button itself'),
    align: z.enum(alignments).nullish(),
    font_size: pixels(8, 72),
    font_weight: z.enum(fontWeights).nullish(),
    border_radius: pixels(0, 100),
    padding: padding.describe('On every side that has none of its own'),
    padding_top: padding,
    padding_right: padding,
    padding_bottom: padding,
    padding_left: padding,
  })
  .meta({
    id: 'BlockStyle',
    description: 'Lengths in pixels; what is absent looks as usual, unknown keys are ignored',
  });

const address = (schemes: readonly string[]) =>
  multiLine(2_048).superRefine((url, context) => {
    const fault = addressFault(url, schemes);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });

const words = (max: number) => multiLine(max).refine((text) => text.trim() !== '', 'must not be empty');

const common = { id: z.union([singleLine(100), z.int()]).nullish(), style: style.nullish() };

const simple = [
  z
    .object({
      ...common,
      type: z.literal('heading'),
      data: z.object({ text: words(1_000), level: z.int().min(1).max(6).nullish().describe('2 unless given') }),
    })
    .meta({ id: 'HeadingBlock' }),
  z
    .object({ ...common, type: z.literal('text'), data: z.object({ text: words(20_000) }) })
    .meta({ id: 'TextBlock', description: 'Escaped, merge tags apart; an empty line begins a paragraph' }),
  z
    .object({
      ...common,
      type: z.literal('button'),
      data: z.object({ text: words(200), url: address(linkSchemes) }),
    })
    .meta({ id: 'ButtonBlock' }),
  z
    .object({
      ...common,
      type: z.literal('image'),
      data: z.object({
        src: address(imageSchemes),
        alt: multiLine(1_000).describe('What a reader without images is told; empty for decoration'),
        url: address(linkSchemes).nullish(),
        width: z.int().min(1).max(2_000).nullish().describe('Pixels; at most the width of its column'),
      }),
    })
    .meta({ id: 'ImageBlock' }),
  z.object({ ...common, type: z.literal('divider'), data: z.object({}).default({}) }).meta({ id: 'DividerBlock' }),
  z
    .object({
      ...common,
      type: z.literal('spacer'),
      data: z.object({ height: z.int().min(1).max(500).nullish().describe('Pixels; 24 unless given') }).default({}),
    })
    .meta({ id: 'SpacerBlock' }),
  z
    .object({ ...common, type: z.literal('html'), data: z.object({ html: words(100_000) }) })
    .meta({ id: 'HtmlBlock', description: 'HTML as it is' }),
] as const;

const kinds = (options: readonly { shape: { type: { value: string } } }[]) =>
  `one of ${options.map(({ shape }) => shape.type.value).join(', ')}`;

const inColumn = z.discriminatedUnion('type', simple, kinds(simple)).meta({ id: 'SimpleBlock' });

const columns = z
  .object({
    ...common,
    type: z.literal('columns'),
    data: z.object({
      columns: z
        .array(z.object({ blocks: z.array(inColumn).max(maxBlocks) }))
        .min(1, 'at least one column')
        .max(maxColumns, `at most ${maxColumns} columns`),
    }),
  })
  .meta({ id: 'ColumnsBlock', description: 'Side by side; one below the other on a narrow screen' });

const any = [...simple, columns] as const;

/** The blocks of a message, which are rendered to HTML when they are written. */
export const blocks = z
  .array(z.discriminatedUnion('type', any, kinds(any)).meta({ id: 'Block' }))
  .min(1, 'at least one block')
  .max(maxBlocks, `at most ${maxBlocks} blocks`)
  .refine(
    (given: readonly Block[]) => countBlocks(given) <= maxBlocks,
    `at most ${maxBlocks} blocks, those in columns too`,
  );
