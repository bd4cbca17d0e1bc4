// Written by `npm run client` from the OpenAPI document: change an endpoint, not this file.
import type { Listing, PageQuery } from '../listing.ts';
import { type ClientOptions, pathTo, type RequestOptions, Transport } from '../transport.ts';
import type {
  AddContactTagsBody,
  AddSequenceSubscribersResult,
  AiUsage,
  ApiKey,
  ApiKeyInput,
  AttachListContactsBody,
  AttachListContactsResult,
  AudienceImport,
  AuditEntry,
  BulkUpsertContactsResult,
  Campaign,
  CampaignContentInput,
  CampaignInput,
  CampaignReport,
  CampaignScheduleInput,
  CampaignVariant,
  CampaignVariantsInput,
  Contact,
  ContactBulkUpsert,
  ContactPatch,
  ContactUpsert,
  ContactWithRelations,
  DeleteSendingDomainResult,
  Deletion,
  DeliverabilityRequest,
  DeliverabilityResult,
  DeliveryEvent,
  DeliveryEventsInput,
  DetachListContactResult,
  EraseContactResult,
  GetOpenapiResult,
  Identity,
  IngestEventsResult,
  InviteWaitlistSignupsResult,
  LinkReportRow,
  List,
  ListAuditLogQuery,
  ListCampaignRecipientsQuery,
  ListCampaignsQuery,
  ListContactsQuery,
  ListEventsQuery,
  ListInput,
  ListScopesResult,
  ListSuppressionsQuery,
  ListTemplatesQuery,
  ListWebhookEventTypesResult,
  NewApiKey,
  PolishRequest,
  PolishResult,
  PreflightCampaignResult,
  Recipient,
  RemoveSequenceSubscriberResult,
  RemoveSuppressionBody,
  RemoveSuppressionResult,
  RemoveWaitlistSignupResult,
  ReportShare,
  RevokeApiKeyQuery,
  RevokeApiKeyResult,
  RevokeCampaignReportResult,
  Segment,
  SegmentInput,
  SegmentPreview,
  SegmentPreviewInput,
  SendMessageResult,
  SendingDomain,
  SendingDomainInput,
  Sequence,
  SequenceInput,
  SequencePatch,
  SequenceSteps,
  SequenceStepsInput,
  SequenceSubscriber,
  SequenceSubscribersInput,
  ShareCampaignReportResult,
  SubjectTestRequest,
  SubjectTestResult,
  Suppression,
  SuppressionInput,
  Tag,
  TagInput,
  Template,
  TemplateInput,
  TemplateSummary,
  TestCampaignBody,
  TestCampaignResult,
  TestWebhookResult,
  TransactionalMessage,
  Waitlist,
  WaitlistInput,
  WaitlistInvitationInput,
  WaitlistPatch,
  WaitlistSignup,
  WaitlistSignupInput,
  Webhook,
  WebhookDelivery,
  WebhookInput,
  WebhookPatch,
  WebhookWithSecret,
} from './types.ts';

export class MeApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Show the team, the key and its rate limit. GET /me */
  get(options?: RequestOptions): Promise<Identity> {
    return this.#transport.record('GET', '/me', {}, options);
  }
}

export class ApiKeysApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the API keys, newest first, revoked ones included. GET /api-keys */
  list(query?: PageQuery, options?: RequestOptions): Listing<ApiKey> {
    return this.#transport.listing('/api-keys', query, options);
  }

  /** Make an API key with no more rights than the presented one; its secret is shown only here. POST /api-keys */
  create(body: ApiKeyInput, options?: RequestOptions): Promise<NewApiKey> {
    return this.#transport.record('POST', '/api-keys', { body }, options);
  }

  /** List every scope a key can hold. GET /api-keys/scopes */
  listScopes(options?: RequestOptions): Promise<ListScopesResult[]> {
    return this.#transport.record('GET', '/api-keys/scopes', {}, options);
  }

  /** Revoke the presented key, one that descends from it, or with every scope any; its record stays. DELETE /api-keys/{key} */
  revoke(key: number, query?: RevokeApiKeyQuery, options?: RequestOptions): Promise<RevokeApiKeyResult> {
    return this.#transport.record('DELETE', pathTo`/api-keys/${key}`, { query }, options);
  }
}

export class AuditLogApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List who did what in the last 400 days, newest first. GET /audit-log */
  list(query?: ListAuditLogQuery, options?: RequestOptions): Listing<AuditEntry> {
    return this.#transport.listing('/audit-log', query, options);
  }
}

