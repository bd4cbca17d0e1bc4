import { readPage } from '../../data/paging.ts';
import * as auditLog from '../../data/teams/audit-log.ts';

const shownRows = 100;
const maxMs = 20_000;

/** The newest hundred rows of a team's audit log, or of the platform's, with the names of operators. */
export async function showAuditLog({ team_id, ...filters }: auditLog.AuditFilters & { team_id?: number }) {
  const source = auditLog.list(team_id ?? auditLog.platformLog, filters);
  const { items } = await readPage(source, 'forward', undefined, shownRows, { deadline: Date.now() + maxMs });
  const rows = items.map((row) => ({ ...auditLog.view(row), actor: row.actor }));
  return { team_id: team_id ?? null, rows };
}
