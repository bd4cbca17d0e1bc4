import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  addClick,
  addMoments,
  maxLinks,
  mostClicked,
  noTallies,
  type Tallies,
} from '../../../shared/domain/reports/tallies.ts';

const stored = (tallies: Tallies): Tallies => JSON.parse(JSON.stringify(tallies));
const click = fc.record({
  who: fc.constantFrom('a@x.example', 'b@x.example', ' erased'),
  link: fc.constantFrom('l1', 'l2', 'l3'),
  machine: fc.constantFrom(undefined, 'click_burst'),
});

it('counts clicks, people and machines by link, also when it stops after any click and goes on', () => {
  fc.assert(
    fc.property(fc.array(click), fc.nat(), (clicks, at) => {
      clicks.sort((a, b) => (a.who < b.who ? -1 : a.who > b.who ? 1 : 0));
      let tallies = noTallies();
      for (const [index, one] of clicks.entries()) {
        if (index === at % (clicks.length + 1)) tallies = stored(tallies);
        addClick(tallies, one);
      }
      const expected = [...Map.groupBy(clicks, ({ link }) => link)].map(([link, own]) => {
        const people = own.filter(({ machine }) => !machine);
        const unique = new Set(people.map(({ who }) => who)).size;
        return [link, { clicks: people.length, unique, bots: own.length - people.length }];
      });
      expect(tallies.links).toEqual(Object.fromEntries(expected));
      expect(tallies.truncated).toBe(false);
    }),
  );
});

it('keeps the links that were clicked most where each recipient has a link of their own, and says so', () => {
  const tallies = noTallies();
  for (let person = 0; person < 5 * maxLinks; person++) {
    const who = `p${String(person).padStart(6, '0')}@x.example`;
    addClick(tallies, { who, link: `own-${person}` });
    if (person % 10 === 0) addClick(tallies, { who, link: 'everybody' });
  }
  expect(Object.keys(tallies.links).length).toBeLessThanOrEqual(2 * maxLinks);
  expect(mostClicked(tallies)[0]).toEqual(['everybody', { clicks: maxLinks / 2, unique: maxLinks / 2, bots: 0 }]);
  expect([mostClicked(tallies).length, tallies.truncated]).toEqual([maxLinks, true]);
});

it('fits an item, however many links one recipient clicked and for however long a campaign is opened', () => {
  const tallies = noTallies();
  const link = (index: number) => String(index).padStart(22, 'l');
  for (let index = 0; index < 15_000; index++) addClick(tallies, { who: 'a@x.example', link: link(index) });
  expect(tallies.seen.length).toBeLessThanOrEqual(2 * maxLinks);
  addClick(tallies, { who: 'a@x.example', link: link(14_999) });
  expect(tallies.links[link(14_999)]).toEqual({ clicks: 2, unique: 1, bots: 0 });
  const start = Date.parse('2026-11-20T10:00:00Z');
  for (let hour = 0; hour < 3 * 365 * 24; hour++) {
    const at = new Date(start + hour * 3_600_000).toISOString();
    addMoments(tallies, new Date(start), { opened_at: at, clicked_at: at });
  }
  expect(JSON.stringify(tallies).length).toBeLessThan(300_000);
});

it('counts first opens and clicks by the hour after the send; what was before it is in the first', () => {
  const start = new Date('2026-11-20T10:30:00Z');
  const tallies = noTallies();
  addMoments(tallies, start, { opened_at: '2026-11-20T10:29:00Z' });
  addMoments(tallies, start, { opened_at: '2026-11-20T11:29:59Z', clicked_at: '2026-11-20T11:30:00Z' });
  addMoments(stored(tallies), start, { opened_at: '2026-11-21T11:30:00Z' });
  addMoments(tallies, start, {});
  expect([tallies.hours, tallies.latest]).toEqual([
    { 0: { opened: 2, clicked: 0 }, 1: { opened: 0, clicked: 1 } },
    '2026-11-20T11:30:00Z',
  ]);
});

it('counts by the day from 48 days after the send on', () => {
  const start = new Date('2026-11-20T10:30:00Z');
  const tallies = noTallies();
  addMoments(tallies, start, { opened_at: '2027-01-07T09:30:00Z', clicked_at: '2027-01-07T10:30:00Z' });
  addMoments(tallies, start, { opened_at: '2027-01-08T10:29:59Z', clicked_at: '2027-01-08T10:30:00Z' });
  const [opened, clicked] = [
    { opened: 1, clicked: 0 },
    { opened: 0, clicked: 1 },
  ];
  expect(tallies.hours).toEqual({ 1151: opened, 1152: { opened: 1, clicked: 1 }, 1176: clicked });
});
