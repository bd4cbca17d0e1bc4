import type { EventKind } from './simulator.ts';

/** A configuration set of the template, with the topics of its events. */
export interface ConfigurationSet {
  name: string;
  /** `matchingEventTypes` as in CloudFormation, such as `renderingFailure`. */
  destinations: ReadonlyArray<{ topicArn: string; matchingEventTypes: readonly string[] }>;
}

/** The configuration sets by name. */
export interface ConfigurationSets {
  has(name: string): boolean;
  /** Topics that receive this kind of event; none for an unknown or absent set. */
  topics(name: string | undefined, kind: EventKind): readonly string[];
  /** Account and region of the events, from the first topic's ARN. */
  account: string;
  region: string;
}

const TYPES: Readonly<Record<EventKind, string>> = {
  Delivery: 'delivery',
  Bounce: 'bounce',
  Suppression: 'bounce',
  Complaint: 'complaint',
  'Rendering Failure': 'renderingFailure',
  Reject: 'reject',
  Open: 'open',
  Click: 'click',
};

/** Indexes the configuration sets by name and event kind. */
export function indexConfigurationSets(sets: readonly ConfigurationSet[]): ConfigurationSets {
  const index = new Map(sets.map((set) => [set.name, topicsByKind(set)]));
  const [, , , region, account] = (sets[0]?.destinations[0]?.topicArn ?? '').split(':');
  return {
    has: (name) => index.has(name),
    topics: (name, kind) => (name === undefined ? [] : (index.get(name)?.[kind] ?? [])),
    account: account || '000000000000',
    region: region || 'us-east-1',
  };
}

function topicsByKind({ destinations }: ConfigurationSet): Record<EventKind, string[]> {
  const topics = (type: string) =>
    destinations.flatMap(({ topicArn, matchingEventTypes }) => (matchingEventTypes.includes(type) ? topicArn : []));
  const byKind = Object.entries(TYPES).map(([kind, type]) => [kind, topics(type)]);
  return Object.fromEntries(byKind) as Record<EventKind, string[]>;
}
