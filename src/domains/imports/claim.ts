import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { newLeaseToken } from '../../kernel/lease.ts'
import { formatInstant } from '../../kernel/time.ts'
import { updateImportRun } from './runs.ts'

/** Maximum time in seconds for which an import call that has crashed blocks other imports of the same client. */
const CLAIM_SECONDS = 60
const RENEW_MS = 20_000

type ClaimContext = Pick<EventContext, 'db' | 'tenantId' | 'client' | 'event' | 'actor'>

/**
 * Reserves the client for one import call, because an import reads whole files and writes thousands of rows. Throws if another import of
 * the client is running. Returns the function that ends the reservation after the call.
 */
export async function reserveClientForImport(ctx: ClaimContext, tool: string): Promise<() => Promise<void>> {
  const { db, tenantId, client, event, actor } = ctx
  const token = newLeaseToken()
  const until = sql`lanyard_now() + make_interval(secs => ${CLAIM_SECONDS})`
  const { rows } = await sql`
    insert into import_claims as c (tenant_id, client_id, token, tool, event_id, claimed_by_name, lease_until)
    values (${tenantId}, ${client.id}, ${token}, ${tool}, ${event.id}, ${actor.name}, ${until})
    on conflict (tenant_id, client_id) do update set token = excluded.token, tool = excluded.tool, event_id = excluded.event_id,
      claimed_by_name = excluded.claimed_by_name, claimed_at = lanyard_now(), lease_until = excluded.lease_until
    where c.lease_until <= lanyard_now()
    returning 1`.execute(db)
  if (rows.length === 0) throw await describeClaim(ctx)
  const own = sql`tenant_id = ${tenantId} and client_id = ${client.id} and token = ${token}`
  const renewal = setInterval(
    () => void sql`update import_claims set lease_until = ${until} where ${own}`.execute(db).catch(() => {}),
    RENEW_MS,
  )
  renewal.unref()
  return async () => {
    clearInterval(renewal)
    await sql`delete from import_claims where ${own}`.execute(db)
  }
}

async function describeClaim({ db, tenantId, client }: ClaimContext) {
  const { rows } = await sql<{ tool: string; eventCode: string; by: string; at: Date }>`
    select c.tool, e.code as "eventCode", c.claimed_by_name as by, c.claimed_at as at
    from import_claims c join events e on e.tenant_id = c.tenant_id and e.id = c.event_id
    where c.tenant_id = ${tenantId} and c.client_id = ${client.id}`.execute(db)
  const [going] = rows
  const which = going ? `${going.tool} at ${going.eventCode}, started by ${going.by} at ${formatInstant(going.at)}` : 'it has just ended'
  return conflict(`Another import of ${client.code} is running: ${which}. Wait until it has ended.`)
}

interface OpenRun {
  id: string
  eventCode: string
  mode: string
  dryRun: boolean
  /** Whether the background job of this import run is still queued or running. */
  going: boolean
}

/**
 * Lists the imports of the client that continue as background jobs. `going` is false for an import whose job has ended or failed, even if
 * its own status was never updated.
 */
const listOpenRuns = async ({ db, tenantId, client }: Omit<ClaimContext, 'actor'>): Promise<OpenRun[]> =>
  (
    await sql<OpenRun>`
      select r.id, e.code as "eventCode", r.mode, r.dry_run as "dryRun", coalesce(j.status in ('queued', 'running'), false) as going
      from import_runs r join events e on e.tenant_id = r.tenant_id and e.id = r.event_id
      left join jobs j on j.tenant_id = r.tenant_id and j.id = r.job_id
      where r.tenant_id = ${tenantId} and e.client_id = ${client.id} and r.status in ('queued', 'running')
      order by r.created_at, r.id`.execute(db)
  ).rows

/** Throws while a background job of another import of the client is running. */
export async function requireNoRunningImport(ctx: Omit<ClaimContext, 'actor'>): Promise<void> {
  const run = (await listOpenRuns(ctx)).find(({ going }) => going)
  if (!run) return
  const kind = run.dryRun ? 'dry run' : `${run.mode} import`
  throw conflict(`Another import of ${ctx.client.code} is running: run ${run.id}, a ${kind} at ${run.eventCode}. Wait until it has ended.`)
}

/** Ends import runs of the event whose background job has failed, so that they block no other import. */
export async function failAbandonedImportRuns(ctx: EventContext): Promise<void> {
  for (const { id, eventCode, going } of await listOpenRuns(ctx))
    if (!going && eventCode === ctx.event.code) await updateImportRun(ctx, id, { status: 'failed', finished: true })
}
