import { sql } from 'kysely'
import type { Db } from '../../../kernel/columns.ts'
import { databaseTime } from '../../../kernel/database-time.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import type { Recurring, RecurringRun } from '../../../kernel/recurring.ts'
import { slotBefore } from '../../../kernel/slots.ts'
import { checkIntegrity } from './check.ts'

const NAME = 'integrity'
const EVERY_SECONDS = 60

/** A change takes its place in the audit log when it begins to be kept, and is seen there when that has ended: 20 seconds later at most. */
const OVERLAP_MS = 30_000

/** Looks over every event at which something was changed, and says aloud what must never be so. */
export const watchIntegrity: Recurring = { name: NAME, schedule: { everySeconds: EVERY_SECONDS }, run: (given) => checkChanged(given) }

export async function checkChanged({ slot, transact, log }: Pick<RecurringRun, 'slot' | 'transact' | 'log'>): Promise<void> {
  for (const { tenantId, eventId } of await transact((db) => changedEvents(db, { name: NAME, everySeconds: EVERY_SECONDS, slot }))) {
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

/** By the audit log, which every change is in and whose ids tell when: as long ago as the run before this one. */
export async function changedEvents(
  db: Db,
  { name, everySeconds, slot }: { name: string; everySeconds: number; slot: Date },
): Promise<{ tenantId: number; eventId: string }[]> {
  const before = (await slotBefore(db, { name, slot })) ?? new Date(slot.getTime() - everySeconds * 1000)
  const passed = (await databaseTime({ db })).getTime() - before.getTime()
  const { rows } = await sql<{ tenantId: number; eventId: string }>`
    select t.id as "tenantId", a.event_id as "eventId" from tenants t cross join lateral (
      select distinct e.event_id from audit_entries e
      where e.tenant_id = t.id and e.id >= ${firstIdAt(Date.now() - passed - OVERLAP_MS)} and e.event_id is not null) a
    order by 1, 2`.execute(db)
  return rows
}