export class ContactsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List contacts by email, or with `updated_since` in order of change; a page of a search that takes long may be short. Scope: `contacts:read`. GET /contacts */
  list(query?: ListContactsQuery, options?: RequestOptions): Listing<ContactWithRelations> {
    return this.#transport.listing('/contacts', query, options);
  }

  /** Create a contact, or update the one with this email address. Scope: `contacts:write`. POST /contacts */
  upsert(body: ContactUpsert, options?: RequestOptions): Promise<Contact> {
    return this.#transport.record('POST', '/contacts', { body }, options);
  }

  /** Create or update up to 1,000 contacts; one bad row refuses them all. Scope: `contacts:write`. POST /contacts/bulk */
  bulkUpsert(body: ContactBulkUpsert, options?: RequestOptions): Promise<BulkUpsertContactsResult> {
    return this.#transport.request('POST', '/contacts/bulk', { body }, options);
  }

  /** Fetch one contact by id or email address. Scope: `contacts:read`. GET /contacts/{contact} */
  get(contact: string | number, options?: RequestOptions): Promise<Contact> {
    return this.#transport.record('GET', pathTo`/contacts/${contact}`, {}, options);
  }

  /** Change a contact: metadata merges, tags and lists replace. Scope: `contacts:write`. PATCH /contacts/{contact} */
  update(contact: string | number, body?: ContactPatch, options?: RequestOptions): Promise<Contact> {
    return this.#transport.record('PATCH', pathTo`/contacts/${contact}`, { body }, options);
  }

  /** Hide a contact everywhere until an upsert on its address restores it. Scope: `contacts:write`. DELETE /contacts/{contact} */
  delete(contact: string | number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/contacts/${contact}`, {}, options);
  }

  /** Tag a contact; the body may also be the bare array of tag ids. Scope: `contacts:write`. POST /contacts/{contact}/tags */
  addTags(contact: string | number, body: AddContactTagsBody, options?: RequestOptions): Promise<Contact> {
    return this.#transport.record('POST', pathTo`/contacts/${contact}/tags`, { body }, options);
  }

  /** Take a tag off a contact; one it does not have changes nothing. Scope: `contacts:write`. DELETE /contacts/{contact}/tags/{tag} */
  removeTag(contact: string | number, tag: number, options?: RequestOptions): Promise<Contact> {
    return this.#transport.record('DELETE', pathTo`/contacts/${contact}/tags/${tag}`, {}, options);
  }

  /** Remove a person for good, soft-deleted or not; what was suppressed stays suppressed. Scope: `contacts:write`. POST /contacts/{contact}/erase */
  erase(contact: string | number, options?: RequestOptions): Promise<EraseContactResult> {
    return this.#transport.record('POST', pathTo`/contacts/${contact}/erase`, {}, options);
  }
}

export class ListsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the contact lists, newest first. Scope: `contacts:read`. GET /lists */
  list(query?: PageQuery, options?: RequestOptions): Listing<List> {
    return this.#transport.listing('/lists', query, options);
  }

  /** Create a contact list. Scope: `contacts:write`. POST /lists */
  create(body: ListInput, options?: RequestOptions): Promise<List> {
    return this.#transport.record('POST', '/lists', { body }, options);
  }

  /** Fetch one contact list. Scope: `contacts:read`. GET /lists/{list} */
  get(list: number, options?: RequestOptions): Promise<List> {
    return this.#transport.record('GET', pathTo`/lists/${list}`, {}, options);
  }

  /** Change a contact list. Scope: `contacts:write`. PATCH /lists/{list} */
  update(list: number, body: ListInput, options?: RequestOptions): Promise<List> {
    return this.#transport.record('PATCH', pathTo`/lists/${list}`, { body }, options);
  }

  /** Delete a contact list, not its contacts; the default list stays. Scope: `contacts:write`. DELETE /lists/{list} */
  delete(list: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/lists/${list}`, {}, options);
  }

  /** List the contacts of a list, by email. Scope: `contacts:read`. GET /lists/{list}/contacts */
  listContacts(list: number, query?: PageQuery, options?: RequestOptions): Listing<Contact> {
    return this.#transport.listing(pathTo`/lists/${list}/contacts`, query, options);
  }

  /** Put up to 1,000 contacts on a list; ids that are nobody's are skipped and counted. Scope: `contacts:write`. POST /lists/{list}/contacts */
  attachContacts(list: number, body: AttachListContactsBody, options?: RequestOptions): Promise<AttachListContactsResult> {
    return this.#transport.record('POST', pathTo`/lists/${list}/contacts`, { body }, options);
  }

  /** Take a contact off a list; `detached` is false when it was not on it. Scope: `contacts:write`. DELETE /lists/{list}/contacts/{contact} */
  detachContact(list: number, contact: number, options?: RequestOptions): Promise<DetachListContactResult> {
    return this.#transport.record('DELETE', pathTo`/lists/${list}/contacts/${contact}`, {}, options);
  }
}

