/** Every key of the table (docs/table.md): by team, except API keys, request windows, jobs and the platform's. */

/** The key of an item. */
export interface Key {
  pk: string;
  sk: string;
}

/** Ids sort as text when padded; 12 digits hold every id we give. */
export const padId = (id: number): string => String(id).padStart(12, '0');

/** The sort key of an event and its position in listings: its time and its id, as text that sorts. */
export const eventPosition = (time: string, id: number): string => `${time}#${String(id).padStart(16, '0')}`;

/** The subject of a rate limit: an API key by its hash, or a source address. */
export type RateSubject = { keyHash: string } | { address: string };

const team = (teamId: number): string => `TEAM#${teamId}`;
const campaign = (teamId: number, campaignId: number): string => `${team(teamId)}#CAMPAIGN#${campaignId}`;
const waitlist = (teamId: number, waitlistId: number): string => `${team(teamId)}#WAITLIST#${waitlistId}`;
const sequence = (teamId: number, sequenceId: number): string => `${team(teamId)}#SEQUENCE#${sequenceId}`;
const apiKey = (hash: string): string => `KEY#${hash}`;

/** How the sort keys of a campaign's send counters begin. */
export const sendStatsPrefix = 'STATS#';

/** How the sort keys of a webhook's deliveries begin. */
export const deliveryPrefix = 'DELIVERY#';

/** Partition keys that are queried. */
export const partitions = {
  contacts: (teamId: number) => `${team(teamId)}#CONTACT`,
  contactsByChange: (teamId: number) => `${team(teamId)}#CONTACT`,
  contactsByStatus: (teamId: number, status: string) => `${team(teamId)}#CONTACT_STATUS#${status}`,
  segments: (teamId: number) => `${team(teamId)}#SEGMENTS`,
  list: (teamId: number, listId: number) => `${team(teamId)}#LIST#${listId}`,
  tag: (teamId: number, tagId: number) => `${team(teamId)}#TAG#${tagId}`,
  lists: (teamId: number) => `${team(teamId)}#LISTS`,
  tags: (teamId: number) => `${team(teamId)}#TAGS`,
  suppressions: (teamId: number) => `${team(teamId)}#SUPPRESSION`,
  suppressionsFor: (teamId: number, reason: string) => `${team(teamId)}#SUPPRESSION#${reason}`,
  domains: (teamId: number) => `${team(teamId)}#DOMAIN`,
  templates: (teamId: number) => `${team(teamId)}#TEMPLATES`,
  campaigns: (teamId: number) => `${team(teamId)}#CAMPAIGNS`,
  deletedCampaigns: (teamId: number) => `${team(teamId)}#DELETED_CAMPAIGNS`,
  webhooks: (teamId: number) => `${team(teamId)}#WEBHOOKS`,
  deliveries: (teamId: number, webhookId: number) => `${team(teamId)}#WEBHOOK#${webhookId}`,
  deliveriesAbout: (teamId: number, email: string) => `${team(teamId)}#DELIVERY_EMAIL#${email}`,
  deliveryRetries: (teamId: number, webhookId: number) => `${team(teamId)}#WEBHOOK_RETRY#${webhookId}`,
  campaign,
  recipients: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#RECIPIENTS`,
  pages: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#PAGES`,
  clicks: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#CLICKS`,
  engagement: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#ENGAGEMENT`,
  audienceRows: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#ROWS`,
  eventDays: (teamId: number) => `${team(teamId)}#EVENT_DAYS`,
  events: (teamId: number, day: string, shard: number) => `${team(teamId)}#EVENT#${day}#${shard}`,
  eventsOfEmail: (teamId: number, email: string) => `${team(teamId)}#EVENT_EMAIL#${email}`,
  eventsOfCampaign: (teamId: number, campaignId: number) => `${campaign(teamId, campaignId)}#EVENTS`,
  apiKeys: (teamId: number) => `${team(teamId)}#API_KEYS`,
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
  activeSequences: (shard: number) => `SEQUENCES#${shard}`,
  due: (shard: number) => `DUE#${shard}`,
} as const;

