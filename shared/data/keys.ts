/** Every key of the table (docs/table.md): by team, except API keys, request windows, jobs and the platform's. */

/** The key of an item. */
export interface Key {
  pk: string;
  sk: string;
}

/** The keys of an item in the two indexes. */
export interface IndexKeys {
  gsi1pk?: string;
  gsi1sk?: string;
  gsi2pk?: string;
  gsi2sk?: string;
}

const at = (pk: string, sk: string): Key => ({ pk, sk });

/** Ids sort as text when padded; 12 digits hold every id we give. */
export const padId = (id: number): string => String(id).padStart(12, '0');

/** The sort key of an event and its position in listings: its time and its id, as text that sorts. */
export const eventPosition = (time: string, id: number): string => `${time}#${String(id).padStart(16, '0')}`;

/** The subject of a rate limit: an API key by its hash, a team, or a source address. */
export type RateSubject = { keyHash: string } | { teamId: number } | { address: string };

const team = (teamId: number): string => `TEAM#${teamId}`;
const campaign = (teamId: number, campaignId: number): string => `${team(teamId)}#CAMPAIGN#${campaignId}`;
const waitlist = (teamId: number, waitlistId: number): string => `${team(teamId)}#WAITLIST#${waitlistId}`;
const sequence = (teamId: number, sequenceId: number): string => `${team(teamId)}#SEQUENCE#${sequenceId}`;
const apiKey = (hash: string): string => `KEY#${hash}`;

function limited(subject: RateSubject): string {
  if ('teamId' in subject) return `${team(subject.teamId)}#RATE`;
  return 'keyHash' in subject ? apiKey(subject.keyHash) : `IP#${subject.address}`;
}

/** How the sort keys of a campaign's send counters begin. */
export const sendStatsPrefix = 'STATS#';

/** How the sort keys of feedback batches that are being counted begin. */
export const countingPrefix = 'COUNTING#';

/** How the sort keys of a webhook's deliveries begin. */
export const deliveryPrefix = 'DELIVERY#';

/** A domain's labels from the last to the first, each with a dot: the domains below it begin with the same text. */
export const treePosition = (domain: string): string => `${domain.split('.').reverse().join('.')}.`;

/** The first shard of an endpoint's deliveries has the keys of the version that had no shards. */
const shardSuffix = (shard: number): string => (shard === 0 ? '' : `#${shard}`);

