import * as z from 'zod';
import { sendMessage as send } from '../../shared/flows/send-message.ts';
import { bodyText } from '../../shared/http/content-schemas.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { address, email, metadata, recordId, singleLine } from '../../shared/http/schemas.ts';

export const sendMessage = endpoint({
  method: 'POST',
  path: '/send',
  scope: 'transactional:send',
  summary: 'Send one message to one person; with an Idempotency-Key a repeated request sends none',
  body: z
    .object({
      to: email,
      to_name: singleLine(100, 0).nullish(),
      from_email: email,
      from_name: singleLine(100, 0).nullish(),
      reply_to: email.nullish(),
      subject: singleLine(255),
      html: bodyText.nullish().describe('Required unless template_id is given, and wins over it'),
      text: bodyText.nullish().describe('Made from the HTML when absent'),
      template_id: recordId.nullish(),
      variables: metadata.nullish().describe('Values of merge tags; `{{order.id}}` reads inside an object'),
      ignore_suppression: z.boolean().nullish().describe("Waives the team's own suppression list"),
    })
    .meta({
      id: 'TransactionalMessage',
      example: {
        to: 'ada@example.com',
        to_name: 'Ada Lovelace',
        from_email: 'orders@example.com',
        subject: 'Order {{order.id}}',
        html: '<p>It is on its way, {{name}}.</p>',
        variables: { name: 'Ada', order: { id: 7 } },
      },
    }),
  response: dataOf(
    z.object({
      status: z.enum(['sent', 'sandboxed']),
      to: address,
      subject: z.string().meta({ example: 'Order 7' }),
      delivered: z.boolean().describe('Whether SES has said that it took the message'),
    }),
  ),
  handle: async ({ caller, body, operation }) => ({ data: await send(caller, body, operation) }),
});