export class TagsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the tags, newest first. Scope: `contacts:read`. GET /tags */
  list(query?: PageQuery, options?: RequestOptions): Listing<Tag> {
    return this.#transport.listing('/tags', query, options);
  }

  /** Create a tag under a name that no other has. Scope: `contacts:write`. POST /tags */
  create(body: TagInput, options?: RequestOptions): Promise<Tag> {
    return this.#transport.record('POST', '/tags', { body }, options);
  }

  /** Fetch one tag. Scope: `contacts:read`. GET /tags/{tag} */
  get(tag: number, options?: RequestOptions): Promise<Tag> {
    return this.#transport.record('GET', pathTo`/tags/${tag}`, {}, options);
  }

  /** Rename a tag to a name that no other has. Scope: `contacts:write`. PATCH /tags/{tag} */
  update(tag: number, body: TagInput, options?: RequestOptions): Promise<Tag> {
    return this.#transport.record('PATCH', pathTo`/tags/${tag}`, { body }, options);
  }

  /** Delete a tag, not its contacts. Scope: `contacts:write`. DELETE /tags/{tag} */
  delete(tag: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/tags/${tag}`, {}, options);
  }
}

export class SegmentsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the saved segments, newest first. Scope: `contacts:read`. GET /segments */
  list(query?: PageQuery, options?: RequestOptions): Listing<Segment> {
    return this.#transport.listing('/segments', query, options);
  }

  /** Save a segment. Scope: `contacts:write`. POST /segments */
  create(body: SegmentInput, options?: RequestOptions): Promise<Segment> {
    return this.#transport.record('POST', '/segments', { body }, options);
  }

  /** Count a definition without saving it, and show a sample. Scope: `contacts:read`. POST /segments/preview */
  previewDefinition(body?: SegmentPreviewInput, options?: RequestOptions): Promise<SegmentPreview> {
    return this.#transport.record('POST', '/segments/preview', { body }, options);
  }

  /** Fetch one segment. Scope: `contacts:read`. GET /segments/{segment} */
  get(segment: number, options?: RequestOptions): Promise<Segment> {
    return this.#transport.record('GET', pathTo`/segments/${segment}`, {}, options);
  }

  /** Rename a segment or replace its definition; campaigns keep what they copied. Scope: `contacts:write`. PATCH /segments/{segment} */
  update(segment: number, body: SegmentInput, options?: RequestOptions): Promise<Segment> {
    return this.#transport.record('PATCH', pathTo`/segments/${segment}`, { body }, options);
  }

  /** Delete a segment, not its contacts. Scope: `contacts:write`. DELETE /segments/{segment} */
  delete(segment: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/segments/${segment}`, {}, options);
  }

  /** Count a saved segment and show a sample of it. Scope: `contacts:read`. POST /segments/{segment}/preview */
  preview(segment: number, options?: RequestOptions): Promise<SegmentPreview> {
    return this.#transport.record('POST', pathTo`/segments/${segment}/preview`, {}, options);
  }
}

export class SuppressionsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the addresses that are not mailed, newest first. Scope: `suppressions:read`. GET /suppressions */
  list(query?: ListSuppressionsQuery, options?: RequestOptions): Listing<Suppression> {
    return this.#transport.listing('/suppressions', query, options);
  }

  /** Stop mailing an address; a reason that already stands is not weakened. Scope: `suppressions:write`. POST /suppressions */
  add(body: SuppressionInput, options?: RequestOptions): Promise<Suppression> {
    return this.#transport.record('POST', '/suppressions', { body }, options);
  }

  /** Let an address be mailed again; its contact gets back the status it had. Scope: `suppressions:write`. DELETE /suppressions */
  remove(body: RemoveSuppressionBody, options?: RequestOptions): Promise<RemoveSuppressionResult> {
    return this.#transport.record('DELETE', '/suppressions', { body }, options);
  }
}

