import type { Resources, Value } from '../template/resource.ts';
import { type Answer, awsError } from './errors.ts';

const singleWrite = /^(?:Put|Update|Delete)Item$/;
const twice = 'Transaction request cannot include multiple operations on one item';

/**
 * What DynamoDB refuses of transactions and the engine, which does one thing after another, lets through: two writes of
 * one transaction to an item, and writes to an item that a transaction under way holds.
 */
export class Transactions {
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  /** The items of the transactions under way. */
  readonly #held = new Set<string>();

  constructor(resources: Resources) {
    const keyOf = ({ KeySchema = [] }: Value) => KeySchema.map(({ AttributeName }: Value) => AttributeName as string);
    const tables = resources.ofType('AWS::DynamoDB::Table');
    this.#keys = new Map(tables.map(({ name, properties }) => [name, keyOf(properties)]));
  }

  /** Passes a call on, unless DynamoDB would refuse it. */
  async run(operation: string, body: Buffer, pass: () => Promise<Answer>): Promise<Answer> {
    if (operation === 'TransactWriteItems') return this.#transact(JSON.parse(body.toString()), pass);
    if (this.#held.size === 0 || !singleWrite.test(operation)) return pass();
    if (!this.#held.has(this.#itemOf(JSON.parse(body.toString())))) return pass();
    return awsError('dynamodb', 'TransactionConflictException', 'Transaction is ongoing for the item');
  }

  async #transact({ TransactItems = [] }: Value, pass: () => Promise<Answer>): Promise<Answer> {
    const items: string[] = TransactItems.map((item: Value) => this.#itemOf(Object.values<Value>(item)[0]));
    const unique = new Set(items);
    if (unique.size < items.length) return awsError('dynamodb', 'ValidationException', twice);
    if (items.some((item) => this.#held.has(item))) return this.#conflict(items);
    for (const item of unique) this.#held.add(item);
    try {
      return await pass();
    } finally {
      for (const item of unique) this.#held.delete(item);
    }
  }

  #itemOf({ TableName, Key, Item }: Value): string {
    return JSON.stringify([TableName, this.#keys.get(TableName)?.map((name) => (Key ?? Item)?.[name])]);
  }

  #conflict(items: readonly string[]): Answer {
    const Message = 'Transaction is ongoing for the item';
    return canceled(
      items.map((item) => (this.#held.has(item) ? { Code: 'TransactionConflict', Message } : { Code: 'None' })),
    );
  }
}

/** The answer to a transaction that was cancelled, with a reason for each of its writes. */
export function canceled(reasons: { Code: string; Message?: string }[]): Answer {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const text = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  const details = { Message: text, CancellationReasons: reasons };
  return awsError('dynamodb', 'TransactionCanceledException', text, details);
}
