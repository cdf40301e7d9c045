import { sql } from 'kysely'
import { formatInstant } from '../../kernel/time.ts'
import { newId } from '../../kernel/ids.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from './context.ts'
import { splitHoursIntoSlots } from './slots.ts'

/**
 * Generates slots from the event's meeting hours, at publication and when a company enables or disables appointments. Only companies that
 * take appointments and have no imported slots get them; other companies lose their generated slots. Booked slots are never removed.
 */
export async function regenerateAppointmentSlots(
  ctx: ExhibitorContext,
  { exhibitorConfig }: Pick<EventConfig, 'exhibitorConfig'>,
  { companyId = null }: { companyId?: string | null } = {},
): Promise<void> {
  const { meetingHours, appointmentMinutes } = exhibitorConfig
  const slots = meetingHours.flatMap((hours) => splitHoursIntoSlots(hours, ctx.event.timezone, appointmentMinutes))
  const wanted = JSON.stringify(
    slots.map(({ startsAt, endsAt }) => ({ starts_at: formatInstant(startsAt), ends_at: formatInstant(endsAt) })),
  )
  const at = sql`o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.removed_at is null`
  await sql`
    update offerings o set removed_at = lanyard_now()
    from companies c
    where ${at} and o.source = 'generated' and o.booked = 0 and (${companyId}::text is null or o.company_id = ${companyId})
      and c.tenant_id = o.tenant_id and c.event_id = o.event_id and c.id = o.company_id
      and (not c.appointments_enabled or c.status = 'cancelled'
        or c.id in (select i.company_id from offerings i where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id}
          and i.removed_at is null and i.source = 'import' and i.company_id is not null)
        or not exists (select from jsonb_to_recordset(${wanted}::jsonb) as w(starts_at timestamptz, ends_at timestamptz)
          where w.starts_at = o.starts_at and w.ends_at = o.ends_at))`.execute(ctx.db)
  // The ids of the meeting slots start with the time, like all ids, and end with a random part.
  await sql`
    insert into offerings (tenant_id, event_id, id, company_id, is_test_data, starts_at, ends_at, source)
    select c.tenant_id, c.event_id, ${newId().slice(0, 12)} || left(md5(c.id || w.starts_at::text || random()::text), 12), c.id, c.is_test_data,
      w.starts_at, w.ends_at, 'generated'
    from companies c cross join jsonb_to_recordset(${wanted}::jsonb) as w(starts_at timestamptz, ends_at timestamptz)
    where c.tenant_id = ${ctx.tenantId} and c.event_id = ${ctx.event.id} and c.appointments_enabled and c.status <> 'cancelled'
      and (${companyId}::text is null or c.id = ${companyId})
      and not exists (select from offerings o
        where ${at} and o.company_id = c.id and (o.source = 'import' or (o.starts_at < w.ends_at and w.starts_at < o.ends_at)))
    order by c.id, w.starts_at`.execute(ctx.db)
}

/** Removes the unbooked slots of companies and participants, for example because they no longer take part. */
export async function removeFreeSlots(
  { db, tenantId, event }: ExhibitorQueryContext,
  hostIds: readonly string[],
  { source = null }: { source?: 'generated' | null } = {},
): Promise<number> {
  const { numAffectedRows } = await sql`
    update offerings o set removed_at = lanyard_now()
    where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.removed_at is null and o.booked = 0
      and coalesce(o.company_id, o.host_participant_id) = any(${hostIds}) and (${source}::text is null or o.source = ${source})`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Counts upcoming appointments, requested or booked, whose local time differs between the old and the new time zone. */
export async function countAppointmentsInOtherTimezone(
  { db, tenantId, event }: ExhibitorQueryContext,
  { from, to }: { from: string; to: string },
): Promise<number> {
  const { rows } = await sql<{ appointments: number }>`
    select count(*)::int as appointments from appointments
    where tenant_id = ${tenantId} and event_id = ${event.id} and status in ('pending', 'booked') and starts_at > lanyard_now()
      and starts_at at time zone ${from} <> starts_at at time zone ${to}`.execute(db)
  return rows[0]!.appointments
}
