import { type SubjectTraits, subjectTraits } from './subject-traits.ts';

/** A campaign that was sent, and who opened it. */
export interface SentSubject {
  subject: string;
  delivered: number;
  /** People, machines left out. */
  opened: number;
}

/** What the team's readers have shown about one trait of subject lines. */
export interface Lift {
  points: number;
  reason: string;
  applies(traits: SubjectTraits): boolean;
}

/** What was learned from the past; `note` says so where it was too little. */
export interface SubjectHistory {
  lifts: Lift[];
  note?: string;
}

/** Deliveries from which on a campaign's open rate says something. */
const fewestDelivered = 20;
const fewestCampaigns = 5;
/** A trait must be in as many campaigns, and missing in as many. */
const fewestOfAKind = 2;
/** As many campaigns as it takes to believe half of what is seen. */
const doubt = 4;
const mostPoints = 12;
/** Differences below this part of the usual rate are noise. */
const noise = 0.03;

const traits: readonly { what: string; applies: Lift['applies'] }[] = [
  { what: 'with a question', applies: ({ question }) => question },
  { what: 'with a number', applies: ({ number }) => number },
  { what: 'with an emoji', applies: ({ emojis }) => emojis > 0 },
  { what: "with the reader's name or data", applies: ({ personal }) => personal },
  { what: 'of up to 40 characters', applies: ({ length }) => length <= 40 },
  { what: 'of over 60 characters', applies: ({ length }) => length > 60 },
  { what: 'that speak of "you"', applies: ({ addressed }) => addressed },
];

/** Learns from a team's campaigns which traits its readers open more and less; a trait seen seldom counts for little. */
export function learnFrom(sent: readonly SentSubject[]): SubjectHistory {
  const telling = sent.filter(({ delivered, opened }) => delivered >= fewestDelivered && opened <= delivered);
  if (telling.length < fewestCampaigns)
    return {
      lifts: [],
      note: `your history is too short to learn from: ${telling.length} of the ${fewestCampaigns} campaigns with ${fewestDelivered} deliveries that it takes`,
    };
  const usual = rateOf(telling);
  if (usual === 0) return { lifts: [], note: 'nobody has opened your campaigns yet: there is nothing to learn from' };
  const known = telling.map((campaign) => ({ ...campaign, traits: subjectTraits(campaign.subject) }));
  const lifts = traits.flatMap(({ what, applies }): Lift[] => {
    const having = known.filter((campaign) => applies(campaign.traits));
    const lacking = known.filter((campaign) => !applies(campaign.traits));
    const seen = Math.min(having.length, lacking.length);
    if (seen < fewestOfAKind) return [];
    const difference = ((rateOf(having) - rateOf(lacking)) / usual) * (seen / (seen + doubt));
    if (Math.abs(difference) < noise) return [];
    const points = Math.round(Math.max(-mostPoints, Math.min(mostPoints, difference * 50)) * 10) / 10;
    const percent = Math.round(Math.abs(difference) * 100);
    return [
      { points, reason: `your subjects ${what} are opened ${percent}% ${difference > 0 ? 'more' : 'less'}`, applies },
    ];
  });
  return lifts.length > 0 ? { lifts } : { lifts, note: 'your history shows no clear preference' };
}

/** Opens per delivery; a campaign counts by the root of its size, so that one large one does not drown the others. */
function rateOf(campaigns: readonly SentSubject[]): number {
  const weight = ({ delivered }: SentSubject) => Math.sqrt(delivered);
  const total = campaigns.reduce((sum, campaign) => sum + weight(campaign), 0);
  const opened = campaigns.reduce(
    (sum, campaign) => sum + weight(campaign) * (campaign.opened / campaign.delivered),
    0,
  );
  return opened / total;
}
