import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';

const [, tour = ''] = /^## Tour$(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? [];
const commands = [...tour.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => block!.trim().split('\n'));

const folder = mkdtempSync(join(tmpdir(), 'mailwright-tour-'));
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ data: join(folder, '.local') });
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Pasted {
  command: string;
  code: number;
  output: string;
}

/** Pastes commands into one shell, each when the one before has ended. */
async function paste(shell: ChildProcessWithoutNullStreams): Promise<Pasted[]> {
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const pasted: Pasted[] = [];
  for (const command of commands) {
    shell.stdin.write(`${command} 2>&1\necho "pasted $?"\n`);
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

it("the README's tour can be pasted as it stands: every command works, only what it says is refused, and the campaign is sent", async () => {
  const shell = spawn('bash', [], { cwd: folder });
  const pasted = await paste(shell).finally(() => shell.kill());
  expect(pasted.length).toBeGreaterThan(15);
  expect(pasted.filter(({ code }) => code !== 0)).toEqual([]);
  for (const { command, output } of pasted.filter((one) => /^api .*[^}]$/.test(one.command)))
    expect(() => JSON.parse(output), command).not.toThrow();
  const refused = pasted.filter(({ output }) => output.includes('"request_id"'));
  expect(refused.map(({ command }) => command)).toEqual(['api -X POST $API/campaigns/$CAMPAIGN/send']);
  expect(refused[0]!.output).toContain('content_missing');
  const report = pasted.find(({ command }) => command.includes('/report'))!;
  expect(JSON.parse(report.output).data).toMatchObject({ status: 'sent', metrics: { sent: 3 } });
});
