import { sql } from 'kysely'
import type { Db } from './columns.ts'
import { newLease } from './lease.ts'

export interface Slot {
  name: string
  slot: Date
}

/**
 * True for the one process that has it begun. Work that is heard of for the first time has missed nothing: its slot is written as done.
 * In the transaction that puts the slot on the queue.
 */
export async function claimSlot(db: Db, { name, slot }: Slot): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`
    insert into recurring_slots (name, slot, done_at)
    values (${name}, ${slot}, case when not exists (select from recurring_slots where name = ${name}) then lanyard_now() end)
    on conflict do nothing returning done_at is null as begun`.execute(db)
  return rows[0]?.begun ?? false
}

export interface HeldSlot extends Slot {
  lease: string
  /** This one included. */
  attempts: number
}

/** Null when it is done, or somebody else is at it. */
export async function takeSlot(db: Db, { name, slot }: Slot, seconds: number): Promise<HeldSlot | null> {
  const lease = newLease()
  const { rows } = await sql<{ attempts: number }>`
    update recurring_slots set attempts = attempts + 1, lease_token = ${lease}, lease_until = lanyard_now() + make_interval(secs => ${seconds})
    where name = ${name} and slot = ${slot} and done_at is null and (lease_until is null or lease_until <= lanyard_now())
    returning attempts`.execute(db)
  return rows[0] ? { name, slot, lease, attempts: rows[0].attempts } : null
}

const isHeld = ({ name, slot, lease }: HeldSlot) => sql`name = ${name} and slot = ${slot} and lease_token = ${lease}`

export async function keepSlot(db: Db, held: HeldSlot, seconds: number): Promise<void> {
  await sql`update recurring_slots set lease_until = lanyard_now() + make_interval(secs => ${seconds}) where ${isHeld(held)}`.execute(db)
}

export async function leaveSlot(db: Db, held: HeldSlot, { done }: { done: boolean }): Promise<void> {
  await sql`
    update recurring_slots set lease_token = null, lease_until = null, done_at = case when ${done} then lanyard_now() end
    where ${isHeld(held)}`.execute(db)
}

/** The last one before it that is done. */
export async function slotBefore(db: Db, { name, slot }: Slot): Promise<Date | null> {
  const { rows } = await sql<{ slot: Date | null }>`
    select max(slot) as slot from recurring_slots where name = ${name} and slot < ${slot} and done_at is not null`.execute(db)
  return rows[0]!.slot
}

/** The last of each stays, or its work would be new again. */
export async function tidySlots(db: Db): Promise<void> {
  await sql`
    delete from recurring_slots old where slot < lanyard_now() - interval '40 days'
      and exists (select from recurring_slots later where later.name = old.name and later.slot > old.slot)`.execute(db)
}
