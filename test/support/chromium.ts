import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path && existsSync(path));

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Whether this machine has a browser. */
export const hasChromium = executablePath !== undefined;

/** Starts this machine's Chromium; undefined where there is none. */
export async function openChromium(): Promise<Browser | undefined> {
  return executablePath ? chromium.launch({ executablePath, args }) : undefined;
}
