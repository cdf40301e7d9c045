import { newId } from '../../src/kernel/ids.ts'
import { hashToken } from '../../src/kernel/secrets.ts'
import type { EventHandle, World } from './world.ts'

const OUTSIDE_ADDRESS = 'board@partner.example'

/** Creates a finished and a queued report run, and returns the token of the report link that was sent to an external recipient. */
export async function createReportRuns(
  world: World,
  event: EventHandle,
  call: (tool: string, args: Record<string, unknown>) => Promise<any>,
): Promise<{ runs: string[]; token: string }> {
  const report = 'revenue-by-product'
  const { runId } = await call('run_report', { report, format: 'csv' })
  const queued = await call('run_report', { report, format: 'xlsx' })
  const token = `report_${newId()}`
  await world.database.pool.query(`update clients set report_recipients = $3 where tenant_id = $1 and id = $2`, [
    event.tenantId,
    event.clientId,
    [OUTSIDE_ADDRESS],
  ])
  await world.database.pool.query(
    `insert into report_run_recipients (tenant_id, event_id, run_id, id, email, email_norm, token_hash) values ($1, $2, $3, $4, $5, $5, $6)`,
    [event.tenantId, event.eventId, runId, newId(), OUTSIDE_ADDRESS, hashToken(token)],
  )
  return { runs: [runId, queued.runId], token }
}
