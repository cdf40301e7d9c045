import { sql } from 'kysely'
import type { ConnectionQueryScope } from './connections.ts'
import { CONNECTION_STATES } from './state-machine.ts'

/** Number of consecutive failed lookups that open the circuit breaker, which stops further lookups. */
const FAILURES_TO_OPEN = 5
/** While the circuit breaker is open, one lookup per interval is sent to find out whether the directory responds again. */
const PROBE_INTERVAL_SECONDS = 60

const OPEN_STATUS = CONNECTION_STATES.move('ready', 'failing')
const CLOSED_STATUS = CONNECTION_STATES.move('failing', 'ready')

const whereConnection = (ctx: ConnectionQueryScope, connectionId: string) =>
  sql`tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and id = ${connectionId}`

/**
 * Claims the right to send the next probe while the circuit breaker is open. Returns true for exactly one caller across all processes per
 * interval, because the update is conditional.
 */
export async function claimCircuitBreakerProbe(ctx: ConnectionQueryScope, connectionId: string): Promise<boolean> {
  const { rows } = await sql`
    update directory_connections set next_try_at = lanyard_now() + make_interval(secs => ${PROBE_INTERVAL_SECONDS})
    where ${whereConnection(ctx, connectionId)} and status = ${OPEN_STATUS} and next_try_at <= lanyard_now()
    returning 1`.execute(ctx.db)
  return rows.length === 1
}

/**
 * Counts a failed lookup. Matches only connections that are `ready` or `failing`, so a lookup that was in flight while the connection was
 * reconfigured is not counted.
 */
export async function recordLookupFailure(ctx: ConnectionQueryScope, connectionId: string): Promise<void> {
  const opens = sql`status = ${CLOSED_STATUS} and failures + 1 >= ${FAILURES_TO_OPEN}`
  await sql`
    update directory_connections set
      failures = failures + 1,
      status = case when ${opens} then ${OPEN_STATUS} else status end,
      opened_at = case when ${opens} then lanyard_now() else opened_at end,
      next_try_at = case when ${opens} then lanyard_now() + make_interval(secs => ${PROBE_INTERVAL_SECONDS}) else next_try_at end
    where ${whereConnection(ctx, connectionId)} and status in (${CLOSED_STATUS}, ${OPEN_STATUS})`.execute(ctx.db)
}

/** Resets the failure count of a connection. Writes nothing if the count is zero, so that concurrent lookups do not wait for one row. */
export async function recordLookupSuccess(ctx: ConnectionQueryScope, connectionId: string): Promise<void> {
  await sql`
    update directory_connections set failures = 0, status = ${CLOSED_STATUS}, opened_at = null, next_try_at = null
    where ${whereConnection(ctx, connectionId)} and (status = ${OPEN_STATUS} or (status = ${CLOSED_STATUS} and failures > 0))`.execute(
    ctx.db,
  )
}
