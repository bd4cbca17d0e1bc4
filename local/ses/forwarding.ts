import { randomUUID } from 'node:crypto';
import { addressOf } from './addresses.ts';
import type { Identities } from './identities.ts';
import { type Call, recipientsOf } from './records.ts';
import { outcomeOf } from './simulator.ts';
import type { Store } from './store.ts';
import type { Templates } from './templates.ts';

const SUBJECTS = {
  Bounce: 'Delivery Status Notification (Failure)',
  Complaint: 'Complaint about an email that you sent',
};

/** The parts of the server that this needs. */
interface Forwarding {
  identities: Identities;
  store: Store;
  templates: Templates;
}

/** Mails the bounces and complaints of a call to its sender, which SES does unless the identity says otherwise. */
export function forwardFeedback(server: Forwarding, call: Call): void {
  if (!server.identities.forwards(call.from)) return;
  for (const recipient of call.entries.flatMap(recipientsOf))
    for (const [kind, subject] of Object.entries(SUBJECTS))
      if (outcomeOf(recipient).some((outcome) => outcome === kind)) mail(server, call, subject, recipient);
}

function mail({ store, templates }: Forwarding, call: Call, subject: string, recipient: string): void {
  const text = `The following recipient: ${recipient}`;
  const entry = { to: [addressOf(call.from)], data: {}, headers: [], tags: {} };
  const draft = {
    uuid: randomUUID(),
    acceptedAt: call.acceptedAt,
    contentId: templates.idOf(templates.of({ literal: true, subject, text })),
    operation: 'SendEmail' as const,
    caller: 'SES',
    from: 'MAILER-DAEMON@amazonses.com',
    replyTo: [],
    entries: [entry],
  };
  store.accept(draft, 0, []);
}