export class WaitlistsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the waitlists, newest first. Scope: `contacts:read`. GET /waitlists */
  list(query?: PageQuery, options?: RequestOptions): Listing<Waitlist> {
    return this.#transport.listing('/waitlists', query, options);
  }

  /** Create a waitlist with its hosted page; without a `slug` its address is made from the name. Scope: `contacts:write`. POST /waitlists */
  create(body: WaitlistInput, options?: RequestOptions): Promise<Waitlist> {
    return this.#transport.record('POST', '/waitlists', { body }, options);
  }

  /** Fetch one waitlist. Scope: `contacts:read`. GET /waitlists/{waitlist} */
  get(waitlist: number, options?: RequestOptions): Promise<Waitlist> {
    return this.#transport.record('GET', pathTo`/waitlists/${waitlist}`, {}, options);
  }

  /** Change a waitlist; a closed one takes no new signups. Scope: `contacts:write`. PATCH /waitlists/{waitlist} */
  update(waitlist: number, body?: WaitlistPatch, options?: RequestOptions): Promise<Waitlist> {
    return this.#transport.record('PATCH', pathTo`/waitlists/${waitlist}`, { body }, options);
  }

  /** Delete a waitlist with its signups and its hosted page. Scope: `contacts:write`. DELETE /waitlists/{waitlist} */
  delete(waitlist: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/waitlists/${waitlist}`, {}, options);
  }

  /** List the signups of a waitlist, newest first; `position` counts from 1 among the pending. Scope: `contacts:read`. GET /waitlists/{waitlist}/signups */
  listSignups(waitlist: number, query?: PageQuery, options?: RequestOptions): Listing<WaitlistSignup> {
    return this.#transport.listing(pathTo`/waitlists/${waitlist}/signups`, query, options);
  }

  /** Sign an address up; a repeated one gets the same signup. A referral moves its referrer up 3 places. Scope: `contacts:write`. POST /waitlists/{waitlist}/signups */
  addSignup(waitlist: number, body: WaitlistSignupInput, options?: RequestOptions): Promise<WaitlistSignup> {
    return this.#transport.record('POST', pathTo`/waitlists/${waitlist}/signups`, { body }, options);
  }

  /** Take a signup off a waitlist; `removed` is false when it had been. Scope: `contacts:write`. DELETE /waitlists/{waitlist}/signups/{signup} */
  removeSignup(waitlist: number, signup: number, options?: RequestOptions): Promise<RemoveWaitlistSignupResult> {
    return this.#transport.record('DELETE', pathTo`/waitlists/${waitlist}/signups/${signup}`, {}, options);
  }

  /** Invite signups by id, or the next so many by position; only who is pending and not suppressed is invited. Scope: `contacts:write`. POST /waitlists/{waitlist}/invite */
  inviteSignups(waitlist: number, body: WaitlistInvitationInput, options?: RequestOptions): Promise<InviteWaitlistSignupsResult> {
    return this.#transport.record('POST', pathTo`/waitlists/${waitlist}/invite`, { body }, options);
  }
}

export class CampaignsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List campaigns, newest first. Scope: `campaigns:read`. GET /campaigns */
  list(query?: ListCampaignsQuery, options?: RequestOptions): Listing<Campaign> {
    return this.#transport.listing('/campaigns', query, options);
  }

  /** Create a campaign as a draft, with the body of a template when it names one. Scope: `campaigns:write`. POST /campaigns */
  create(body: CampaignInput, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('POST', '/campaigns', { body }, options);
  }

  /** Fetch a campaign. Scope: `campaigns:read`. GET /campaigns/{campaign} */
  get(campaign: number, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('GET', pathTo`/campaigns/${campaign}`, {}, options);
  }

  /** Change a draft, scheduled or held campaign. Scope: `campaigns:write`. PATCH /campaigns/{campaign} */
  update(campaign: number, body: CampaignInput, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('PATCH', pathTo`/campaigns/${campaign}`, { body }, options);
  }

  /** Delete a campaign that is not on its way. Scope: `campaigns:write`. DELETE /campaigns/{campaign} */
  delete(campaign: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/campaigns/${campaign}`, {}, options);
  }

  /** Set a campaign's body; absent parts stay. Scope: `campaigns:write`. PUT /campaigns/{campaign}/content */
  setContent(campaign: number, body?: CampaignContentInput, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('PUT', pathTo`/campaigns/${campaign}/content`, { body }, options);
  }

  /** Replace a campaign's variants and switch its A/B test on. Scope: `campaigns:write`. POST /campaigns/{campaign}/variants */
  setVariants(campaign: number, body: CampaignVariantsInput, options?: RequestOptions): Promise<CampaignVariant[]> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/variants`, { body }, options);
  }

  /** Run every send check without sending; beyond the contract, what of the allowance is left, and how long a send takes at the live rate and quota of the SES account and what it costs at its prices. Scope: `campaigns:read`. POST /campaigns/{campaign}/preflight */
  preflight(campaign: number, options?: RequestOptions): Promise<PreflightCampaignResult> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/preflight`, {}, options);
  }

  /** Send a draft that passes every gate; an Idempotency-Key is advised. Scope: `campaigns:send`. POST /campaigns/{campaign}/send */
  send(campaign: number, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/send`, {}, options);
  }

  /** Cancel a draft, scheduled or paused campaign. Scope: `campaigns:send`. POST /campaigns/{campaign}/cancel */
  cancel(campaign: number, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/cancel`, {}, options);
  }

  /** Schedule a draft that passes every gate, or a scheduled campaign anew; the gates run again at that time. Scope: `campaigns:send`. POST /campaigns/{campaign}/schedule */
  schedule(campaign: number, body: CampaignScheduleInput, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/schedule`, { body }, options);
  }

  /** Pause a campaign that is being sent: what is under way is finished. Scope: `campaigns:send`. POST /campaigns/{campaign}/pause */
  pause(campaign: number, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/pause`, {}, options);
  }

  /** Let a paused campaign go on; nobody is sent a second message. Scope: `campaigns:send`. POST /campaigns/{campaign}/resume */
  resume(campaign: number, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/resume`, {}, options);
  }

  /** Send again to the recipients that stay unknown, once the provider had the time to report on them. Scope: `campaigns:send`. POST /campaigns/{campaign}/resend-unknown */
  resendUnknown(campaign: number, options?: RequestOptions): Promise<Campaign> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/resend-unknown`, {}, options);
  }

  /** Send the message to up to 5 addresses, for real; it counts against the allowance, not in the report. Scope: `campaigns:send`. POST /campaigns/{campaign}/test */
  test(campaign: number, body: TestCampaignBody, options?: RequestOptions): Promise<TestCampaignResult> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/test`, { body }, options);
  }

  /** Show a campaign's report; opens exclude machine opens. Scope: `events:read`. GET /campaigns/{campaign}/report */
  getReport(campaign: number, options?: RequestOptions): Promise<CampaignReport> {
    return this.#transport.record('GET', pathTo`/campaigns/${campaign}/report`, {}, options);
  }

  /** Show the clicks on each link, most clicked first; machines are counted apart. Scope: `events:read`. GET /campaigns/{campaign}/report/links */
  getLinkReport(campaign: number, options?: RequestOptions): Promise<LinkReportRow[]> {
    return this.#transport.record('GET', pathTo`/campaigns/${campaign}/report/links`, {}, options);
  }

  /** Make a link to a readable report page, for people without a key; it expires. Scope: `events:read`. POST /campaigns/{campaign}/report/share */
  shareReport(campaign: number, body?: ReportShare, options?: RequestOptions): Promise<ShareCampaignReportResult> {
    return this.#transport.record('POST', pathTo`/campaigns/${campaign}/report/share`, { body }, options);
  }

  /** Revoke every link to the report page that was made so far. Scope: `campaigns:write`. DELETE /campaigns/{campaign}/report/share */
  revokeReport(campaign: number, options?: RequestOptions): Promise<RevokeCampaignReportResult> {
    return this.#transport.record('DELETE', pathTo`/campaigns/${campaign}/report/share`, {}, options);
  }

  /** Show what each variant of an A/B test brought; opens and clicks count people, once each. Scope: `events:read`. GET /campaigns/{campaign}/report/variants */
  getVariantReport(campaign: number, options?: RequestOptions): Promise<CampaignVariant[]> {
    return this.#transport.record('GET', pathTo`/campaigns/${campaign}/report/variants`, {}, options);
  }

  /** List a campaign's recipients, by email. Scope: `events:read`. GET /campaigns/{campaign}/recipients */
  listRecipients(campaign: number, query?: ListCampaignRecipientsQuery, options?: RequestOptions): Listing<Recipient> {
    return this.#transport.listing(pathTo`/campaigns/${campaign}/recipients`, query, options);
  }

  /** Show how the rows of a warehouse audience were read; `none` before the campaign was sent, and for a list audience. Scope: `campaigns:read`. GET /campaigns/{campaign}/audience-import */
  getAudienceImport(campaign: number, options?: RequestOptions): Promise<AudienceImport> {
    return this.#transport.record('GET', pathTo`/campaigns/${campaign}/audience-import`, {}, options);
  }
}

export class TemplatesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List templates without their HTML, newest first, the system's last. Scope: `campaigns:read`. GET /templates */
  list(query?: ListTemplatesQuery, options?: RequestOptions): Listing<TemplateSummary> {
    return this.#transport.listing('/templates', query, options);
  }

  /** Create a template of HTML or of blocks. Scope: `campaigns:write`. POST /templates */
  create(body: TemplateInput, options?: RequestOptions): Promise<Template> {
    return this.#transport.record('POST', '/templates', { body }, options);
  }

  /** Fetch a template with its HTML. Scope: `campaigns:read`. GET /templates/{template} */
  get(template: number, options?: RequestOptions): Promise<Template> {
    return this.#transport.record('GET', pathTo`/templates/${template}`, {}, options);
  }

  /** Change a template of the team's own; campaigns made of it keep what they copied. Scope: `campaigns:write`. PATCH /templates/{template} */
  update(template: number, body: TemplateInput, options?: RequestOptions): Promise<Template> {
    return this.#transport.record('PATCH', pathTo`/templates/${template}`, { body }, options);
  }

  /** Delete a template of the team's own; campaigns made of it keep what they copied. Scope: `campaigns:write`. DELETE /templates/{template} */
  delete(template: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/templates/${template}`, {}, options);
  }
}

