// Written by `npm run client` from the OpenAPI document: change an endpoint, not this file.

export interface Identity {
  team: {
    id: number;
    name: string;
    plan: 'free' | 'starter' | 'business' | 'enterprise';
  };
  api_key: {
    id: number;
    name: string;
    scopes: Scope[];
    legacy: boolean;
  } | null;
  rate_limit: {
    requests_per_minute: number;
  };
}

export type Scope =
  | 'contacts:read'
  | 'contacts:write'
  | 'campaigns:read'
  | 'campaigns:write'
  | 'campaigns:send'
  | 'events:read'
  | 'events:write'
  | 'suppressions:read'
  | 'suppressions:write'
  | 'transactional:send'
  | 'ai:write'
  | 'webhooks:read'
  | 'webhooks:write';

export interface ApiKey {
  id: number;
  name: string;
  masked_key: string;
  scopes: Scope[];
  /** Where it may be used from; null: anywhere */
  allowed_ips: string[] | null;
  last_used_at: string | null;
  /** The address that it was used from at last_used_at */
  last_used_ip: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface ApiKeyInput {
  name: string;
  scopes?: Scope[];
  expires_at?: string | null;
  /** Where it may be used from; anywhere unless given */
  allowed_ips?: string[] | null;
}

export interface NewApiKey {
  id: number;
  name: string;
  masked_key: string;
  scopes: Scope[];
  /** Where it may be used from; null: anywhere */
  allowed_ips: string[] | null;
  last_used_at: string | null;
  /** The address that it was used from at last_used_at */
  last_used_ip: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  key: string;
}

export type AuditAction =
  | 'api_key.created'
  | 'api_key.revoked'
  | 'sending_domain.added'
  | 'sending_domain.changed'
  | 'sending_domain.checked'
  | 'sending_domain.removed'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.secret_rotated'
  | 'webhook.deleted'
  | 'suppression.removed'
  | 'contact.erased'
  | 'campaign.sent'
  | 'campaign.scheduled'
  | 'campaign.cancelled'
  | 'campaign.paused'
  | 'campaign.resumed'
  | 'campaign.resent'
  | 'campaign.released'
  | 'campaign.refused'
  | 'campaign.report_shared'
  | 'campaign.report_revoked'
  | 'warehouse.set'
  | 'warehouse.removed'
  | 'team.created'
  | 'team.plan_changed'
  | 'team.suspended'
  | 'team.unsuspended'
  | 'platform_suppression.added'
  | 'platform_suppression.removed'
  | 'queue.redriven'
  | 'signing_key.rotated';

export interface AuditEntry {
  id: string;
  at: string;
  actor: {
    kind: 'key' | 'operator' | 'system';
    key_id: number | null;
    name: string;
  };
  action: AuditAction;
  target: {
    type: string;
    /** Of an address: a keyed hash */
    id: string;
  };
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  ip: string | null;
  request_id: string | null;
}

export type ContactStatus = 'active' | 'pending' | 'unsubscribed' | 'bounced';

export interface ContactWithRelations {
  id: number;
  email: string;
  first_name: string | null;
  last_name: string | null;
  status: ContactStatus;
  metadata: Record<string, unknown>;
  subscribed_at: string | null;
  unsubscribed_at: string | null;
  confirmed_at: string | null;
  consent_source: string | null;
  soft_bounce_count: number;
  created_at: string | null;
  updated_at: string | null;
  tags?: Tag[];
  lists?: List[];
}

export interface Tag {
  id: number;
  name: string;
  contacts_count: number;
  created_at: string;
  updated_at: string;
}

export interface List {
  id: number;
  name: string;
  description: string | null;
  is_default: boolean;
  opt_in_mode: 'single' | 'double';
  contacts_count: number;
}

export interface ContactUpsert {
  email: string;
  first_name?: string | null;
  last_name?: string | null;
  metadata?: Record<string, unknown>;
  tag_ids?: number[];
  list_ids?: number[];
  status_if_new?: 'active' | 'pending';
  consent_source?: string | null;
  consent_ip?: string | null;
}

export interface Contact {
  id: number;
  email: string;
  first_name: string | null;
  last_name: string | null;
  status: ContactStatus;
  metadata: Record<string, unknown>;
  subscribed_at: string | null;
  unsubscribed_at: string | null;
  confirmed_at: string | null;
  consent_source: string | null;
  soft_bounce_count: number;
  created_at: string | null;
  updated_at: string | null;
}

export interface ContactBulkUpsert {
  contacts: ContactUpsert[];
  tag_ids?: number[];
  list_ids?: number[];
}

export interface ContactPatch {
  first_name?: string | null;
  last_name?: string | null;
  metadata?: Record<string, unknown>;
  tag_ids?: number[];
  list_ids?: number[];
  status?: 'active' | 'pending' | 'unsubscribed';
}

export interface Deletion {
  id: number;
  deleted: boolean;
}

export interface ListInput {
  name: string;
  description?: string | null;
  opt_in_mode?: 'single' | 'double';
}

export interface TagInput {
  name: string;
}

export interface Segment {
  id: number;
  name: string;
  definition: SegmentDefinition;
}

export interface SegmentDefinition {
  tag_ids?: number[] | null;
  date_from?: string | null;
  date_to?: string | null;
  search?: string | null;
  company?: string | null;
  location?: string | null;
  engagement?: {
    type: 'opened' | 'not_opened' | 'clicked' | 'not_clicked' | 'received' | 'inactive';
    days: number;
  } | null;
}

export interface SegmentInput {
  name: string;
  /** Without one, creation takes everybody and PATCH changes nothing of it */
  definition?: SegmentDefinitionInput;
}

/** Every filter that is given must match */
export interface SegmentDefinitionInput {
  /** Any of these tags; a tag that is deleted later matches nobody */
  tag_ids?: number[] | null;
  /** Created on this day (UTC) or later */
  date_from?: string | null;
  /** Created on this day (UTC) or before */
  date_to?: string | null;
  /** Part of the email, first name or last name, in any case */
  search?: string | null;
  /** Part of `metadata.company`, in any case */
  company?: string | null;
  /** Part of `metadata.city`, `metadata.country` or `metadata.location`, in any case */
  location?: string | null;
  /** What people did in the last `days` (24 hours each), machines apart: `not_opened` and `not_clicked` are everybody else, `inactive` neither opened nor clicked, `received` was sent a campaign */
  engagement?: {
    type: 'opened' | 'not_opened' | 'clicked' | 'not_clicked' | 'received' | 'inactive';
    days: number;
  } | null;
}

export interface SegmentPreviewInput {
  definition?: SegmentDefinitionInput;
}

export interface SegmentPreview {
  /** Active contacts in the segment */
  count: number;
  /** Beyond the contract; false: too many to count in time, projected from the contacts that were read */
  exact: boolean;
  filters: SegmentDefinition;
  /** The first ten of them, by email */
  sample: Contact[];
}

export type SuppressionReason = 'hard_bounce' | 'soft_bounce' | 'spam_report' | 'unsubscribe' | 'manual';

export interface Suppression {
  id: number;
  email: string;
  reason: SuppressionReason;
  source: string | null;
  campaign_id: number | null;
}

export interface SuppressionInput {
  email: string;
  reason: 'hard_bounce' | 'spam_report' | 'unsubscribe' | 'manual';
  metadata?: Record<string, unknown>;
}

export interface Waitlist {
  id: number;
  name: string;
  slug: string;
  status: WaitlistStatus;
  public_url: string;
  signups_count: number;
  /** Beyond the contract */
  description: string | null;
  /** Beyond the contract */
  invite_url: string | null;
}

export type WaitlistStatus = 'active' | 'closed';

export interface WaitlistInput {
  name: string;
  slug?: string;
  description?: string | null;
  status?: WaitlistStatus;
  invite_url?: string | null;
}

export interface WaitlistPatch {
  name?: string;
  slug?: string;
  description?: string | null;
  status?: WaitlistStatus;
  invite_url?: string | null;
}

export interface WaitlistSignup {
  id: number;
  email: string;
  name: string | null;
  position: number | null;
  status: WaitlistSignupStatus;
  referral_code: string;
  referrals_count: number;
}

export type WaitlistSignupStatus = 'pending' | 'invited' | 'joined' | 'removed';

export interface WaitlistSignupInput {
  email: string;
  name?: string | null;
  referral_code?: string | null;
  metadata?: Record<string, unknown>;
}

export interface WaitlistInvitationInput {
  signup_ids?: number[];
  count?: number;
}

export type CampaignStatus =
  | 'draft'
  | 'scheduled'
  | 'screening'
  | 'held'
  | 'queuing'
  | 'sending'
  | 'paused'
  | 'sent'
  | 'partial'
  | 'cancelled'
  | 'failed';

export interface Campaign {
  id: number;
  name: string;
  subject: string | null;
  preheader: string | null;
  from_name: string | null;
  from_email: string | null;
  reply_to: string | null;
  status: CampaignStatus;
  audience: {
    source: 'list' | 'warehouse';
    contact_list_id: number | null;
    filters: SegmentDefinition | null;
  };
  template_id: number | null;
  ab_test: {
    enabled: boolean;
    percentage: number | null;
    winner_metric: 'opens' | 'clicks' | null;
    delay_minutes: number | null;
    winner_variant_id: number | null;
  };
  total_recipients: number;
  sent_count: number;
  failed_count: number;
  failure_reason: string | null;
  scheduled_at: string | null;
  sent_at: string | null;
}

export interface CampaignInput {
  name: string;
  subject?: string | null;
  preheader?: string | null;
  from_name?: string | null;
  from_email?: string | null;
  reply_to?: string | null;
  audience_source?: 'list' | 'warehouse';
  contact_list_id?: number | null;
  /** Copies the segment's definition to the campaign, in place of `audience_filters`; later changes of the segment do not reach it. `null` does nothing */
  segment_id?: number | null;
  audience_filters?: SegmentDefinitionInput | null;
  /** Copies the template in where the campaign has no body of its own */
  template_id?: number | null;
  ab_test_enabled?: boolean;
  ab_test_percentage?: number | null;
  ab_winner_metric?: 'opens' | 'clicks' | null;
  ab_test_delay_minutes?: number | null;
}

export interface CampaignContentInput {
  html_content?: string | null;
  /** Made of the HTML when it is absent */
  plain_content?: string | null;
  /** Rendered to the HTML when it is written; wins over `html_content` */
  blocks_json?: Block[] | null;
  /** Copies the template in, unless `html_content` or `blocks_json` is given; later edits of it change nothing */
  template_id?: number | null;
}

export type Block =
  | HeadingBlock
  | TextBlock
  | ButtonBlock
  | ImageBlock
  | DividerBlock
  | SpacerBlock
  | HtmlBlock
  | ColumnsBlock;

export interface HeadingBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'heading';
  data: {
    text: string;
    /** 2 unless given */
    level?: number | null;
  };
}

