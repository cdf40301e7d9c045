import { sql } from 'kysely'
import type { EventPlace } from './connections.ts'
import { CONNECTION_STATES } from './life.ts'

/** This many lookups without an answer, one after the other, and nobody waits for the directory any more. */
const FAILURES_TO_OPEN = 5
/** While it is open, one lookup in so many seconds goes out to see. */
const TRY_EVERY_SECONDS = 60

const OPEN = CONNECTION_STATES.move('ready', 'failing')
const CLOSED = CONNECTION_STATES.move('failing', 'ready')

const at = (ctx: EventPlace, connectionId: string) =>
  sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${connectionId}`

/** True for the one caller, of all processes, that may try now; the row itself decides who. */
export async function claimTry(ctx: EventPlace, connectionId: string): Promise<boolean> {
  const { rows } = await sql`
    update directory_connections set next_try_at = lanyard_now() + make_interval(secs => ${TRY_EVERY_SECONDS})
    where ${at(ctx, connectionId)} and status = ${OPEN} and next_try_at <= lanyard_now()
    returning 1`.execute(ctx.db)
  return rows.length === 1
}

/** A lookup that was under way when somebody changed the connection counts for nothing: then it is no longer ready. */
export async function noteFailure(ctx: EventPlace, connectionId: string): Promise<void> {
  const opens = sql`status = ${CLOSED} and failures + 1 >= ${FAILURES_TO_OPEN}`
  await sql`
    update directory_connections set
      failures = failures + 1,
      status = case when ${opens} then ${OPEN} else status end,
      opened_at = case when ${opens} then lanyard_now() else opened_at end,
      next_try_at = case when ${opens} then lanyard_now() + make_interval(secs => ${TRY_EVERY_SECONDS}) else next_try_at end
    where ${at(ctx, connectionId)} and status in (${CLOSED}, ${OPEN})`.execute(ctx.db)
}

/** Writes nothing while all goes well, so that many lookups at once do not queue for one row. */
export async function noteSuccess(ctx: EventPlace, connectionId: string): Promise<void> {
  await sql`
    update directory_connections set failures = 0, status = ${CLOSED}, opened_at = null, next_try_at = null
    where ${at(ctx, connectionId)} and (status = ${OPEN} or (status = ${CLOSED} and failures > 0))`.execute(ctx.db)
}
