import { expect, it } from 'vitest';
import { clickedPlaces } from '../../../shared/domain/reports/shared-links.ts';

const link = (url: string, clicks = 1) => ({ url, clicks, unique: 1 });

it('shows no query or fragment, which may name a recipient, and adds up the links of one place', () => {
  const links = [link('https://shop.example/?u=ann@x.example'), link('https://shop.example/?u=bob@x.example', 2)];
  expect(clickedPlaces([...links, link('https://shop.example/#ann')])).toEqual([
    { place: 'shop.example/', clicks: 4, unique: 3 },
  ]);
});

it('leaves out places with an address in them, and links that nobody clicked', () => {
  const links = ['https://x.example/ann@x.example', 'https://x.example/ann%40x.example'].map((url) => link(url));
  expect(clickedPlaces([...links, link('https://shop.example/', 0)])).toEqual([]);
});

it('has the most clicked place first, and the scheme where it is not https', () => {
  expect(clickedPlaces([link('http://a.example/', 1), link('https://b.example/', 2)])).toEqual([
    { place: 'b.example/', clicks: 2, unique: 1 },
    { place: 'http://a.example/', clicks: 1, unique: 1 },
  ]);
});
