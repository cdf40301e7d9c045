import type { Database } from '../../kernel/ports.ts'

export interface WorkBacklog {
  outboxAgeSeconds: number
  outboxQueued: number
  jobAgeSeconds: number
  jobsQueued: number
  webhookAgeSeconds: number
  webhooksFailing: number
}

const BACKLOG = `
select
  (select count(*) from messages where status = 'queued' and next_attempt_at <= lanyard_now()) as "outboxQueued",
  (select coalesce(extract(epoch from lanyard_now() - min(next_attempt_at)), 0)::float8 from messages
   where status = 'queued' and next_attempt_at <= lanyard_now()) as "outboxAgeSeconds",
  (select count(*) from jobs where status = 'queued' and due_at <= lanyard_now()) as "jobsQueued",
  (select coalesce(extract(epoch from lanyard_now() - min(due_at)), 0)::float8 from jobs
   where status = 'queued' and due_at <= lanyard_now()) as "jobAgeSeconds",
  (select count(*) from webhook_endpoints where status = 'active' and failing_since is not null) as "webhooksFailing",
  (select coalesce(extract(epoch from lanyard_now() - min(d.due)), 0)::float8 from webhook_endpoints w cross join lateral (
     select min(next_attempt_at) as due from webhook_deliveries
     where tenant_id = w.tenant_id and endpoint_id = w.id and status = 'pending') d
   where w.status = 'active' and w.failing_since is null and d.due <= lanyard_now()) as "webhookAgeSeconds"`

/** Reads how far the worker is behind with emails, jobs and webhooks. */
export async function readWorkBacklog(database: Database): Promise<WorkBacklog> {
  const { rows } = await database.pool.query<WorkBacklog>(BACKLOG, [])
  return rows[0]!
}