/** Lengths in pixels; what is absent looks as usual, unknown keys are ignored */
export interface BlockStyle {
  /** Of text, of the text of a button, of the line of a divider */
  color?: string | null;
  /** Behind the block; of the button itself */
  background_color?: string | null;
  align?: 'left' | 'center' | 'right' | null;
  font_size?: number | null;
  font_weight?: 'normal' | 'bold' | null;
  border_radius?: number | null;
  /** On every side that has none of its own */
  padding?: number | null;
  padding_top?: number | null;
  padding_right?: number | null;
  padding_bottom?: number | null;
  padding_left?: number | null;
}

/** Escaped, merge tags apart; an empty line begins a paragraph */
export interface TextBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'text';
  data: {
    text: string;
  };
}

export interface ButtonBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'button';
  data: {
    text: string;
    url: string;
  };
}

export interface ImageBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'image';
  data: {
    src: string;
    /** What a reader without images is told; empty for decoration */
    alt: string;
    url?: string | null;
    /** Pixels; at most the width of its column */
    width?: number | null;
  };
}

export interface DividerBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'divider';
  data?: Record<string, unknown>;
}

export interface SpacerBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'spacer';
  data?: {
    /** Pixels; 24 unless given */
    height?: number | null;
  };
}

/** HTML as it is */
export interface HtmlBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'html';
  data: {
    html: string;
  };
}

