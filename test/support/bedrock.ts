import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the model received. */
export interface Asked {
  modelId: string;
  system: string;
  /** The text between the marks around the material. */
  material: string;
  tool: string;
  // biome-ignore lint/suspicious/noExplicitAny: the request's JSON
  body: any;
}

/** The model's reply (`tokens` null: without usage): a tool call, a text, an error, or a closed connection. */
export type Reply =
  | { input: unknown; tokens?: number | null; stopReason?: string }
  | { text: string; stopReason?: string; tokens?: number | null }
  | { status: number; error: string; message?: string }
  | 'hangs up';

/** A fake model behind Bedrock's Converse API. */
export interface FakeModel {
  endpoint: string;
  asked: Asked[];
  /** Sets the next replies, in order; the last one repeats. */
  answers(...replies: (Reply | ((asked: Asked) => Reply | Promise<Reply>))[]): void;
  close(): void;
}

/** Starts a model on a free port. */
export async function startModel(): Promise<FakeModel> {
  const asked: Asked[] = [];
  let script: (Reply | ((asked: Asked) => Reply | Promise<Reply>))[] = [{ text: 'I have nothing to say.' }];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const question = read(request.url ?? '', Buffer.concat(chunks).toString());
      asked.push(question);
      const next = script.length > 1 ? script.shift()! : script[0]!;
      const reply = typeof next === 'function' ? await next(question) : next;
      if (reply === 'hangs up') return void response.destroy();
      const failed = 'status' in reply;
      response.writeHead(failed ? reply.status : 200, {
        'content-type': 'application/json',
        ...(failed && { 'x-amzn-errortype': reply.error }),
      });
      response.end(JSON.stringify(failed ? { message: reply.message ?? reply.error } : converse(reply, question.tool)));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answers(...replies) {
      asked.length = 0;
      script = replies;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function read(path: string, text: string): Asked {
  const body = JSON.parse(text);
  const said: string = body.messages[0].content[0].text;
  return {
    modelId: decodeURIComponent(path.split('/')[2] ?? ''),
    system: body.system[0].text,
    material: /^<data-([\w-]+)>\n([\s\S]*)\n<\/data-\1>$/.exec(said)?.[2] ?? '',
    tool: body.toolConfig.tools[0].toolSpec.name,
    body,
  };
}

function converse(reply: Exclude<Reply, 'hangs up' | { status: number }>, tool: string): object {
  const { tokens = 120 } = reply;
  const content =
    'text' in reply ? [{ text: reply.text }] : [{ toolUse: { toolUseId: 't1', name: tool, input: reply.input } }];
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: reply.stopReason ?? ('text' in reply ? 'end_turn' : 'tool_use'),
    ...(tokens !== null && { usage: { inputTokens: tokens - 20, outputTokens: 20, totalTokens: tokens } }),
    metrics: { latencyMs: 1 },
  };
}
