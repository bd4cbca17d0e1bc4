import { expect } from 'vitest';
import { call, type Team } from './team.ts';

/**
 * Reads a listing forwards by cursor and URL, then backwards, and checks the envelope: the same rows in the same order,
 * none twice, full pages, and no cursor without a further page. Returns the rows.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export async function bothWays(team: Team, path: string, size: number): Promise<any[]> {
  const first = `${path}${path.includes('?') ? '&' : '?'}per_page=${size}`;
  const page = async (cursor: string | null) => {
    const { status, body } = await team.api('GET', cursor === null ? first : `${first}&cursor=${cursor}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ per_page: size, has_more: body.next_cursor !== null });
    expect(body.next_page_url === null).toBe(body.next_cursor === null);
    expect(body.prev_page_url === null).toBe(body.prev_cursor === null);
    return body;
  };
  const pages = [await page(null)];
  expect(pages[0].prev_cursor).toBeNull();
  while (pages.at(-1).has_more) {
    expect(pages.at(-1).data).toHaveLength(size);
    pages.push(await page(pages.at(-1).next_cursor));
  }
  for (let index = pages.length - 1; index > 0; index--) {
    const back = await page(pages[index].prev_cursor);
    expect(back.data).toEqual(pages[index - 1].data);
    expect(back.has_more).toBe(true);
    expect(back.prev_cursor === null).toBe(index === 1);
  }
  if (pages.length > 1) {
    const byUrl = await call(pages[0].next_page_url, 'GET', undefined, { authorization: `Bearer ${team.apiKey}` });
    expect(byUrl.body.data).toEqual(pages[1].data);
  }
  return pages.flatMap(({ data }) => data);
}