/** Side by side; one below the other on a narrow screen */
export interface ColumnsBlock {
  id?: string | number | null;
  style?: BlockStyle | null;
  type: 'columns';
  data: {
    columns: {
      blocks: SimpleBlock[];
    }[];
  };
}

export type SimpleBlock = HeadingBlock | TextBlock | ButtonBlock | ImageBlock | DividerBlock | SpacerBlock | HtmlBlock;

export interface CampaignVariantsInput {
  variants: CampaignVariantInput[];
}

export interface CampaignVariantInput {
  label: string;
  subject: string;
  from_name?: string | null;
}

export interface CampaignVariant {
  id: number;
  label: string;
  subject: string;
  from_name: string | null;
  is_winner: boolean;
  sent: number;
  opened: number;
  clicked: number;
  open_rate: number;
  click_rate: number;
}

export type Blocker =
  | 'name_missing'
  | 'subject_missing'
  | 'content_missing'
  | 'from_email_missing'
  | 'sending_domain_unverified'
  | 'unsubscribe_link_missing'
  | 'audience_missing'
  | 'audience_empty'
  | 'plan_allowance_exceeded'
  | 'abuse_screening_failed'
  | 'variants_missing'
  | 'warehouse_not_configured'
  | 'sending_suspended'
  | 'sandboxed';

