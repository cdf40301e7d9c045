import type { Database } from '../../kernel/ports.ts'

export interface Backlog {
  outboxAgeSeconds: number
  outboxQueued: number
  jobAgeSeconds: number
  jobsQueued: number
}

const BACKLOG = `
select
  (select count(*) from messages where status = 'queued' and next_attempt_at <= lanyard_now()) as "outboxQueued",
  (select coalesce(extract(epoch from lanyard_now() - min(next_attempt_at)), 0)::float8 from messages
   where status = 'queued' and next_attempt_at <= lanyard_now()) as "outboxAgeSeconds",
  (select count(*) from jobs where status = 'queued' and due_at <= lanyard_now()) as "jobsQueued",
  (select coalesce(extract(epoch from lanyard_now() - min(due_at)), 0)::float8 from jobs
   where status = 'queued' and due_at <= lanyard_now()) as "jobAgeSeconds"`

/** How far the worker is behind. */
export async function backlog(database: Database): Promise<Backlog> {
  const { rows } = await database.pool.query<Backlog>(BACKLOG, [])
  return rows[0]!
}
