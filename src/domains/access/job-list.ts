import { sql } from 'kysely'
import type { AccountContext } from '../../kernel/context.ts'
import { readPage } from '../../kernel/page.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { JOB_STATES } from '../../kernel/work-states.ts'
import { buildCanReadUserRecordsSql, listPermittedScopes } from './reach.ts'

export const JOB_STATUSES = JOB_STATES.all
type JobStatus = (typeof JOB_STATUSES)[number]

interface JobListRequest {
  status?: JobStatus | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * Lists background jobs, newest first: the organizer's own, those of clients whose settings they may see, and for administrators those of
 * their members.
 */
export async function listJobs(ctx: AccountContext, request: JobListRequest) {
  const { clientIds, eventIds } = listPermittedScopes(ctx.access, 'clients.read')
  let rows = tenantDb(ctx)
    .selectFrom('jobs')
    .select([
      'id',
      'name',
      'status',
      'progress_done as done',
      'progress_total as total',
      'error',
      'created_at as createdAt',
      'started_at as startedAt',
      'finished_at as finishedAt',
      sql<string | null>`(select e.name from events e where e.tenant_id = jobs.tenant_id and e.id = jobs.event_id)`.as('eventName'),
      sql<string | null>`(select u.name from users u where u.tenant_id = jobs.tenant_id and u.id = jobs.created_by)`.as('startedBy'),
    ])
    .where(
      sql<boolean>`(jobs.created_by = ${ctx.actor.id} or jobs.client_id = any(${clientIds}) or jobs.event_id = any(${eventIds})
        or jobs.event_id in (select id from events where tenant_id = ${ctx.tenantId} and client_id = any(${clientIds}))
        or (jobs.client_id is null and jobs.event_id is null and ${buildCanReadUserRecordsSql(ctx, sql`jobs.created_by`)}))`,
    )
  if (request.status) rows = rows.where('status', '=', request.status)
  return readPage(ctx, request, {
    rows,
    order: [{ by: sql`jobs.id`, type: 'text', descending: true, of: (row) => row.id }],
    shape: (row) => row,
  })
}