export interface CampaignScheduleInput {
  send_at: string;
}

export interface CampaignReport {
  campaign_id: number;
  name: string;
  subject: string | null;
  status: CampaignStatus;
  sent_at: string | null;
  metrics: {
    recipients: number;
    sent: number;
    delivered: number;
    opened: number;
    clicked: number;
    bounced: number;
    unsubscribed: number;
    complained: number;
    delivery_rate: number;
    open_rate: number;
    click_rate: number;
    ctor: number;
    bounce_rate: number;
    unsubscribe_rate: number;
    complaint_rate: number;
  };
  /** Beyond the contract: recipients whose message SES may or may not have accepted */
  unknown?: {
    recipients: number;
    message: string;
  };
}

export interface LinkReportRow {
  url: string;
  clicks: number;
  unique: number;
  bots: number;
}

export interface ReportShare {
  expires_in_days?: number;
}

export interface Recipient {
  contact_id: number | null;
  email: string | null;
  status: RecipientStatus;
  sent_at: string | null;
  opened_at: string | null;
  clicked_at: string | null;
  error_message: string | null;
}

export type RecipientStatus =
  | 'pending'
  | 'sending'
  | 'sent'
  | 'bounced'
  | 'complained'
  | 'failed'
  | 'suppressed'
  | 'cancelled'
  | 'unknown';

export interface AudienceImport {
  campaign_id: number;
  status: 'none' | 'querying' | 'reading' | 'counting' | 'imported' | 'failed';
  failure_reason: string | null;
  objects: number;
  rows: number;
  /** Different addresses; 0 until all rows are read */
  accepted: number;
  duplicates: number;
  bad_rows: number;
  /** The first 20 of the bad rows */
  problems: {
    object: string;
    line: number;
    reason: string;
  }[];
  started_at: string | null;
  finished_at: string | null;
}

export interface TemplateSummary {
  id: number;
  name: string;
  category: string | null;
  style: string | null;
  description: string | null;
  is_system: boolean;
}

export interface TemplateInput {
  name: string;
  category?: string | null;
  style?: string | null;
  description?: string | null;
  html_content?: string | null;
  /** Rendered to `html_content` when it is written, and wins over one that is given */
  blocks_json?: Block[] | null;
}

export interface Template {
  id: number;
  name: string;
  category: string | null;
  style: string | null;
  description: string | null;
  is_system: boolean;
  html_content: string | null;
}

export interface Sequence {
  id: number;
  name: string;
  description: string | null;
  status: SequenceStatus;
  trigger_type: SequenceTrigger | null;
  subscribers_count: number;
  /** Beyond the contract */
  trigger_tag_id: number | null;
  /** Beyond the contract */
  trigger_list_id: number | null;
  /** Beyond the contract */
  trigger_waitlist_id: number | null;
  /** Beyond the contract */
  from_email: string | null;
  /** Beyond the contract */
  from_name: string | null;
  /** Beyond the contract */
  reply_to: string | null;
}

export type SequenceStatus = 'draft' | 'active' | 'paused';

export type SequenceTrigger = 'manual' | 'tag_added' | 'list_joined' | 'contact_created' | 'waitlist_signup';

export interface SequenceInput {
  name: string;
  description?: string | null;
  /** `manual` unless given */
  trigger_type?: SequenceTrigger | null;
  /** For `tag_added` */
  trigger_tag_id?: number | null;
  /** For `list_joined` */
  trigger_list_id?: number | null;
  /** For `waitlist_signup` */
  trigger_waitlist_id?: number | null;
  from_email?: string | null;
  from_name?: string | null;
  reply_to?: string | null;
}

export interface SequencePatch {
  name?: string;
  description?: string | null;
  /** `manual` unless given */
  trigger_type?: SequenceTrigger | null;
  /** For `tag_added` */
  trigger_tag_id?: number | null;
  /** For `list_joined` */
  trigger_list_id?: number | null;
  /** For `waitlist_signup` */
  trigger_waitlist_id?: number | null;
  from_email?: string | null;
  from_name?: string | null;
  reply_to?: string | null;
  status?: SequenceStatus;
}

export interface SequenceSteps {
  steps: SequenceStep[];
}

export interface SequenceStep {
  id: number;
  position: number;
  delay_value: number;
  delay_unit: DelayUnit;
  subject: string | null;
  html_content: string | null;
  template_id: number | null;
}

