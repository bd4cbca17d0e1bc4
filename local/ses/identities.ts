import { hash } from 'node:crypto';
import type {
  CreateEmailIdentityRequest,
  CreateEmailIdentityResponse,
  DkimAttributes,
  GetEmailIdentityResponse,
  Tag,
} from '@aws-sdk/client-sesv2';
import { domainOf } from './addresses.ts';
import { badRequest, notFound, SesError } from './errors.ts';
import type { Identity } from './records.ts';
import type { Store } from './store.ts';

const DKIM_TOKENS = 3;
/** The zone of the older regions; later ones have their own. */
const OLDEST_ZONE = 'dkim.amazonses.com';
const TAG = /^[\p{L}\p{Z}\p{N}_.:/=+@-]*$/u;

/** The account's sending identities. */
export type Identities = ReturnType<typeof openIdentities>;

/** Loads the identities into memory, because every send needs one. */
export function openIdentities(store: Store) {
  const byName = new Map(store.identities().map((known) => [known.name, { ...newIdentity(known.name), ...known }]));
  let signingZone = OLDEST_ZONE;

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
    tagsOf: (name: string): Record<string, string> => byName.get(name.toLowerCase())?.tags ?? {},

    /** Whether bounces and complaints about messages of an address are mailed to that address. */
    forwards(from: string): boolean {
      const labels = domainOf(from).split('.');
      const names = labels.map((_, level) => labels.slice(level).join('.'));
      return byName.get(names.find((name) => byName.has(name)) ?? '')?.forwards ?? false;
    },

    /**
     * Verifies a domain at once, as if its DNS records had been found. One that the account does not have is created as
     * by somebody else: with these tags, or none.
     */
    verify(name: string, tags: Record<string, string> = {}): void {
      const known = byName.get(name.toLowerCase());
      put({ ...(known ?? { ...newIdentity(name), signingZone, tags }), verified: true });
    },

    /** Sets the zone with the DKIM keys of identities from now on, which differs among regions. */
    signIn(zone: string): void {
      signingZone = zone;
    },

    create({ EmailIdentity: name, Tags = [] }: CreateEmailIdentityRequest): CreateEmailIdentityResponse {
      if (typeof name !== 'string' || !/^[^\s@]+\.[^\s@]+$/.test(name))
        throw badRequest('The local SES takes domains only as EmailIdentity.');
      if (byName.has(name.toLowerCase())) {
        throw new SesError('AlreadyExistsException', 400, `Email identity ${name} already exist.`);
      }
      const identity = put({ ...newIdentity(name), signingZone, tags: readTags(Tags) });
      return { IdentityType: 'DOMAIN', VerifiedForSendingStatus: false, DkimAttributes: dkim(identity) };
    },

    get(name: string): GetEmailIdentityResponse {
      const identity = require(name);
      return {
        IdentityType: 'DOMAIN',
        VerifiedForSendingStatus: identity.verified,
        VerificationStatus: status(identity),
        FeedbackForwardingStatus: identity.forwards,
        Tags: Object.entries(identity.tags).map(([Key, Value]) => ({ Key, Value })),
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

    /** Switches the mailing of bounces and complaints to the sender on or off. */
    setForwarding(name: string, forwards = false): object {
      put({ ...require(name), forwards });
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
  const given = { tags: {}, signingZone: OLDEST_ZONE, forwards: true };
  return { name: name.toLowerCase(), verified: false, mailFrom: null, ...given };
}

function readTags(tags: Tag[]): Record<string, string> {
  const wrong = tags.find(({ Key, Value }) => !Key || Key.length > 128 || !TAG.test(Key) || !TAG.test(Value ?? '?'));
  if (wrong) throw badRequest(`Tag ${JSON.stringify(wrong)} is not valid.`);
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key!, Value!]));
}

const status = ({ verified }: Identity) => (verified ? 'SUCCESS' : 'PENDING');

function dkim(identity: Identity): DkimAttributes {
  return {
    SigningEnabled: true,
    SigningHostedZone: identity.signingZone,
    Status: status(identity),
    Tokens: Array.from({ length: DKIM_TOKENS }, (_, n) => hash('sha256', `${identity.name}#${n}`).slice(0, 32)),
  };
}