/** Partition keys that are queried. */
export const partitions = {
  contacts: (teamId: number) => `${team(teamId)}#CONTACT`,
  contactsByChange: (teamId: number, shard: number) => `${team(teamId)}#CONTACT_CHANGE#${shard}`,
  // Contacts that have not changed since earlier versions.
  contactsByChangeUnsharded: (teamId: number) => `${team(teamId)}#CONTACT`,
  contactsByStatus: (teamId: number, status: string) => `${team(teamId)}#CONTACT_STATUS#${status}`,
  segments: (teamId: number) => `${team(teamId)}#SEGMENTS`,
  list: (teamId: number, listId: number) => `${team(teamId)}#LIST#${listId}`,
  tag: (teamId: number, tagId: number) => `${team(teamId)}#TAG#${tagId}`,
  lists: (teamId: number) => `${team(teamId)}#LISTS`,
  tags: (teamId: number) => `${team(teamId)}#TAGS`,
  memberCounts: (teamId: number, what: 'list' | 'tag', block: number) =>
    `${team(teamId)}#${what.toUpperCase()}_COUNTS#${block}`,
  suppressions: (teamId: number) => `${team(teamId)}#SUPPRESSION`,
  platformSuppressions: 'PLATFORM#SUPPRESSION',
  suppressionsFor: (teamId: number, reason: string) => `${team(teamId)}#SUPPRESSION#${reason}`,
  domains: (teamId: number) => `${team(teamId)}#DOMAIN`,
  templates: (teamId: number) => `${team(teamId)}#TEMPLATES`,
  campaigns: (teamId: number) => `${team(teamId)}#CAMPAIGNS`,
  deletedCampaigns: (teamId: number) => `${team(teamId)}#DELETED_CAMPAIGNS`,
  sendLog: (teamId: number) => `${team(teamId)}#SEND_LOG`,
  directOutcomes: (teamId: number) => `${team(teamId)}#DIRECT_OUTCOMES`,
  webhooks: (teamId: number) => `${team(teamId)}#WEBHOOKS`,
  deliveries: (teamId: number, webhookId: number, shard: number) =>
    `${team(teamId)}#WEBHOOK#${webhookId}${shardSuffix(shard)}`,
  deliveriesAbout: (teamId: number, email: string) => `${team(teamId)}#DELIVERY_EMAIL#${email}`,
  deliveryRetries: (teamId: number, webhookId: number, shard: number) =>
    `${team(teamId)}#WEBHOOK_RETRY#${webhookId}${shardSuffix(shard)}`,
  campaign,
  recipients: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#RECIPIENTS`,
  pages: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#PAGES`,
  clicks: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#CLICKS`,
  engagement: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#ENGAGEMENT`,
  audienceRows: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#PACKED_ROWS`,
  singleRows: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#ROWS`,
  eventDays: (teamId: number) => `${team(teamId)}#EVENT_DAYS`,
  events: (teamId: number, day: string, shard: number) => `${team(teamId)}#EVENT#${day}#${shard}`,
  eventsOfEmail: (teamId: number, email: string) => `${team(teamId)}#EVENT_EMAIL#${email}`,
  eventsOfCampaign: (teamId: number, campaignId: number, shard?: number) =>
    `${campaign(teamId, campaignId)}#EVENTS${shard === undefined ? '' : `#${shard}`}`,
  delivered: (teamId: number, day: string) => `${team(teamId)}#DELIVERED#${day}`,
  deliveredOfCampaign: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#DELIVERED`,
  apiKeys: (teamId: number) => `${team(teamId)}#API_KEYS`,
  // Not under the team: functions are denied to change what is under this prefix (lib/grants.ts).
  auditLog: (teamId: number, month: string) => `AUDIT#${teamId}#${month}`,
  waitlists: (teamId: number) => `${team(teamId)}#WAITLISTS`,
  waitlist,
  waitlistSignups: (teamId: number, waitlistId: number) => `${waitlist(teamId, waitlistId)}#SIGNUPS`,
  waitlistsOfEmail: (teamId: number, email: string) => `${team(teamId)}#WAITLIST_EMAIL#${email}`,
  sequences: (teamId: number) => `${team(teamId)}#SEQUENCES`,
  sequence,
  sequenceSubscribers: (teamId: number, sequenceId: number) => `${sequence(teamId, sequenceId)}#SUBSCRIBERS`,
  sequencesOfContact: (teamId: number, contactId: number) => `${team(teamId)}#CONTACT_SEQUENCES#${contactId}`,
  sequenceDue: (teamId: number, sequenceId: number, shard: number) => `${sequence(teamId, sequenceId)}#DUE#${shard}`,
  sequenceTriggers: (teamId: number) => `${team(teamId)}#SEQUENCE_TRIGGERS`,
  liftedSuppressions: 'PLATFORM#SUPPRESSION_LIFTED',
  domainTree: 'PLATFORM#DOMAIN_TREE',
  sending: 'SENDING',
  activeSequences: (shard: number) => `SEQUENCES#${shard}`,
  dueMarks: (shard: number) => `SEQUENCE_DUE#${shard}`,
  due: (shard: number) => `DUE#${shard}`,
} as const;

