/** What a field holds, by kind; shared/http/record-schema.ts has a schema for each. */
interface Values {
  id: number;
  address: string;
  text: string;
  time: string;
  count: number;
  flag: boolean;
  data: Record<string, unknown>;
}

/** A field of a record: what it holds, and where it appears. */
type Field = ({ kind: keyof Values } | { oneOf: readonly string[] }) & {
  /** It may be absent; the API shows null then. */
  optional?: true;
  /** Stored, but not shown. */
  hidden?: true;
  /** Which requests may write it. */
  written?: Mark;
};

type Mark = 'by upsert' | 'by upsert and patch';

/** The fields of a record, in the order in which the API shows them. */
export type Fields = Readonly<Record<string, Field>>;

type Value<F> = F extends { kind: infer K extends keyof Values }
  ? Values[K]
  : F extends { oneOf: readonly (infer V)[] }
    ? V
    : never;

type NamesWith<F extends Fields, Marked> = { [N in keyof F]: F[N] extends Marked ? N : never }[keyof F];
type Optional<F extends Fields> = NamesWith<F, { optional: true }>;

/** The fields of a record as it is stored. */
export type Stored<F extends Fields> = { -readonly [N in Exclude<keyof F, Optional<F>>]: Value<F[N]> } & {
  -readonly [N in Optional<F>]?: Value<F[N]>;
};

/** A record as the API shows it. */
export type View<F extends Fields> = {
  -readonly [N in Exclude<keyof F, NamesWith<F, { hidden: true }>>]:
    | Value<F[N]>
    | (N extends Optional<F> ? null : never);
};

/** The names of the fields that requests may write. */
export type Written<F extends Fields, By extends Mark = Mark> = NamesWith<F, { written: By }>;

/** The fields of a record that the API shows, in their order. */
export const shownFields = (fields: Fields): [name: string, field: Field][] =>
  Object.entries(fields).filter(([, { hidden }]) => !hidden);

/** The names of the fields that requests may write: all of them, or those of one mark. */
export function writtenFields<F extends Fields, By extends Mark = Mark>(fields: F, by?: By): Written<F, By>[] {
  const names = Object.keys(fields) as Written<F, By>[];
  return names.filter((name) => fields[name]!.written && (by === undefined || fields[name]!.written === by));
}

/** How a record is shown: its fields, null where one is absent. */
export function viewOf<F extends Fields>(fields: F): (stored: Stored<F>) => View<F> {
  const names = shownFields(fields).map(([name]) => name);
  return (stored) =>
    Object.fromEntries(names.map((name) => [name, (stored as Record<string, unknown>)[name] ?? null])) as View<F>;
}
