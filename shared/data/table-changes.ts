import type { Item } from './table-client.ts';

/** The parts of an update. */
interface Changes {
  UpdateExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Item | undefined;
}

/** The update that turns `before` into `after`: SET for what changed, REMOVE for what became undefined. */
export function changes(before: Item, after: Item): Changes {
  const names: Record<string, string> = {};
  const values: Item = {};
  const set: string[] = [];
  const removed: string[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name === 'pk' || name === 'sk' || JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    names[`#${name}`] = name;
    if (after[name] === undefined) removed.push(`#${name}`);
    else {
      values[`:${name}`] = after[name];
      set.push(`#${name} = :${name}`);
    }
  }
  const clauses = [set.length > 0 && `SET ${set.join(', ')}`, removed.length > 0 && `REMOVE ${removed.join(', ')}`];
  return {
    UpdateExpression: clauses.filter(Boolean).join(' '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: set.length > 0 ? values : undefined,
  };
}
