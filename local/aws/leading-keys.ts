type Key = { pk?: { S?: string } };
type Write = { Key?: Key; Item?: Key };
type Batched = { PutRequest?: Write; DeleteRequest?: Write };

interface Body extends Write {
  TransactItems?: Record<string, Write>[];
  RequestItems?: Record<string, Batched[]>;
}

/**
 * Whether a write names an item whose partition key begins with a text: what IAM compares with `dynamodb:LeadingKeys`.
 * Of a transaction only the writes of a `kind` count, since each needs the permission of its own action.
 */
export function writesUnder(prefix: string, body: Buffer, kind?: string): boolean {
  // Few writes have such a key: the others are searched, not parsed.
  if (!body.includes(JSON.stringify(prefix).slice(0, -1))) return false;
  return writesOf(JSON.parse(body.toString()) as Body, kind).some(({ Key, Item }) =>
    (Key ?? Item)?.pk?.S?.startsWith(prefix),
  );
}

function writesOf(body: Body, kind?: string): Write[] {
  const { TransactItems, RequestItems } = body;
  if (TransactItems) return TransactItems.flatMap((write) => (kind && write[kind] ? [write[kind]] : []));
  if (!RequestItems) return [body];
  return Object.values(RequestItems)
    .flat()
    .map(({ PutRequest, DeleteRequest }) => PutRequest ?? DeleteRequest ?? {});
}
