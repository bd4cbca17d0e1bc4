import { hash } from 'node:crypto';
import type { CreateEmailIdentityResponse, DkimAttributes, GetEmailIdentityResponse } from '@aws-sdk/client-sesv2';
import { domainOf } from './addresses.ts';
import { badRequest, notFound, SesError } from './errors.ts';
import type { Identity } from './records.ts';
import type { Store } from './store.ts';

const DKIM_TOKENS = 3;

/** The account's sending identities. */
export type Identities = ReturnType<typeof openIdentities>;

/** Loads the identities into memory, because every send needs one. */
export function openIdentities(store: Store) {
  const byName = new Map(store.identities().map((identity) => [identity.name, identity]));

  function put(identity: Identity): Identity {
    store.putIdentity(identity);
    byName.set(identity.name, identity);
    return identity;
  }

  function require(name: string): Identity {
    const identity = byName.get(name.toLowerCase());
    if (!identity) throw notFound(`Email identity ${name} does not exist.`);
    return identity;
  }

  return {
    /** Whether the domain of an address, or a parent of that domain, is verified. */
    canSend(from: string): boolean {
      const labels = domainOf(from).split('.');
      return labels.some((_, level) => byName.get(labels.slice(level).join('.'))?.verified);
    },

    has: (name: string): boolean => byName.has(name.toLowerCase()),

    /** Verifies a domain at once, as if its DNS records had been found; creates it when needed. */
    verify(name: string): void {
      const known = byName.get(name.toLowerCase());
      put({ ...(known ?? newIdentity(name)), verified: true });
    },

    create(name: unknown): CreateEmailIdentityResponse {
      if (typeof name !== 'string' || !/^[^\s@]+\.[^\s@]+$/.test(name))
        throw badRequest('The local SES takes domains only as EmailIdentity.');
      if (byName.has(name.toLowerCase())) {
        throw new SesError('AlreadyExistsException', 400, `Email identity ${name} already exist.`);
      }
      const identity = put(newIdentity(name));
      return { IdentityType: 'DOMAIN', VerifiedForSendingStatus: false, DkimAttributes: dkim(identity) };
    },

    get(name: string): GetEmailIdentityResponse {
      const identity = require(name);
      return {
        IdentityType: 'DOMAIN',
        VerifiedForSendingStatus: identity.verified,
        VerificationStatus: status(identity),
        DkimAttributes: dkim(identity),
        MailFromAttributes: {
          MailFromDomain: identity.mailFrom ?? undefined,
          MailFromDomainStatus: identity.mailFrom ? status(identity) : undefined,
          BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
        },
      };
    },

    drop(name: string): object {
      const identity = require(name);
      store.dropIdentity(identity.name);
      byName.delete(identity.name);
      return {};
    },

    /** Sets the custom MAIL FROM domain; without a domain, clears it. */
    setMailFrom(name: string, domain: string | undefined): object {
      const identity = require(name);
      if (domain && !domain.toLowerCase().endsWith(`.${identity.name}`)) {
        throw badRequest(`MailFromDomain must be a subdomain of ${identity.name}.`);
      }
      put({ ...identity, mailFrom: domain?.toLowerCase() ?? null });
      return {};
    },
  };
}

function newIdentity(name: string): Identity {
  return { name: name.toLowerCase(), verified: false, mailFrom: null };
}

const status = ({ verified }: Identity) => (verified ? 'SUCCESS' : 'PENDING');

function dkim(identity: Identity): DkimAttributes {
  return {
    SigningEnabled: true,
    Status: status(identity),
    Tokens: Array.from({ length: DKIM_TOKENS }, (_, n) => hash('sha256', `${identity.name}#${n}`).slice(0, 32)),
  };
}