export class SequencesApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the sequences, newest first. Scope: `campaigns:read`. GET /sequences */
  list(query?: PageQuery, options?: RequestOptions): Listing<Sequence> {
    return this.#transport.listing('/sequences', query, options);
  }

  /** Create a sequence as a draft. Scope: `campaigns:write`. POST /sequences */
  create(body: SequenceInput, options?: RequestOptions): Promise<Sequence> {
    return this.#transport.record('POST', '/sequences', { body }, options);
  }

  /** Fetch one sequence. Scope: `campaigns:read`. GET /sequences/{sequence} */
  get(sequence: number, options?: RequestOptions): Promise<Sequence> {
    return this.#transport.record('GET', pathTo`/sequences/${sequence}`, {}, options);
  }

  /** Change a sequence, or its `status`: activate it once it has all it needs, pause it, resume it. Scope: `campaigns:write`. PATCH /sequences/{sequence} */
  update(sequence: number, body?: SequencePatch, options?: RequestOptions): Promise<Sequence> {
    return this.#transport.record('PATCH', pathTo`/sequences/${sequence}`, { body }, options);
  }

  /** Delete a sequence; it ends for everybody in it. Scope: `campaigns:write`. DELETE /sequences/{sequence} */
  delete(sequence: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/sequences/${sequence}`, {}, options);
  }

  /** List the steps of a sequence, in order. Scope: `campaigns:read`. GET /sequences/{sequence}/steps */
  getSteps(sequence: number, options?: RequestOptions): Promise<SequenceSteps> {
    return this.#transport.record('GET', pathTo`/sequences/${sequence}/steps`, {}, options);
  }

  /** Replace the steps of a sequence, also while people are in it: nobody gets a step twice. Scope: `campaigns:write`. PUT /sequences/{sequence}/steps */
  setSteps(sequence: number, body: SequenceStepsInput, options?: RequestOptions): Promise<SequenceSteps> {
    return this.#transport.record('PUT', pathTo`/sequences/${sequence}/steps`, { body }, options);
  }

  /** List everybody who was enrolled into a sequence, by email; `current_step` is the one that somebody waits for. Scope: `campaigns:read`. GET /sequences/{sequence}/subscribers */
  listSubscribers(sequence: number, query?: PageQuery, options?: RequestOptions): Listing<SequenceSubscriber> {
    return this.#transport.listing(pathTo`/sequences/${sequence}/subscribers`, query, options);
  }

  /** Enrol contacts by id or email, each once; `skipped` are those who were enrolled before or may not be mailed. Scope: `contacts:write`. POST /sequences/{sequence}/subscribers */
  addSubscribers(sequence: number, body: SequenceSubscribersInput, options?: RequestOptions): Promise<AddSequenceSubscribersResult> {
    return this.#transport.record('POST', pathTo`/sequences/${sequence}/subscribers`, { body }, options);
  }

  /** Stop the pending steps of a contact; `removed` is false when it waits for none. Scope: `contacts:write`. DELETE /sequences/{sequence}/subscribers/{contact} */
  removeSubscriber(sequence: number, contact: number, options?: RequestOptions): Promise<RemoveSequenceSubscriberResult> {
    return this.#transport.record('DELETE', pathTo`/sequences/${sequence}/subscribers/${contact}`, {}, options);
  }
}

export class EventsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the delivery events of the last 180 days, newest first. Scope: `events:read`. GET /events */
  list(query?: ListEventsQuery, options?: RequestOptions): Listing<DeliveryEvent> {
    return this.#transport.listing('/events', query, options);
  }

  /** Report up to 1,000 delivery events of another system; they have taken effect when the answer comes. Scope: `events:write`. POST /events */
  ingest(body: DeliveryEventsInput, options?: RequestOptions): Promise<IngestEventsResult> {
    return this.#transport.request('POST', '/events', { body }, options);
  }
}

export class SendApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Send one message to one person; with an Idempotency-Key a repeated request sends none. Scope: `transactional:send`. POST /send */
  message(body: TransactionalMessage, options?: RequestOptions): Promise<SendMessageResult> {
    return this.#transport.record('POST', '/send', { body }, options);
  }
}

export class SendingDomainsApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the domains that the team sends from, by name, with their DNS records. Scope: `campaigns:read`. GET /sending-domains */
  list(query?: PageQuery, options?: RequestOptions): Listing<SendingDomain> {
    return this.#transport.listing('/sending-domains', query, options);
  }

  /** Add a domain to send from; the answer has the DNS records to publish. A domain belongs to the team that shows by a TXT record that it is its own; without one the claim ends after 7 days. At most 50 a team. Scope: `campaigns:write`. POST /sending-domains */
  create(body: SendingDomainInput, options?: RequestOptions): Promise<SendingDomain> {
    return this.#transport.record('POST', '/sending-domains', { body }, options);
  }

  /** Fetch a sending domain with its DNS records; the status is what SES says now. Scope: `campaigns:read`. GET /sending-domains/{domain} */
  get(domain: string | number, options?: RequestOptions): Promise<SendingDomain> {
    return this.#transport.record('GET', pathTo`/sending-domains/${domain}`, {}, options);
  }

  /** Remove a sending domain; nothing is sent from it any more. Scope: `campaigns:write`. DELETE /sending-domains/{domain} */
  delete(domain: string | number, options?: RequestOptions): Promise<DeleteSendingDomainResult> {
    return this.#transport.record('DELETE', pathTo`/sending-domains/${domain}`, {}, options);
  }
}

export class WebhooksApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the webhook endpoints, newest first. Scope: `webhooks:read`. GET /webhooks */
  list(query?: PageQuery, options?: RequestOptions): Listing<Webhook> {
    return this.#transport.listing('/webhooks', query, options);
  }

  /** Subscribe a public URL to events; its signing secret is shown only here. Scope: `webhooks:write`. POST /webhooks */
  create(body: WebhookInput, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.#transport.record('POST', '/webhooks', { body }, options);
  }

  /** List every type of event that an endpoint can subscribe to. Scope: `webhooks:read`. GET /webhooks/event-types */
  listEventTypes(options?: RequestOptions): Promise<ListWebhookEventTypesResult[]> {
    return this.#transport.record('GET', '/webhooks/event-types', {}, options);
  }

  /** Fetch one webhook endpoint. Scope: `webhooks:read`. GET /webhooks/{endpoint} */
  get(endpoint: number, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.record('GET', pathTo`/webhooks/${endpoint}`, {}, options);
  }

  /** Change a webhook endpoint; one that is switched on again starts without failures. Scope: `webhooks:write`. PATCH /webhooks/{endpoint} */
  update(endpoint: number, body?: WebhookPatch, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.record('PATCH', pathTo`/webhooks/${endpoint}`, { body }, options);
  }

  /** Delete a webhook endpoint; what is under way to it is not tried again. Scope: `webhooks:write`. DELETE /webhooks/{endpoint} */
  delete(endpoint: number, options?: RequestOptions): Promise<Deletion> {
    return this.#transport.record('DELETE', pathTo`/webhooks/${endpoint}`, {}, options);
  }

  /** List what was sent to an endpoint in the last 30 days and what it answered, attempt by attempt, newest first. Scope: `webhooks:read`. GET /webhooks/{endpoint}/deliveries */
  listDeliveries(endpoint: number, query?: PageQuery, options?: RequestOptions): Listing<WebhookDelivery> {
    return this.#transport.listing(pathTo`/webhooks/${endpoint}/deliveries`, query, options);
  }

  /** Send a synthetic `webhook.test` event, whatever the endpoint subscribes to. Scope: `webhooks:write`. POST /webhooks/{endpoint}/test */
  test(endpoint: number, options?: RequestOptions): Promise<TestWebhookResult> {
    return this.#transport.record('POST', pathTo`/webhooks/${endpoint}/test`, {}, options);
  }

  /** Give an endpoint a new signing secret, shown only here; for 24 hours the one before signs too. Scope: `webhooks:write`. POST /webhooks/{endpoint}/rotate-secret */
  rotateSecret(endpoint: number, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.#transport.record('POST', pathTo`/webhooks/${endpoint}/rotate-secret`, {}, options);
  }
}

export class AiApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Polish the wording of a message; counts against the month's AI allowance. Scope: `ai:write`. POST /ai/polish */
  polishContent(body: PolishRequest, options?: RequestOptions): Promise<PolishResult> {
    return this.#transport.record('POST', '/ai/polish', { body }, options);
  }

  /** Score a subject line and propose others. Scope: `ai:write`. POST /ai/subject-lines */
  testSubject(body: SubjectTestRequest, options?: RequestOptions): Promise<SubjectTestResult> {
    return this.#transport.record('POST', '/ai/subject-lines', { body }, options);
  }

  /** Judge how mail filters will take a message. Scope: `ai:write`. POST /ai/deliverability */
  checkDeliverability(body: DeliverabilityRequest, options?: RequestOptions): Promise<DeliverabilityResult> {
    return this.#transport.record('POST', '/ai/deliverability', { body }, options);
  }

  /** Show what is used of the month's allowances. GET /ai/usage */
  getUsage(options?: RequestOptions): Promise<AiUsage> {
    return this.#transport.record('GET', '/ai/usage', {}, options);
  }
}

export class OpenapiApi {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The OpenAPI 3.1 document of this API. GET /openapi.json */
  get(options?: RequestOptions): Promise<GetOpenapiResult> {
    return this.#transport.request('GET', '/openapi.json', {}, options);
  }
}

/** A client of the API with one key. */
export class Mailwright {
  readonly me: MeApi;
  readonly apiKeys: ApiKeysApi;
  readonly auditLog: AuditLogApi;
  readonly contacts: ContactsApi;
  readonly lists: ListsApi;
  readonly tags: TagsApi;
  readonly segments: SegmentsApi;
  readonly suppressions: SuppressionsApi;
  readonly waitlists: WaitlistsApi;
  readonly campaigns: CampaignsApi;
  readonly templates: TemplatesApi;
  readonly sequences: SequencesApi;
  readonly events: EventsApi;
  readonly send: SendApi;
  readonly sendingDomains: SendingDomainsApi;
  readonly webhooks: WebhooksApi;
  readonly ai: AiApi;
  readonly openapi: OpenapiApi;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.me = new MeApi(transport);
    this.apiKeys = new ApiKeysApi(transport);
    this.auditLog = new AuditLogApi(transport);
    this.contacts = new ContactsApi(transport);
    this.lists = new ListsApi(transport);
    this.tags = new TagsApi(transport);
    this.segments = new SegmentsApi(transport);
    this.suppressions = new SuppressionsApi(transport);
    this.waitlists = new WaitlistsApi(transport);
    this.campaigns = new CampaignsApi(transport);
    this.templates = new TemplatesApi(transport);
    this.sequences = new SequencesApi(transport);
    this.events = new EventsApi(transport);
    this.send = new SendApi(transport);
    this.sendingDomains = new SendingDomainsApi(transport);
    this.webhooks = new WebhooksApi(transport);
    this.ai = new AiApi(transport);
    this.openapi = new OpenapiApi(transport);
  }
}