export type DelayUnit = 'minutes' | 'hours' | 'days';

export interface SequenceStepsInput {
  steps: SequenceStepInput[];
}

export interface SequenceStepInput {
  /** The step that it is; without it, the one that says the same or stands in its place */
  id?: number | null;
  /** From 1; unless all have one, the order of the list counts */
  position?: number | null;
  /** After the step before; after the enrolment for the first */
  delay_value?: number;
  delay_unit?: DelayUnit;
  subject?: string | null;
  html_content?: string | null;
  /** Its HTML is copied in unless `html_content` is given */
  template_id?: number | null;
}

export interface SequenceSubscriber {
  contact_id: number | null;
  email: string | null;
  status: SequenceSubscriberStatus;
  current_step: number;
  next_run_at: string | null;
  enrolled_at: string;
  completed_at: string | null;
  exit_reason: string | null;
  /** Ids of the steps that SES may or may not have accepted; they are not sent again */
  unknown_steps: number[];
}

export type SequenceSubscriberStatus = 'active' | 'completed' | 'exited' | 'failed';

export interface SequenceSubscribersInput {
  contact_ids?: number[];
  emails?: string[];
}

export type DeliveryEventType =
  | 'delivered'
  | 'bounced'
  | 'deferred'
  | 'dropped'
  | 'spam_report'
  | 'unsubscribed'
  | 'opened'
  | 'clicked'
  | 'queued'
  | 'sent';

export interface DeliveryEvent {
  id: number;
  email: string;
  event: DeliveryEventType;
  campaign_id: number | null;
  contact_id: number | null;
  provider: string | null;
  source: string | null;
  is_machine_open: boolean;
  metadata: Record<string, unknown>;
  created_at: string | null;
}

export interface DeliveryEventsInput {
  events: DeliveryEventInput[];
}

export interface DeliveryEventInput {
  email: string;
  event: DeliveryEventType;
  campaign_id?: number | null;
  contact_id?: number | null;
  provider?: string | null;
  source?: string | null;
  metadata?: Record<string, unknown>;
}

export interface TransactionalMessage {
  to: string;
  to_name?: string | null;
  from_email: string;
  from_name?: string | null;
  reply_to?: string | null;
  subject: string;
  /** Required unless template_id is given, and wins over it */
  html?: string | null;
  /** Made from the HTML when absent */
  text?: string | null;
  template_id?: number | null;
  /** Values of merge tags; `{{order.id}}` reads inside an object */
  variables?: Record<string, unknown> | null;
  /** Waives the team's own suppression list */
  ignore_suppression?: boolean | null;
}

export interface SendingDomain {
  domain: string;
  status: 'pending' | 'verified' | 'failed';
  records: DnsRecord[];
  created_at: string;
  verified_at: string | null;
}

export interface DnsRecord {
  type: 'CNAME' | 'MX' | 'TXT';
  name: string;
  value: string;
  priority: number | null;
  purpose: 'dkim' | 'mail_from' | 'dmarc' | 'ownership';
}

export interface SendingDomainInput {
  domain: string;
  /** The subdomain of the envelope sender, where bounces go; without it as before, at first `mail` */
  mail_from_subdomain?: string | null;
}

export interface Webhook {
  id: number;
  url: string;
  description: string | null;
  events: WebhookSubscription[];
  is_active: boolean;
  last_delivered_at: string | null;
  consecutive_failures: number;
}

export type WebhookSubscription = WebhookEventType | '*';

export type WebhookEventType =
  | 'email.delivered'
  | 'email.bounced'
  | 'email.deferred'
  | 'email.dropped'
  | 'email.spam_report'
  | 'email.unsubscribed'
  | 'email.opened'
  | 'email.clicked'
  | 'email.queued'
  | 'email.sent'
  | 'contact.created'
  | 'contact.updated'
  | 'contact.unsubscribed'
  | 'contact.deleted'
  | 'campaign.scheduled'
  | 'campaign.sending'
  | 'campaign.sent'
  | 'campaign.partial'
  | 'campaign.failed'
  | 'campaign.held'
  | 'campaign.cancelled'
  | 'sequence.enrolled'
  | 'sequence.completed'
  | 'waitlist.signup'
  | 'waitlist.invited'
  | 'api_key.expiring'
  | 'webhook.test';

export interface WebhookInput {
  url: string;
  description?: string | null;
  events: WebhookSubscription[];
}

