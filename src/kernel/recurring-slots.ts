import { sql } from 'kysely'
import type { Db } from './columns.ts'
import { newLeaseToken } from './lease.ts'

export interface RecurringTaskSlot {
  name: string
  slot: Date
}

/**
 * Claims one scheduled time (slot) of a recurring task. True for the one process that claims it. A task that is new to the database has
 * missed nothing, so its first slot is written as done. Runs in the transaction that enqueues the slot.
 */
export async function claimRecurringTaskSlot(db: Db, { name, slot }: RecurringTaskSlot): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`
    insert into recurring_slots (name, slot, done_at)
    values (${name}, ${slot}, case when not exists (select from recurring_slots where name = ${name}) then lanyard_now() end)
    on conflict do nothing returning done_at is null as begun`.execute(db)
  return rows[0]?.begun ?? false
}

export interface LeasedTaskSlot extends RecurringTaskSlot {
  lease: string
  /** Number of attempts to complete this scheduled run, including the current one. */
  attempts: number
}

/** Leases a slot (one scheduled run of a recurring task). Null if it is done or another process has leased it. */
export async function leaseRecurringTaskSlot(db: Db, { name, slot }: RecurringTaskSlot, seconds: number): Promise<LeasedTaskSlot | null> {
  const lease = newLeaseToken()
  const { rows } = await sql<{ attempts: number }>`
    update recurring_slots set attempts = attempts + 1, lease_token = ${lease}, lease_until = lanyard_now() + make_interval(secs => ${seconds})
    where name = ${name} and slot = ${slot} and done_at is null and (lease_until is null or lease_until <= lanyard_now())
    returning attempts`.execute(db)
  return rows[0] ? { name, slot, lease, attempts: rows[0].attempts } : null
}

const isHeld = ({ name, slot, lease }: LeasedTaskSlot) => sql`name = ${name} and slot = ${slot} and lease_token = ${lease}`

export async function renewTaskSlotLease(db: Db, held: LeasedTaskSlot, seconds: number): Promise<void> {
  await sql`update recurring_slots set lease_until = lanyard_now() + make_interval(secs => ${seconds}) where ${isHeld(held)}`.execute(db)
}

export async function releaseRecurringTaskSlot(db: Db, held: LeasedTaskSlot, { done }: { done: boolean }): Promise<void> {
  await sql`
    update recurring_slots set lease_token = null, lease_until = null, done_at = case when ${done} then lanyard_now() end
    where ${isHeld(held)}`.execute(db)
}

/** Finds the latest earlier slot (scheduled run) of the task that is done. */
export async function findPreviousTaskSlot(db: Db, { name, slot }: RecurringTaskSlot): Promise<Date | null> {
  const { rows } = await sql<{ slot: Date | null }>`
    select max(slot) as slot from recurring_slots where name = ${name} and slot < ${slot} and done_at is not null`.execute(db)
  return rows[0]!.slot
}

/** Deletes old slots (scheduled runs). The latest slot of each task is kept, or the task would count as new again. */
export async function deleteOldTaskSlots(db: Db): Promise<void> {
  await sql`
    delete from recurring_slots old where slot < lanyard_now() - interval '40 days'
      and exists (select from recurring_slots later where later.name = old.name and later.slot > old.slot)`.execute(db)
}
