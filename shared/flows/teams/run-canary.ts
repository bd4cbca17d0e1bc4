import { config } from '../../aws/config.ts';
import { countOf, log, measure } from '../../aws/log.ts';
import * as canaries from '../../data/teams/canary.ts';
import { timestamp } from '../../domain/time.ts';

const answerMs = 20_000;

/**
 * Looks whether the last message of the canary was delivered, and sends the next one: to an address of the mailbox
 * simulator of SES that no other message has. Without a canary that an operator has set it measures nothing.
 */
export async function runCanary(): Promise<void> {
  const canary = await canaries.find();
  if (!canary) return void log.warn('no canary is set');
  const api = apiOf(canary.api_key);
  if (canary.sent) await report(api, canary.sent);
  const at = timestamp();
  const to = `success+${Date.parse(at).toString(36)}@simulator.amazonses.com`;
  // Before it is sent: a message that the API does not take is one that is not delivered.
  await canaries.note(canary, { to, at });
  const message = { to, from_email: canary.from_email, subject: 'Canary', html: '<p>Canary</p>' };
  const answer = await api('POST', '/send', message);
  if (answer && answer.status !== 'sent') log.warn('canary not sent', { outcome: answer.status });
}

type Api = ReturnType<typeof apiOf>;

async function report(api: Api, { to, at }: canaries.CanaryMessage): Promise<void> {
  const [delivered] = (await api('GET', `/events?event=delivered&email=${encodeURIComponent(to)}`)) ?? [];
  countOf('CanaryDelivered', delivered ? 1 : 0);
  if (delivered) measure('CanarySeconds', Date.parse(delivered.created_at) - Date.parse(at));
}

/** Calls the API as its clients do; undefined, with a line in the log, for any answer but 200 or none in time. */
function apiOf(apiKey: string) {
  // biome-ignore lint/suspicious/noExplicitAny: the contract says what an endpoint answers
  return async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(answerMs);
    const [route] = path.split('?');
    try {
      const response = await fetch(`${config.baseUrl}/v1${path}`, {
        method,
        headers,
        signal,
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { data?: unknown; code?: string };
      if (response.status === 200) return answer.data;
      log.warn('canary refused', { route: `${method} ${route}`, status: response.status, code: answer.code });
    } catch (error) {
      log.warn('canary unanswered', { route: `${method} ${route}`, error: (error as Error).name });
    }
    return undefined;
  };
}
