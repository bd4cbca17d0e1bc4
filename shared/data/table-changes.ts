import type { Item } from './table-client.ts';

/** The update from `before` to `after`: SET what changed, REMOVE what became undefined; a condition has own values. */
export function changes(before: Item, after: Item, ConditionExpression?: string, conditionValues: Item = {}) {
  const values: Item = { ...conditionValues };
  const set: string[] = [];
  const removed: string[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name === 'pk' || name === 'sk' || JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    if (after[name] === undefined) removed.push(`#${name}`);
    else {
      values[`:${name}`] = after[name];
      set.push(`#${name} = :${name}`);
    }
  }
  const clauses = [set.length > 0 && `SET ${set.join(', ')}`, removed.length > 0 && `REMOVE ${removed.join(', ')}`];
  return {
    UpdateExpression: clauses.filter(Boolean).join(' '),
    ConditionExpression,
    ExpressionAttributeValues: Object.keys(values).length > 0 ? values : undefined,
  };
}

/** The same with the key of `before`, which is stored. */
export const editOf = (before: Item, after: Item, condition: string, conditionValues?: Item) => ({
  Key: { pk: before.pk, sk: before.sk },
  ...changes(before, after, condition, conditionValues),
});
