import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';

const [, tour = ''] = /^## Tour$(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? [];
const [, ...blocks] = [...tour.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!.trim());
const commands = blocks.flatMap((block) => block.split('\n'));

const folder = mkdtempSync(join(tmpdir(), 'mailwright-tour-'));
let stack: Stack;

// A folder like this one, with its own data.
beforeAll(async () => {
  for (const name of readdirSync('.')) if (name !== '.local') symlinkSync(resolve(name), join(folder, name));
  const [, key, value] = /^npm start -- -c (\w+)=(\w+)$/m.exec(tour)!;
  stack = await startStack({ data: join(folder, '.local'), context: { [key!]: value! } });
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Two minutes of it are between the messages of the sequence. */
const maxTourMs = 300_000;

interface Pasted {
  command: string;
  code: number;
  output: string;
}

/** Runs commands one after the other in one shell. */
async function paste(shell: ChildProcessWithoutNullStreams): Promise<Pasted[]> {
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const pasted: Pasted[] = [];
  for (const command of commands) {
    shell.stdin.write(`${command}\necho "pasted $?"\n`);
    let output = '';
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the shell ended in: ${command}\n${output}`);
      const ended = /^pasted (\d+)$/.exec(value);
      if (ended) {
        pasted.push({ command, output, code: Number(ended[1]) });
        break;
      }
      output += `${value}\n`;
    }
  }
  return pasted;
}

it(
  "the README's tour works when pasted: only the refusals that it announces occur, campaign and sequence end",
  async () => {
    const shell = spawn('bash', { cwd: folder, detached: true });
    // With its child processes.
    const end = () => shell.signalCode === null && process.kill(-shell.pid!, 'SIGKILL');
    const tooLong = setTimeout(end, maxTourMs);
    const pasted = await paste(shell).finally(end);
    clearTimeout(tooLong);
    expect(pasted.length).toBeGreaterThan(15);
    expect(pasted.filter(({ code }) => code !== 0)).toEqual([]);
    for (const { command, output } of pasted.filter((one) => /^api .*[^}]$/.test(one.command)))
      expect(() => JSON.parse(output), command).not.toThrow();
    const refused = pasted.filter(({ output }) => output.includes('"request_id"'));
    expect(refused.map(({ command }) => command)).toEqual(['api -X POST $API/campaigns/$CAMPAIGN/send']);
    expect(refused[0]!.output).toContain('content_missing');
    const events = readFileSync(join(folder, '.local/events.log'), 'utf8');
    for (const type of ['campaign.sent', 'sequence.completed']) expect(events).toContain(`verified ${type} evt_`);
    expect(events).not.toContain('refused');
    const report = pasted.find(({ command }) => command.includes('/report'))!;
    expect(JSON.parse(report.output).data).toMatchObject({ status: 'sent', metrics: { sent: 3 } });
  },
  2 * maxTourMs,
);
