import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { buildSmallestIdForTime } from '../../../kernel/ids.ts'
import type { RecurringTask, RecurringTaskContext } from '../../../kernel/recurring.ts'
import { findPreviousTaskSlot } from '../../../kernel/recurring-slots.ts'
import { checkIntegrity } from './check.ts'

const JOB_NAME = 'integrity'
const INTERVAL_SECONDS = 60

/**
 * How long after a change the event is checked. The id of an audit entry contains the time when the transaction started to write, but the
 * entry is visible only after the commit, at most 20 seconds later.
 */
const COMMIT_DELAY_MS = 30_000

/** Checks the integrity rules of every recently changed event and logs violations as errors. */
export const watchDataIntegrity: RecurringTask = {
  name: JOB_NAME,
  schedule: { everySeconds: INTERVAL_SECONDS },
  run: (given) => checkIntegrityOfChangedEvents(given),
}

export async function checkIntegrityOfChangedEvents({
  slot,
  transact,
  log,
}: Pick<RecurringTaskContext, 'slot' | 'transact' | 'log'>): Promise<void> {
  for (const { tenantId, eventId } of await transact((db) =>
    listChangedEvents(db, { name: JOB_NAME, everySeconds: INTERVAL_SECONDS, slot }),
  )) {
    const place = { tenant: String(tenantId), event: eventId }
    try {
      const found = await transact((db) => checkIntegrity(db, tenantId, eventId))
      for (const { id, ok, violations, samples } of found)
        if (!ok) log.error('integrity violated', { ...place, name: id, count: violations, error: samples.join(', ') })
    } catch (error) {
      log.error('integrity not checked', { ...place, error: (error as Error).message })
    }
  }
}

/** Finds the events that changed since the previous run, by the time in the ids of audit entries. */
export async function listChangedEvents(
  db: Db,
  { name, everySeconds, slot }: { name: string; everySeconds: number; slot: Date },
): Promise<{ tenantId: number; eventId: string }[]> {
  const before = (await findPreviousTaskSlot(db, { name, slot })) ?? new Date(slot.getTime() - everySeconds * 1000)
  const passed = (await getDatabaseTime({ db })).getTime() - before.getTime()
  const { rows } = await sql<{ tenantId: number; eventId: string }>`
    select t.id as "tenantId", a.event_id as "eventId" from tenants t cross join lateral (
      select distinct e.event_id from audit_entries e
      where e.tenant_id = t.id and e.id >= ${buildSmallestIdForTime(Date.now() - passed - COMMIT_DELAY_MS)} and e.event_id is not null) a
    order by 1, 2`.execute(db)
  return rows
}