/** The keys of single items. */
export const keys = {
  platformCounter: (): Key => ({ pk: 'PLATFORM', sk: 'SEQ' }),
  signingKey: (): Key => ({ pk: 'PLATFORM', sk: 'SIGNING_KEY' }),
  sendRate: (): Key => ({ pk: 'PLATFORM', sk: 'SEND_RATE' }),
  directRate: (): Key => ({ pk: 'PLATFORM', sk: 'DIRECT_RATE' }),
  platformSuppression: (email: string): Key => ({ pk: 'PLATFORM#SUPPRESSION', sk: email }),
  domainOwner: (domain: string): Key => ({ pk: 'PLATFORM#DOMAIN', sk: domain }),
  team: (teamId: number): Key => ({ pk: team(teamId), sk: 'TEAM' }),
  counter: (teamId: number, name: string): Key => ({ pk: team(teamId), sk: `SEQ#${name}` }),
  warehouse: (teamId: number): Key => ({ pk: team(teamId), sk: 'WAREHOUSE' }),
  usage: (teamId: number, month: string): Key => ({ pk: team(teamId), sk: `USAGE#${month}` }),
  contact: (teamId: number, email: string): Key => ({ pk: partitions.contacts(teamId), sk: email }),
  contactId: (teamId: number, id: number): Key => ({ pk: `${team(teamId)}#CONTACT_ID`, sk: padId(id) }),
  list: (teamId: number, id: number): Key => ({ pk: partitions.lists(teamId), sk: padId(id) }),
  membership: (teamId: number, listId: number, email: string): Key => ({
    pk: partitions.list(teamId, listId),
    sk: email,
  }),
  tag: (teamId: number, id: number): Key => ({ pk: partitions.tags(teamId), sk: padId(id) }),
  tagName: (teamId: number, name: string): Key => ({ pk: `${team(teamId)}#TAG_NAME`, sk: name.toLowerCase() }),
  tagging: (teamId: number, tagId: number, email: string): Key => ({ pk: partitions.tag(teamId, tagId), sk: email }),
  segment: (teamId: number, id: number): Key => ({ pk: partitions.segments(teamId), sk: padId(id) }),
  suppression: (teamId: number, email: string): Key => ({ pk: partitions.suppressions(teamId), sk: email }),
  domain: (teamId: number, domain: string): Key => ({ pk: partitions.domains(teamId), sk: domain }),
  template: (teamId: number, id: number): Key => ({ pk: partitions.templates(teamId), sk: padId(id) }),
  templateBody: (teamId: number, id: number): Key => ({ pk: `${team(teamId)}#TEMPLATE#${id}`, sk: 'BODY' }),
  campaign: (teamId: number, id: number): Key => ({ pk: partitions.campaigns(teamId), sk: padId(id) }),
  deletedCampaign: (teamId: number, id: number): Key => ({
    pk: partitions.deletedCampaigns(teamId),
    sk: padId(id),
  }),
  webhook: (teamId: number, id: number): Key => ({ pk: partitions.webhooks(teamId), sk: padId(id) }),
  delivery: (teamId: number, webhookId: number, time: string, id: number): Key => ({
    pk: partitions.deliveries(teamId, webhookId),
    sk: deliveryPrefix + eventPosition(time, id),
  }),
  deliveryRetry: (teamId: number, webhookId: number, eventId: string): Key => ({
    pk: partitions.deliveries(teamId, webhookId),
    sk: `RETRY#${eventId}`,
  }),
  content: (teamId: number, id: number): Key => ({ pk: campaign(teamId, id), sk: 'CONTENT' }),
  sendStats: (teamId: number, id: number, shard: number): Key => ({
    pk: campaign(teamId, id),
    sk: sendStatsPrefix + shard,
  }),
  feedbackStats: (teamId: number, id: number): Key => ({ pk: campaign(teamId, id), sk: 'FEEDBACK' }),
  audienceImport: (teamId: number, id: number): Key => ({ pk: campaign(teamId, id), sk: 'IMPORT' }),
  importObjects: (teamId: number, id: number): Key => ({ pk: campaign(teamId, id), sk: 'IMPORT#OBJECTS' }),
  // A space sorts before every character of an address: rows are in address order, and one address's rows in row order.
  audienceRow: (teamId: number, id: number, email: string, row: number): Key => ({
    pk: partitions.audienceRows(teamId, id),
    sk: `${email} ${padId(row)}`,
  }),
  leaf: (teamId: number, id: number, sk: string): Key => ({ pk: partitions.recipients(teamId, id), sk }),
  page: (teamId: number, id: number, page: number): Key => ({ pk: partitions.pages(teamId, id), sk: padId(page) }),
  link: (teamId: number, id: number, hash: string): Key => ({ pk: campaign(teamId, id), sk: `LINK#${hash}` }),
  // An address has no space: the clicker is the text before the first one.
  click: (teamId: number, id: number, clicker: string, at: string, event: number): Key => ({
    pk: partitions.clicks(teamId, id),
    sk: `${clicker} ${eventPosition(at, event)}`,
  }),
  engagement: (teamId: number, id: number, email: string): Key => ({
    pk: partitions.engagement(teamId, id),
    sk: email,
  }),
  // Sorts before every address.
  erasedEngagement: (teamId: number, id: number, { page, index }: { page: number; index: number }): Key => ({
    pk: partitions.engagement(teamId, id),
    sk: ` ${padId(page)}#${index}`,
  }),
  eventIdentity: (teamId: number, id: number): Key => ({ pk: `${team(teamId)}#EVENT_ID#${id}`, sk: 'EVENT_ID' }),
  eventDay: (teamId: number, day: string): Key => ({ pk: partitions.eventDays(teamId), sk: day }),
  event: (teamId: number, day: string, shard: number, time: string, id: number): Key => ({
    pk: partitions.events(teamId, day, shard),
    sk: eventPosition(time, id),
  }),
  waitlistSlug: (slug: string): Key => ({ pk: 'PLATFORM#WAITLIST_SLUG', sk: slug }),
  waitlist: (teamId: number, id: number): Key => ({ pk: partitions.waitlists(teamId), sk: padId(id) }),
  waitlistSignup: (teamId: number, waitlistId: number, id: number): Key => ({
    pk: partitions.waitlistSignups(teamId, waitlistId),
    sk: padId(id),
  }),
  waitlistAddress: (teamId: number, email: string, waitlistId: number): Key => ({
    pk: partitions.waitlistsOfEmail(teamId, email),
    sk: padId(waitlistId),
  }),
  waitlistCode: (teamId: number, id: number, code: string): Key => ({ pk: waitlist(teamId, id), sk: `CODE#${code}` }),
  waitlistPlace: (teamId: number, id: number, slot: number): Key => ({
    pk: waitlist(teamId, id),
    sk: `PLACE#${padId(slot)}`,
  }),
  waitlistBucket: (teamId: number, id: number, bucket: number): Key => ({
    pk: waitlist(teamId, id),
    sk: `BUCKET#${padId(bucket)}`,
  }),
  waitlistInvitation: (teamId: number, id: number, operationId: string): Key => ({
    pk: waitlist(teamId, id),
    sk: `INVITATION#${operationId}`,
  }),
  sequence: (teamId: number, id: number): Key => ({ pk: partitions.sequences(teamId), sk: padId(id) }),
  sequenceSteps: (teamId: number, id: number): Key => ({ pk: sequence(teamId, id), sk: 'STEPS' }),
  stepBody: (teamId: number, id: number, bodyId: string): Key => ({ pk: sequence(teamId, id), sk: `BODY#${bodyId}` }),
  sequenceLane: (teamId: number, id: number, shard: number): Key => ({ pk: sequence(teamId, id), sk: `LANE#${shard}` }),
  sequenceSubscriber: (teamId: number, id: number, email: string): Key => ({
    pk: partitions.sequenceSubscribers(teamId, id),
    sk: email,
  }),
  // Sorts before every address.
  erasedSubscriber: (teamId: number, id: number, contactId: number): Key => ({
    pk: partitions.sequenceSubscribers(teamId, id),
    sk: ` ${padId(contactId)}`,
  }),
  sequenceTrigger: (teamId: number, id: number): Key => ({ pk: partitions.sequenceTriggers(teamId), sk: padId(id) }),
  activeSequence: (shard: number, teamId: number, id: number): Key => ({
    pk: partitions.activeSequences(shard),
    sk: `${teamId}#${id}`,
  }),
  apiKey: (hash: string): Key => ({ pk: apiKey(hash), sk: 'KEY' }),
  rateWindow: (subject: RateSubject, minute: number): Key => ({
    pk: 'keyHash' in subject ? apiKey(subject.keyHash) : `IP#${subject.address}`,
    sk: `RATE#${minute}`,
  }),
  idempotency: (teamId: number, key: string): Key => ({ pk: `${team(teamId)}#IDEMPOTENCY`, sk: key }),
  due: (shard: number, dueAt: string, kind: string, about: readonly (string | number)[]): Key => ({
    pk: partitions.due(shard),
    sk: [dueAt, kind.toUpperCase(), ...about].join('#'),
  }),
} as const;