export interface WebhookWithSecret {
  id: number;
  url: string;
  description: string | null;
  events: WebhookSubscription[];
  is_active: boolean;
  last_delivered_at: string | null;
  consecutive_failures: number;
  secret: string;
}

export interface WebhookPatch {
  url?: string;
  description?: string | null;
  events?: WebhookSubscription[];
  is_active?: boolean;
}

export interface WebhookDelivery {
  id: number;
  event_type: WebhookEventType;
  event_id: string;
  /** The whole body that was sent; its `data` is empty if the API key lacks the scope to read it */
  payload: Record<string, unknown>;
  response_status: number | null;
  /** Its first 1,024 characters */
  response_body: string | null;
  attempt: number;
  succeeded: boolean;
  /** Why it did not succeed, in a few stable words */
  error: string | null;
}

export interface PolishRequest {
  /** HTML or plain text, at most 180,000 bytes */
  content: string;
  tone?: 'professional' | 'casual' | 'friendly' | 'formal' | 'persuasive' | null;
  goal?: 'clarity' | 'engagement' | 'conversion' | 'brevity' | 'warmth' | null;
}

export interface PolishResult {
  id: number;
  /** Markup, links and merge tags are those of the content */
  tweaked_content: string;
  /** What was changed and where, and what else could be */
  ai_suggestions: string[];
  /** How easily the result reads */
  quality_score: number;
  /** null: the embedded engine */
  model_used: string | null;
  tokens_used: number;
}

export interface SubjectTestRequest {
  subject: string;
  /** Score by what the team's own readers have opened, over its last 50 campaigns */
  use_history?: boolean | null;
}

export interface SubjectTestResult {
  id: number;
  /** The best first, five at most; none where rules find no other way to say it */
  variations: SubjectVariation[];
  /** The given one where no variation does better */
  winning_subject: string;
  original_score: number;
  best_score: number;
}

/** Another way to say a subject line, and why it has its score */
export interface SubjectVariation {
  subject: string;
  score: number;
  reason: string;
}

export interface DeliverabilityRequest {
  /** HTML or plain text, at most 180,000 bytes */
  content: string;
  subject?: string | null;
  /** Weigh in the bounces and complaints of the team's last ten campaigns and whether a sending domain is verified; true unless given */
  use_account_signals?: boolean | null;
}

export interface DeliverabilityResult {
  id: number;
  /** Lower is better; the issues together, 100 at most */
  spam_score: number;
  /** The heaviest first */
  issues: DeliverabilityIssue[];
  checks_passed: {
    code: string;
    message: string;
  }[];
  /** pass below 30, warn below 60 */
  verdict: 'pass' | 'warn' | 'fail';
}

export interface DeliverabilityIssue {
  code: string;
  severity: 'low' | 'medium' | 'high';
  /** Its part of the spam score */
  score: number;
  message: string;
  suggestion: string;
}

export interface AiUsage {
  period_start: string;
  /** When the next period begins */
  period_end: string;
  /** Polished texts */
  ai_tweaks: Allowance;
  /** Subject lines tested; not limited */
  subject_tests: Allowance;
  emails: Allowance;
  /** Beyond the contract: tokens of the model, with those reserved for requests under way */
  ai_tokens: Allowance;
}

/** limit and remaining are null where there is no limit */
export interface Allowance {
  used: number;
  limit: number | null;
  remaining: number | null;
}

export interface EmailDeliveredEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.delivered';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailBouncedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.bounced';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailDeferredEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.deferred';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailDroppedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.dropped';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailSpamReportEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.spam_report';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailUnsubscribedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.unsubscribed';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailOpenedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.opened';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailClickedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.clicked';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailQueuedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.queued';
  created_at: string;
  data: DeliveryEvent;
}

export interface EmailSentEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'email.sent';
  created_at: string;
  data: DeliveryEvent;
}

export interface ContactCreatedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'contact.created';
  created_at: string;
  data: Contact;
}

export interface ContactUpdatedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'contact.updated';
  created_at: string;
  data: Contact;
}

export interface ContactUnsubscribedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'contact.unsubscribed';
  created_at: string;
  data: Contact;
}

export interface ContactDeletedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'contact.deleted';
  created_at: string;
  data: DeletedContact;
}

export interface DeletedContact {
  id: number;
  email: string;
}

export interface CampaignScheduledEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'campaign.scheduled';
  created_at: string;
  data: Campaign;
}

export interface CampaignSendingEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'campaign.sending';
  created_at: string;
  data: Campaign;
}

export interface CampaignSentEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'campaign.sent';
  created_at: string;
  data: Campaign;
}

