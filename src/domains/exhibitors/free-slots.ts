import { sql } from 'kysely'
import type { ExhibitorQueryContext } from './context.ts'

/** SQL condition for bookable slots: still offered, with a free seat, and starting after `earliest`, the end of the required notice. */
export const isBookableSlot = (earliest: Date) => sql<boolean>`o.removed_at is null and o.booked < o.capacity and o.starts_at > ${earliest}`

export const getEarliestBookableStart = (now: Date, { appointmentNoticeMinutes }: { appointmentNoticeMinutes: number }) =>
  new Date(now.getTime() + appointmentNoticeMinutes * 60_000)

export interface FreeSlot {
  slotId: string
  startsAt: Date
  endsAt: Date
}

/** Lists free appointment slots of the company to suggest instead of a taken one: first those after it, then those before it. */
export async function listNextFreeSlots(
  ctx: ExhibitorQueryContext,
  slot: { company_id: string; starts_at: Date },
  earliest: Date,
  most: number,
): Promise<FreeSlot[]> {
  const { rows } = await sql<FreeSlot>`
    select o.id as "slotId", o.starts_at as "startsAt", o.ends_at as "endsAt" from offerings o
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.company_id = ${slot.company_id} and ${isBookableSlot(earliest)}
    order by o.starts_at < ${slot.starts_at}, o.starts_at, o.id limit ${most}`.execute(ctx.db)
  return rows
}

export async function findFirstFreeSlots(
  ctx: ExhibitorQueryContext,
  companyIds: readonly string[],
  earliest: Date,
): Promise<Map<string, FreeSlot>> {
  const { rows } = await sql<FreeSlot & { companyId: string }>`
    select distinct on (o.company_id) o.company_id as "companyId", o.id as "slotId", o.starts_at as "startsAt", o.ends_at as "endsAt" from offerings o
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.company_id = any(${companyIds}) and ${isBookableSlot(earliest)}
    order by o.company_id, o.starts_at, o.id`.execute(ctx.db)
  return new Map(rows.map(({ companyId, ...slot }) => [companyId, slot]))
}
