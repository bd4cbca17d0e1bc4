import { existsSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** The memory and the processor time of a process (Linux only). */
export function processUsed(pid: number): { megabytes: number; seconds: number } | undefined {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  const [user, system] = read('stat')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(read('status'))?.[1]);
  return { megabytes: kilobytes / 1024, seconds: (user! + system!) / ticksPerSecond };
}