export interface CampaignPartialEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'campaign.partial';
  created_at: string;
  data: Campaign;
}

export interface CampaignFailedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'campaign.failed';
  created_at: string;
  data: Campaign;
}

export interface CampaignHeldEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'campaign.held';
  created_at: string;
  data: Campaign;
}

export interface CampaignCancelledEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'campaign.cancelled';
  created_at: string;
  data: Campaign;
}

export interface SequenceEnrolledEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'sequence.enrolled';
  created_at: string;
  data: WebhookEnrollment;
}

export interface WebhookEnrollment {
  contact_id: number | null;
  email: string | null;
  status: SequenceSubscriberStatus;
  current_step: number;
  next_run_at: string | null;
  enrolled_at: string;
  completed_at: string | null;
  exit_reason: string | null;
  /** Ids of the steps that SES may or may not have accepted; they are not sent again */
  unknown_steps: number[];
  sequence_id: number;
}

export interface SequenceCompletedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'sequence.completed';
  created_at: string;
  data: WebhookEnrollment;
}

export interface WaitlistSignupEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'waitlist.signup';
  created_at: string;
  data: WebhookWaitlistSignup;
}

export interface WebhookWaitlistSignup {
  id: number;
  email: string;
  name: string | null;
  position: number | null;
  status: WaitlistSignupStatus;
  referral_code: string;
  referrals_count: number;
  waitlist_id: number;
}

export interface WaitlistInvitedEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'waitlist.invited';
  created_at: string;
  data: WebhookWaitlistSignup;
}

export interface ApiKeyExpiringEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'api_key.expiring';
  created_at: string;
  data: ApiKey;
}

export interface WebhookTestEvent {
  /** The same at every attempt, and should the event come twice */
  id: string;
  type: 'webhook.test';
  created_at: string;
  data: WebhookTest;
}

export interface WebhookTest {
  webhook_id: number;
  message: string;
}

export interface ErrorBody {
  message: string;
  code: ErrorCode;
  errors?: Record<string, string[]>;
  blockers?: Blocker[];
  request_id: string;
}

export type ErrorCode =
  | 'unauthenticated'
  | 'plan_excludes_api'
  | 'missing_scope'
  | 'address_not_allowed'
  | 'not_found'
  | 'method_not_allowed'
  | 'idempotency_in_progress'
  | 'payload_too_large'
  | 'validation_error'
  | 'not_applicable'
  | 'send_blocked'
  | 'still_settling'
  | 'idempotency_key_reused'
  | 'recipient_suppressed'
  | 'sending_domain_unverified'
  | 'plan_allowance_exceeded'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable';

/** The event of a webhook request; `id` is the same in every delivery of the event. */
export type WebhookEvent =
  | EmailDeliveredEvent
  | EmailBouncedEvent
  | EmailDeferredEvent
  | EmailDroppedEvent
  | EmailSpamReportEvent
  | EmailUnsubscribedEvent
  | EmailOpenedEvent
  | EmailClickedEvent
  | EmailQueuedEvent
  | EmailSentEvent
  | ContactCreatedEvent
  | ContactUpdatedEvent
  | ContactUnsubscribedEvent
  | ContactDeletedEvent
  | CampaignScheduledEvent
  | CampaignSendingEvent
  | CampaignSentEvent
  | CampaignPartialEvent
  | CampaignFailedEvent
  | CampaignHeldEvent
  | CampaignCancelledEvent
  | SequenceEnrolledEvent
  | SequenceCompletedEvent
  | WaitlistSignupEvent
  | WaitlistInvitedEvent
  | ApiKeyExpiringEvent
  | WebhookTestEvent;

export interface ListScopesResult {
  scope: Scope;
  description: string;
}

export interface RevokeApiKeyQuery {
  /** Revoke all keys that descend from it, too (beyond the contract) */
  cascade?: boolean;
}

export interface RevokeApiKeyResult {
  status: 'revoked';
}

export interface ListAuditLogQuery {
  /** Records on a page */
  per_page?: number;
  /** The `next_cursor` or `prev_cursor` of a page */
  cursor?: string;
  action?: AuditAction;
  since?: string;
  until?: string;
  /** Whose suppression was lifted */
  email?: string;
}

export interface ListContactsQuery {
  /** Records on a page */
  per_page?: number;
  /** The `next_cursor` or `prev_cursor` of a page */
  cursor?: string;
  status?: ContactStatus;
  tag_id?: number;
  list_id?: number;
  segment_id?: number;
  updated_since?: string;
  /** What to embed, comma-separated */
  include?: ('tags' | 'lists')[];
}

