import { randomUUID } from 'node:crypto';

/** Who may act: an API key, an operator, or the system by itself. */
export const actorKinds = ['key', 'operator', 'system'] as const;

/** Who acts, in which request. */
export interface Actor {
  kind: (typeof actorKinds)[number];
  name: string;
  /** Of an API key. */
  keyId?: number;
  ip?: string;
  requestId?: string;
  /** Names the row with the action and its target: an operation that runs again writes none. */
  operation: { id: string; startedAt: Date };
}

/** An actor as a job keeps it, for what the job completes in the actor's name. */
export type StoredActor = Omit<Actor, 'operation'> & { operationId: string; startedAt: string };

/** An actor, to be stored. */
export const storedActor = ({ operation, ...actor }: Actor): StoredActor => ({
  ...actor,
  operationId: operation.id,
  startedAt: operation.startedAt.toISOString(),
});

/** The actor that a job has stored; for a job that an earlier version wrote the system. */
export function actorOf(stored: StoredActor | undefined): Actor {
  if (!stored) return systemActor();
  const { operationId, startedAt, ...actor } = stored;
  return { ...actor, operation: { id: operationId, startedAt: new Date(startedAt) } };
}

/** The system, in an operation that happens once because its write is conditional. */
export const systemActor = (): Actor => ({
  kind: 'system',
  name: 'system',
  operation: { id: randomUUID(), startedAt: new Date() },
});
