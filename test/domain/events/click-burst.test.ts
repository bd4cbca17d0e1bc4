import { expect, it } from 'vitest';
import { bursts } from '../../../shared/domain/events/click-burst.ts';

const click = (seconds: number, link: string, seen?: string) => ({
  at: new Date(Date.UTC(2026, 10, 20) + seconds * 1000).toISOString(),
  link,
  ...(seen && { seen }),
});
const caught = (...clicks: ReturnType<typeof click>[]) => bursts(clicks).map((one) => clicks.indexOf(one));

it('three distinct links within two seconds are a burst, all of them', () => {
  expect(caught(click(0, 'a'), click(1, 'b'), click(2, 'c'))).toEqual([0, 1, 2]);
  expect(caught(click(5, 'x'), click(0, 'a'), click(0.5, 'b'), click(0.9, 'a'), click(1, 'c'))).toEqual([1, 2, 3, 4]);
});

it('links of one template are as many as were seen', () => {
  expect(caught(click(0, 't', 'a'), click(0, 't', 'b'), click(0, 't', 'c'))).toEqual([0, 1, 2]);
  expect(caught(click(0, 'a'), click(0, 't', 'b'), click(0, 't', 'c'))).toEqual([0, 1, 2]);
  expect(caught(click(0, 't', 'a'), click(0, 't', 'a'), click(0, 't', 'b'))).toEqual([]);
});

it('two links, one link often, or three links in more time are not', () => {
  expect(caught(click(0, 'a'), click(0, 'b'))).toEqual([]);
  expect(caught(click(0, 'a'), click(0.1, 'a'), click(0.2, 'a'), click(0.3, 'b'))).toEqual([]);
  expect(caught(click(0, 'a'), click(1, 'b'), click(2.001, 'c'))).toEqual([]);
});

it('clicks before or after a burst are not part of it', () => {
  expect(caught(click(-10, 'a'), click(0, 'a'), click(0, 'b'), click(0, 'c'), click(10, 'b'))).toEqual([1, 2, 3]);
});
