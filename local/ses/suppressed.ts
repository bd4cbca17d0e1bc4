import type {
  GetSuppressedDestinationResponse,
  PutSuppressedDestinationRequest,
  SuppressionListReason,
} from '@aws-sdk/client-sesv2';
import { badRequest, notFound } from './errors.ts';
import type { Store } from './store.ts';

/** The account's suppression list: SES answers mail to these addresses with a bounce, and sends nothing. */
export type Suppressed = ReturnType<typeof openSuppressed>;

/** Opens the list; addresses are in lower case. */
export function openSuppressed(store: Store) {
  const byAddress = new Map(store.suppressed().map((entry) => [entry.address, entry]));

  function require(address: string) {
    const entry = byAddress.get(address.toLowerCase());
    if (!entry) throw notFound(`Email address ${address} does not exist on your suppression list.`);
    return entry;
  }

  return {
    has: (address: string): boolean => byAddress.has(address),

    put({ EmailAddress = '', Reason }: PutSuppressedDestinationRequest): object {
      if (Reason !== 'BOUNCE' && Reason !== 'COMPLAINT') throw badRequest('Reason must be BOUNCE or COMPLAINT.');
      const entry = { address: EmailAddress.toLowerCase(), reason: Reason as string, at: Date.now() };
      store.putSuppressed(entry);
      byAddress.set(entry.address, entry);
      return {};
    },

    get(name: string): GetSuppressedDestinationResponse {
      const { address, reason, at } = require(name);
      const LastUpdateTime = (at / 1000) as unknown as Date;
      return {
        SuppressedDestination: { EmailAddress: address, Reason: reason as SuppressionListReason, LastUpdateTime },
      };
    },

    drop(name: string): object {
      const { address } = require(name);
      store.dropSuppressed(address);
      byAddress.delete(address);
      return {};
    },
  };
}
