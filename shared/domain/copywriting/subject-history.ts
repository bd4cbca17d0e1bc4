import { type SubjectTraits, subjectTraits } from './subject-traits.ts';

/** A sent campaign with its deliveries and opens. */
export interface SentSubject {
  subject: string;
  delivered: number;
  /** Opens by people, without machines. */
  opened: number;
}

/** How one trait of subject lines changes the team's open rate. */
export interface Lift {
  points: number;
  reason: string;
  applies(traits: SubjectTraits): boolean;
}

/** What the team's campaigns show; `note` says why it is little. */
export interface SubjectHistory {
  lifts: Lift[];
  note?: string;
}

/** The deliveries that a campaign needs to count. */
const minDelivered = 20;
const minCampaigns = 5;
/** The number of campaigns with a trait, and without it, that a comparison needs. */
const minOfEach = 2;
/** With this many campaigns of each kind a difference counts for half (shrinkage). */
const shrinkage = 4;
const maxPoints = 12;
/** Smaller differences, as a share of the usual rate, are noise. */
const minDifference = 0.03;

const traits: readonly { what: string; applies: Lift['applies'] }[] = [
  { what: 'with a question', applies: ({ question }) => question },
  { what: 'with a number', applies: ({ number }) => number },
  { what: 'with an emoji', applies: ({ emojis }) => emojis > 0 },
  { what: "with the reader's name or data", applies: ({ personal }) => personal },
  { what: 'of up to 40 characters', applies: ({ length }) => length <= 40 },
  { what: 'of over 60 characters', applies: ({ length }) => length > 60 },
  { what: 'that speak of "you"', applies: ({ addressed }) => addressed },
];

/** Learns from a team's campaigns which traits its readers open more and less; a rare trait counts for little. */
export function learnFrom(sent: readonly SentSubject[]): SubjectHistory {
  const usable = sent.filter(({ delivered, opened }) => delivered >= minDelivered && opened <= delivered);
  if (usable.length < minCampaigns) {
    const found = `${usable.length} of the ${minCampaigns} campaigns with ${minDelivered} deliveries that it takes`;
    return { lifts: [], note: `your history is too short to learn from: ${found}` };
  }
  const usual = rateOf(usable);
  if (usual === 0) return { lifts: [], note: 'nobody has opened your campaigns yet: there is nothing to learn from' };
  const known = usable.map((campaign) => ({ ...campaign, traits: subjectTraits(campaign.subject) }));
  const lifts = traits.flatMap(({ what, applies }): Lift[] => {
    const having = known.filter((campaign) => applies(campaign.traits));
    const lacking = known.filter((campaign) => !applies(campaign.traits));
    const seen = Math.min(having.length, lacking.length);
    if (seen < minOfEach) return [];
    const difference = ((rateOf(having) - rateOf(lacking)) / usual) * (seen / (seen + shrinkage));
    if (Math.abs(difference) < minDifference) return [];
    const points = Math.round(Math.max(-maxPoints, Math.min(maxPoints, difference * 50)) * 10) / 10;
    const percent = Math.round(Math.abs(difference) * 100);
    return [
      { points, reason: `your subjects ${what} are opened ${percent}% ${difference > 0 ? 'more' : 'less'}`, applies },
    ];
  });
  return lifts.length > 0 ? { lifts } : { lifts, note: 'your history shows no clear preference' };
}

/** Opens per delivery, weighted by the root of each campaign's size, so that a large one does not outweigh the rest. */
function rateOf(campaigns: readonly SentSubject[]): number {
  const weight = ({ delivered }: SentSubject) => Math.sqrt(delivered);
  const total = campaigns.reduce((sum, campaign) => sum + weight(campaign), 0);
  const opened = campaigns.reduce(
    (sum, campaign) => sum + weight(campaign) * (campaign.opened / campaign.delivered),
    0,
  );
  return opened / total;
}