/** The keys of single items. */
export const keys = {
  platformCounter: () => at('PLATFORM', 'SEQ'),
  signingKey: () => at('PLATFORM', 'SIGNING_KEY'),
  dataKeys: () => at('PLATFORM#DATA_KEYS', 'DATA_KEYS'),
  cursorKey: () => at('PLATFORM#CURSORS', 'CURSOR_KEY'),
  accountLimits: () => at('PLATFORM', 'ACCOUNT_LIMITS'),
  canary: () => at('PLATFORM#CANARY', 'CANARY'),
  sendRate: () => at('PLATFORM', 'SEND_RATE'),
  directRate: () => at('PLATFORM', 'DIRECT_RATE'),
  platformSuppression: (email: string) => at(partitions.platformSuppressions, email),
  // An address has no space.
  liftedSuppression: (email: string, time: string) => at(partitions.liftedSuppressions, `${email} ${time}`),
  domainOwner: (domain: string) => at('PLATFORM#DOMAIN', domain),
  domainPlace: (domain: string) => at(partitions.domainTree, treePosition(domain)),
  team: (teamId: number) => at(team(teamId), 'TEAM'),
  counter: (teamId: number, name: string) => at(team(teamId), `SEQ#${name}`),
  warehouse: (teamId: number) => at(team(teamId), 'WAREHOUSE'),
  sendShare: (teamId: number) => at(team(teamId), 'SEND_SHARE'),
  usage: (teamId: number, month: string) => at(team(teamId), `USAGE#${month}`),
  pageMail: (teamId: number, day: string) => at(team(teamId), `PAGE_MAIL#${day}`),
  contact: (teamId: number, email: string) => at(partitions.contacts(teamId), email),
  contactIds: (teamId: number, block: number) => at(`${team(teamId)}#CONTACT_IDS#${block}`, 'IDS'),
  contactId: (teamId: number, id: number) => at(`${team(teamId)}#CONTACT_ID#${id % 16}`, padId(id)),
  // Of contacts that earlier versions created.
  contactIdUnsharded: (teamId: number, id: number) => at(`${team(teamId)}#CONTACT_ID`, padId(id)),
  list: (teamId: number, id: number) => at(partitions.lists(teamId), padId(id)),
  membership: (teamId: number, listId: number, email: string) => at(partitions.list(teamId, listId), email),
  tag: (teamId: number, id: number) => at(partitions.tags(teamId), padId(id)),
  memberCounts: (teamId: number, what: 'list' | 'tag', block: number, shard: number) =>
    at(partitions.memberCounts(teamId, what, block), String(shard)),
  tagName: (teamId: number, name: string) => at(`${team(teamId)}#TAG_NAME`, name.toLowerCase()),
  tagging: (teamId: number, tagId: number, email: string) => at(partitions.tag(teamId, tagId), email),
  segment: (teamId: number, id: number) => at(partitions.segments(teamId), padId(id)),
  suppression: (teamId: number, email: string) => at(partitions.suppressions(teamId), email),
  domain: (teamId: number, domain: string) => at(partitions.domains(teamId), domain),
  template: (teamId: number, id: number) => at(partitions.templates(teamId), padId(id)),
  templateBody: (teamId: number, id: number) => at(`${team(teamId)}#TEMPLATE#${id}`, 'BODY'),
  campaign: (teamId: number, id: number) => at(partitions.campaigns(teamId), padId(id)),
  deletedCampaign: (teamId: number, id: number) => at(partitions.deletedCampaigns(teamId), padId(id)),
  sendLog: (teamId: number) => at(team(teamId), 'SEND_LOG'),
  loggedSend: (teamId: number, frozenAt: string, id: number) =>
    at(partitions.sendLog(teamId), `${frozenAt}#${padId(id)}`),
  directOutcome: (teamId: number, hour: string, shard: number) =>
    at(partitions.directOutcomes(teamId), `${hour}#${shard}`),
  webhook: (teamId: number, id: number) => at(partitions.webhooks(teamId), padId(id)),
  webhookGate: (teamId: number) => at(team(teamId), 'WEBHOOKS'),
  webhookSlots: (teamId: number, host: string, shard: number) =>
    at(`${team(teamId)}#WEBHOOK_SLOTS#${host}#${shard}`, 'SLOTS'),
  delivery: (teamId: number, webhookId: number, shard: number, time: string, id: number) =>
    at(partitions.deliveries(teamId, webhookId, shard), deliveryPrefix + eventPosition(time, id)),
  deliveryRetry: (teamId: number, webhookId: number, shard: number, eventId: string) =>
    at(partitions.deliveries(teamId, webhookId, shard), `RETRY#${eventId}`),
  serviceMail: (teamId: number, hash: string) => at(`${team(teamId)}#SERVICE_MAIL`, hash),
  erasedAddress: (teamId: number, hash: string) => at(`${team(teamId)}#ERASED`, hash),
  content: (teamId: number, id: number) => at(campaign(teamId, id), 'CONTENT'),
  sendStats: (teamId: number, id: number, shard: number) => at(campaign(teamId, id), sendStatsPrefix + shard),
  feedbackStats: (teamId: number, id: number) => at(campaign(teamId, id), 'FEEDBACK'),
  deliveredStats: (teamId: number, id: number, shard?: number) =>
    at(campaign(teamId, id), `DELIVERED${shard === undefined ? '' : `#${shard}`}`),
  countedReport: (teamId: number, id: number) => at(campaign(teamId, id), 'REPORT'),
  reportCount: (teamId: number, id: number) => at(campaign(teamId, id), 'REPORT#COUNT'),
  deliveries: (teamId: number, id: number, record: number) =>
    at(`${campaign(teamId, id)}#DELIVERED#${record % 16}`, padId(record)),
  countingBatch: (teamId: number, id: number, begunAt: string, batch: string) =>
    at(campaign(teamId, id), `${countingPrefix}${begunAt}#${batch}`),
  audienceImport: (teamId: number, id: number) => at(campaign(teamId, id), 'IMPORT'),
  importObjects: (teamId: number, id: number) => at(campaign(teamId, id), 'IMPORT#OBJECTS'),
  // A space sorts before every character of an address: a run's rows are in address order.
  audienceRows: (teamId: number, id: number, run: string, email: string) =>
    at(partitions.audienceRows(teamId, id), `${run} ${email}`),
  leaf: (teamId: number, id: number, sk: string) => at(partitions.recipients(teamId, id), sk),
  page: (teamId: number, id: number, page: number) => at(partitions.pages(teamId, id), padId(page)),
  link: (teamId: number, id: number, hash: string) => at(campaign(teamId, id), `LINK#${hash}`),
  // An address has no space: the clicker is the text before the first one.
  click: (teamId: number, id: number, clicker: string, time: string, event: number) =>
    at(partitions.clicks(teamId, id), `${clicker} ${eventPosition(time, event)}`),
  engagement: (teamId: number, id: number, email: string) => at(partitions.engagement(teamId, id), email),
  // Sorts before every address.
  erasedEngagement: (teamId: number, id: number, { page, index }: { page: number; index: number }) =>
    at(partitions.engagement(teamId, id), ` ${padId(page)}#${index}`),
  eventIdentity: (teamId: number, id: number) => at(`${team(teamId)}#EVENT_ID#${id}`, 'EVENT_ID'),
  eventDay: (teamId: number, day: string) => at(partitions.eventDays(teamId), day),
  event: (teamId: number, day: string, shard: number, time: string, id: number) =>
    at(partitions.events(teamId, day, shard), eventPosition(time, id)),
  waitlistSlug: (slug: string) => at('PLATFORM#WAITLIST_SLUG', slug),
  waitlist: (teamId: number, id: number) => at(partitions.waitlists(teamId), padId(id)),
  waitlistSignup: (teamId: number, waitlistId: number, id: number) =>
    at(partitions.waitlistSignups(teamId, waitlistId), padId(id)),
  waitlistAddress: (teamId: number, email: string, waitlistId: number) =>
    at(partitions.waitlistsOfEmail(teamId, email), padId(waitlistId)),
  waitlistCode: (teamId: number, id: number, code: string) => at(waitlist(teamId, id), `CODE#${code}`),
  waitlistPlace: (teamId: number, id: number, slot: number) => at(waitlist(teamId, id), `PLACE#${padId(slot)}`),
  waitlistBucket: (teamId: number, id: number, bucket: number) => at(waitlist(teamId, id), `BUCKET#${padId(bucket)}`),
  waitlistInvitation: (teamId: number, id: number, operationId: string) =>
    at(waitlist(teamId, id), `INVITATION#${operationId}`),
  sequence: (teamId: number, id: number) => at(partitions.sequences(teamId), padId(id)),
  sequenceSteps: (teamId: number, id: number) => at(sequence(teamId, id), 'STEPS'),
  stepBody: (teamId: number, id: number, bodyId: string) => at(sequence(teamId, id), `BODY#${bodyId}`),
  sequenceLane: (teamId: number, id: number, shard: number) => at(sequence(teamId, id), `LANE#${shard}`),
  sequenceSubscriber: (teamId: number, id: number, email: string) =>
    at(partitions.sequenceSubscribers(teamId, id), email),
  // Sorts before every address.
  erasedSubscriber: (teamId: number, id: number, contactId: number) =>
    at(partitions.sequenceSubscribers(teamId, id), ` ${padId(contactId)}`),
  sequenceTrigger: (teamId: number, id: number) => at(partitions.sequenceTriggers(teamId), padId(id)),
  activeSequence: (shard: number, teamId: number, id: number) =>
    at(partitions.activeSequences(shard), `${teamId}#${id}`),
  dueMark: (markShard: number, dueAt: string, teamId: number, sequenceId: number, shard: number | 'all') =>
    at(partitions.dueMarks(markShard), [dueAt, teamId, sequenceId, shard].join('#')),
  apiKey: (hash: string) => at(apiKey(hash), 'KEY'),
  apiKeyRegistry: (teamId: number) => at(team(teamId), 'API_KEYS'),
  auditRow: (teamId: number, time: string, id: string) =>
    at(partitions.auditLog(teamId, time.slice(0, 7)), `${time}#${id}`),
  rateWindow: (subject: RateSubject, minute: number) => at(limited(subject), `RATE#${minute}`),
  idempotency: (teamId: number, key: string) => at(`${team(teamId)}#IDEMPOTENCY`, key),
  idempotencyPart: (teamId: number, leaseId: string, part: number) =>
    at(`${team(teamId)}#IDEMPOTENCY_ANSWER#${leaseId}`, padId(part)),
  due: (shard: number, dueAt: string, kind: string, about: readonly (string | number)[]) =>
    at(partitions.due(shard), [dueAt, kind.toUpperCase(), ...about].join('#')),
} as const;
