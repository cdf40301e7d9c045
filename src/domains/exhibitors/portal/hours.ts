import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { CompanyRow } from '../companies.ts'
import { updateCompany } from '../company/edit-company.ts'
import type { ExhibitorQueryContext } from '../context.ts'
import { importAppointmentSlots } from '../import-offerings.ts'
import { removeFreeSlots } from '../offerings.ts'

export interface MeetingHoursOfDay {
  day: string
  from: string
  until: string
  minutes: number
  /** How meeting requests are accepted; with `manual` the company accepts each request. */
  approval: 'auto' | 'manual'
}

/** Replaces the free slots of one day. Booked meetings and the slots of other days stay, and no new slot overlaps a booked meeting. */
export async function setMeetingHours(ctx: EventContext, company: CompanyRow, hours: MeetingHoursOfDay): Promise<void> {
  if (!company.appointments_enabled) await updateCompany(ctx, { companyId: company.id, fields: { appointmentsEnabled: true } })
  // A company that chooses its own hours gets no generated slots any more, so those of the other days become its own.
  await eventDb(ctx)
    .updateTable('offerings')
    .set({ source: 'import' })
    .where('company_id', '=', company.id)
    .where('source', '=', 'generated')
    .where('removed_at', 'is', null)
    .execute()
  const { invalid } = await importAppointmentSlots(ctx, { replace: true, day: hours.day }, [{ row: 1, company: company.id, ...hours }])
  if (invalid.length > 0) throw invalidArguments(invalid.map(({ message }) => ({ path: 'from', message })))
  await sql`
    update offerings o set removed_at = lanyard_now()
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.company_id = ${company.id} and o.removed_at is null and o.booked = 0
      and exists (select from appointments a where a.tenant_id = o.tenant_id and a.event_id = o.event_id and a.company_id = o.company_id
        and a.status in ('pending', 'booked') and a.offering_id <> o.id
        and tstzrange(a.starts_at, a.ends_at) && tstzrange(o.starts_at, o.ends_at))`.execute(ctx.db)
}

/** Turns off appointments of a company. Booked meetings stay; free slots are no longer offered. */
export async function disableCompanyAppointments(ctx: EventContext, companyId: string): Promise<void> {
  await updateCompany(ctx, { companyId, fields: { appointmentsEnabled: false } })
  await removeFreeSlots(ctx, [companyId])
}

/** Reads the hours in which a company offers slots on a day, in the event's time zone, and the length of the slots. */
export async function readMeetingHours(
  { db, tenantId, event }: ExhibitorQueryContext & { event: { timezone: string } },
  companyId: string,
  day: string,
): Promise<Omit<MeetingHoursOfDay, 'day'> | null> {
  const local = (column: 'starts_at' | 'ends_at') => sql`(o.${sql.ref(column)} at time zone ${event.timezone})`
  const { rows } = await sql<{ from: string | null; until: string; minutes: number; approval: 'auto' | 'manual' }>`
    select to_char(min(${local('starts_at')}), 'HH24:MI') as "from", to_char(max(${local('ends_at')}), 'HH24:MI') as until,
      min(extract(epoch from o.ends_at - o.starts_at) / 60)::int as minutes, max(o.approval) as approval
    from offerings o
    where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.company_id = ${companyId} and o.removed_at is null
      and ${local('starts_at')}::date = ${day}::date`.execute(db)
  const [hours] = rows
  return hours?.from ? { ...hours, from: hours.from } : null
}
