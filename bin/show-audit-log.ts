import type { Answer } from './show-commands.ts';

/** The rows of the audit log as text: when, who, what, to what, what changed, and from where. */
export function showAuditLog({ team_id, rows }: Answer): string {
  const whose = team_id === null ? 'the platform' : `team ${team_id}`;
  if (rows.length === 0) return `The audit log of ${whose} has no such row.`;
  return rows.map(line).join('\n');
}

function line({ at, actor, action, target, before, after, ip, request_id }: Answer): string {
  const who = actor.kind === 'key' ? `key ${actor.key_id} "${actor.name}"` : `${actor.kind} ${actor.name}`;
  const changes = [before, after].flatMap((fields) => (fields ? [JSON.stringify(fields)] : []));
  const parts = [at, who, action, `${target.type} ${target.id}`, changes.join(' to '), ip, request_id];
  return parts.filter(Boolean).join('  ');
}
