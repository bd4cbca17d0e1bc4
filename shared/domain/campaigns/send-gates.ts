import { type Blocker, blockerWords } from '../errors.ts';
import { hasUnsubscribeTag } from '../messages/merge-tags.ts';
import { minVariants } from './ab-test.ts';
import type { AudienceSource } from './options.ts';

/** The facts that the gates check. */
export interface GateFacts {
  campaign: {
    name: string;
    subject: string | null;
    from_email: string | null;
    audience_source: AudienceSource;
    ab_test_enabled: boolean;
  };
  content: { html_content?: string | null; plain_content?: string | null } | undefined;
  domainVerified: boolean;
  /** Whether the list of a list audience exists. */
  audienceFound: boolean;
  /** Whether the team has the source of a warehouse audience. */
  warehouseConfigured: boolean;
  /** What was counted in time, `exact` when that is all; null for a warehouse audience, known after its import. */
  recipients: { count: number; exact: boolean } | null;
  /** Emails left in the month; null when unlimited. */
  allowanceLeft: number | null;
  /** Why the team may send nothing at all. */
  team: readonly Blocker[];
  variants: number;
}

/** What is missing for a message to be sent at all, also as a test. */
export function messageBlockers(
  campaign: Pick<GateFacts['campaign'], 'subject' | 'from_email'>,
  content: GateFacts['content'],
): Blocker[] {
  const unmet: [Blocker, boolean][] = [
    ['subject_missing', !campaign.subject],
    ['content_missing', !(content?.html_content || content?.plain_content)],
    ['from_email_missing', !campaign.from_email],
  ];
  return unmet.filter(([, applies]) => applies).map(([word]) => word);
}

/** Every unmet requirement, in a fixed order; empty when the campaign may be sent. */
export function blockers(facts: GateFacts): Blocker[] {
  const { campaign, content } = facts;
  const body = content?.html_content || content?.plain_content;
  const list = campaign.audience_source === 'list';
  // What was not counted, the snapshot decides.
  const { count, exact } = facts.recipients ?? { count: 0, exact: false };
  const tested = campaign.ab_test_enabled && facts.variants >= minVariants;
  // Each variant has its own subject.
  const message = messageBlockers(campaign, content).filter((word) => !(tested && word === 'subject_missing'));
  const unmet: [Blocker, boolean][] = [
    ['name_missing', !campaign.name],
    ...message.map((word): [Blocker, boolean] => [word, true]),
    ['sending_domain_unverified', Boolean(campaign.from_email) && !facts.domainVerified],
    ['unsubscribe_link_missing', Boolean(body) && !hasUnsubscribeTag(body!)],
    ['audience_missing', list && !facts.audienceFound],
    ['audience_empty', list && facts.audienceFound && exact && count === 0],
    ['plan_allowance_exceeded', facts.allowanceLeft !== null && count > facts.allowanceLeft],
    ['variants_missing', campaign.ab_test_enabled && !tested],
    ['warehouse_not_configured', !list && !facts.warehouseConfigured],
  ];
  const words = [...unmet.filter(([, applies]) => applies).map(([word]) => word), ...facts.team];
  return blockerWords.filter((word) => words.includes(word));
}
