import type { Browser } from 'playwright-core';

/** What a person sees of a page and can do on it. */
export interface Visit {
  title: string;
  text: string;
  /** Presses the page's only button; undefined where there is none. */
  press: (() => Promise<Visit>) | undefined;
}

/** Opens a page as a person with a phone does, over HTTP where there is no browser; notes what the browser complains of. */
export async function visit(browser: Browser | undefined, url: string, complaints: string[] = []): Promise<Visit> {
  if (!browser) return readAnswer(url, await fetch(url));
  const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  const look = async (): Promise<Visit> => {
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    if (wide) complaints.push('is wider than a phone');
    const buttons = await page.getByRole('button').all();
    const press = async () => {
      await Promise.all([page.waitForEvent('load'), buttons[0]!.click()]);
      return look();
    };
    return {
      title: await page.title(),
      text: await page.locator('main').innerText(),
      press: buttons.length === 1 ? press : undefined,
    };
  };
  return look();
}

async function readAnswer(url: string, response: Response): Promise<Visit> {
  const html = await response.text();
  const press = async () => readAnswer(url, await fetch(url, { method: 'POST', body: new URLSearchParams() }));
  return {
    title: /<title>(.*?)<\/title>/.exec(html)![1]!,
    text: /<main[^>]*>(.*)<\/main>/s.exec(html)![1]!.replace(/<[^>]*>/g, ' '),
    press: html.includes('<form method="post"><button') ? press : undefined,
  };
}
