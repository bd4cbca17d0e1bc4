import type { EventKind } from './simulator.ts';

/** A configuration set as the template declares it: where its events go. */
export interface ConfigurationSet {
  name: string;
  /** `matchingEventTypes` in the API's spelling (RENDERING_FAILURE) or CloudFormation's (renderingFailure). */
  destinations: ReadonlyArray<{ topicArn: string; matchingEventTypes: readonly string[] }>;
}

/** Answers which topics an event goes to. */
export interface ConfigurationSets {
  has(name: string): boolean;
  /** Topics that subscribed to this kind of event; none for an unknown or absent set. */
  topics(name: string | undefined, kind: EventKind): readonly string[];
  /** Account and region of the events, read off the first topic. */
  account: string;
  region: string;
}

const TYPES: Readonly<Record<EventKind, string>> = {
  Send: 'send',
  Delivery: 'delivery',
  Bounce: 'bounce',
  Suppression: 'bounce',
  Complaint: 'complaint',
  'Rendering Failure': 'renderingfailure',
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

function topicsByKind(set: ConfigurationSet): Record<EventKind, string[]> {
  const destinations = set.destinations.map(({ topicArn, matchingEventTypes }) => ({
    topicArn,
    types: new Set(matchingEventTypes.map((type) => type.replaceAll('_', '').toLowerCase())),
  }));
  const topics = (type: string) => destinations.filter(({ types }) => types.has(type)).map(({ topicArn }) => topicArn);
  return Object.fromEntries(Object.entries(TYPES).map(([kind, type]) => [kind, topics(type)])) as Record<
    EventKind,
    string[]
  >;
}