export interface BulkUpsertContactsResult {
  data: {
    email: string;
    id: number;
    created: boolean;
    status: ContactStatus;
  }[];
  created: number;
  updated: number;
}

export type AddContactTagsBody = {
  tag_ids: number[];
} | number[];

export interface EraseContactResult {
  contacts_deleted: number;
  events_anonymized: number;
  /** Beyond the contract; false: there are more, which are anonymized, too */
  events_exact: boolean;
}

export interface AttachListContactsBody {
  contact_ids: number[];
}

export interface AttachListContactsResult {
  list_id: number;
  attached: number;
  skipped: number;
}

export interface DetachListContactResult {
  list_id: number;
  contact_id: number;
  detached: boolean;
}

export interface ListSuppressionsQuery {
  /** Records on a page */
  per_page?: number;
  /** The `next_cursor` or `prev_cursor` of a page */
  cursor?: string;
  reason?: SuppressionReason;
  email?: string;
}

export interface RemoveSuppressionBody {
  email: string;
}

export interface RemoveSuppressionResult {
  status: 'removed';
}

export interface RemoveWaitlistSignupResult {
  waitlist_id: number;
  signup_id: number;
  removed: boolean;
}

export interface InviteWaitlistSignupsResult {
  waitlist_id: number;
  invited: number;
  signup_ids: number[];
}

export interface ListCampaignsQuery {
  /** Records on a page */
  per_page?: number;
  /** The `next_cursor` or `prev_cursor` of a page */
  cursor?: string;
  status?: CampaignStatus;
}

export interface PreflightCampaignResult {
  campaign_id: number;
  status: CampaignStatus;
  launchable: boolean;
  blockers: Blocker[];
  estimated_recipients: number | null;
  /** false: too many to count in time; projected from the contacts that were read */
  recipients_exact: boolean | null;
  allowance_remaining: number | null;
  estimated_seconds: number | null;
  /** the sum of the parts, rounded up to cents */
  estimated_cost_usd: number | null;
  estimated_cost_parts: {
    ses_pricing_plan: 'NONE' | 'ESSENTIALS' | 'PRO' | 'ENTERPRISE';
    ses_usd: number;
    /** everything but SES, as measured for 30% opens and 5% clicks */
    infrastructure_usd: number;
  } | null;
  warnings: ('account_in_sandbox' | 'account_sending_disabled' | 'daily_quota_insufficient')[];
}

export interface TestCampaignBody {
  emails: string[];
}

export interface TestCampaignResult {
  sent: string[];
  failed: {
    email: string;
    error: string;
  }[];
}

export interface ShareCampaignReportResult {
  url: string;
  expires_at: string;
}

export interface RevokeCampaignReportResult {
  campaign_id: number;
  revoked: true;
}

export interface ListCampaignRecipientsQuery {
  /** Records on a page */
  per_page?: number;
  /** The `next_cursor` or `prev_cursor` of a page */
  cursor?: string;
  filter?: 'all' | 'opened' | 'clicked' | 'bounced' | 'pending' | 'sent';
}

export interface ListTemplatesQuery {
  /** Records on a page */
  per_page?: number;
  /** The `next_cursor` or `prev_cursor` of a page */
  cursor?: string;
  scope?: 'all' | 'system' | 'team';
  /** Without regard to case */
  category?: string;
}

export interface AddSequenceSubscribersResult {
  sequence_id: number;
  matched: number;
  enrolled: number;
  skipped: number;
}

export interface RemoveSequenceSubscriberResult {
  sequence_id: number;
  contact_id: number;
  removed: boolean;
}

export interface ListEventsQuery {
  /** Records on a page */
  per_page?: number;
  /** The `next_cursor` or `prev_cursor` of a page */
  cursor?: string;
  event?: DeliveryEventType;
  email?: string;
  campaign_id?: number;
  contact_id?: number;
  since?: string;
  until?: string;
  include_machine_opens?: boolean;
}

export interface IngestEventsResult {
  status: 'processed';
  processed: number;
}

export interface SendMessageResult {
  status: 'sent' | 'sandboxed';
  to: string;
  subject: string;
  /** Whether SES has said that it took the message */
  delivered: boolean;
}

export interface DeleteSendingDomainResult {
  domain: string;
  deleted: boolean;
}

export interface ListWebhookEventTypesResult {
  type: WebhookEventType;
  description: string;
}

export interface TestWebhookResult {
  status: 'queued';
}

export type GetOpenapiResult = Record<string, unknown>;
