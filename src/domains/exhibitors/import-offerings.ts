import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { groupErrorsByKind } from '../../kernel/error-kinds.ts'
import { newId } from '../../kernel/ids.ts'
import { addDays, isCalendarDay } from '../../kernel/time.ts'
import { readLiveOrTestConfiguration } from './context.ts'
import { removeFreeSlots } from './offerings.ts'
import { splitHoursIntoSlots, type TimeSlot } from './slots.ts'

/** One imported row of hours in which a company or a participant offers appointments, before it is checked. */
export interface AppointmentHoursRow {
  row: number
  company?: string | undefined
  hostEmail?: string | undefined
  day: string
  from: string
  until: string
  minutes?: number | undefined
  breakMinutes?: number | undefined
  location?: string | undefined
  capacity?: number | undefined
  staffEmail?: string | undefined
  approval?: string | undefined
}

interface Host {
  companyId: string | null
  participantId: string | null
  staffId: string | null
}

interface NewSlot extends Host, TimeSlot {
  row: number
  location: string | null
  capacity: number
  approval: string
}

interface RowError {
  row: number
  message: string
}

const CLOCK_TIME = /^([01]?\d|2[0-3]):[0-5]\d$/
const MAX_SLOT_CAPACITY = 1000

/**
 * Splits hours into appointment slots. They replace the generated slots of the company. Imported slots that exist already are kept, and booked
 * slots are never removed. `replace` first removes the unbooked slots of the hosts, either all or those of one day.
 */
export async function importAppointmentSlots(
  ctx: EventContext,
  { replace, day = null }: { replace: boolean; day?: string | null },
  rows: readonly AppointmentHoursRow[],
) {
  const { config, facts } = await readLiveOrTestConfiguration(ctx, false)
  const invalid: RowError[] = []
  const hosts = await resolveHosts(ctx, rows)
  const slots = rows.flatMap((row) => {
    const host = hosts.get(row.row)!
    const read = 'message' in host ? host : cutRow(row, host, facts, config.exhibitorConfig.appointmentMinutes)
    if (!('message' in read)) return [read]
    invalid.push({ row: row.row, message: read.message })
    return []
  })
  const hostIds = [...new Set(slots.flatMap(([slot]) => slot!.companyId ?? slot!.participantId!))]
  const gone = replace ? await removeUnbooked(ctx, hostIds, day) : { removed: 0, keptBooked: 0 }
  const wanted = await refuseStaffOverlaps(ctx, slots, invalid)
  // A company with imported slots has no generated ones, which could be booked at the same time.
  gone.removed += await removeFreeSlots(ctx, [...new Set(wanted.flatMap(({ companyId }) => companyId ?? []))], { source: 'generated' })
  const created = await insertSlots(ctx, wanted)
  if (created > 0 || gone.removed > 0)
    recordChange(ctx, { kind: 'event', id: ctx.event.id, after: { createdSlots: created, removedSlots: gone.removed } })
  const { shown, errorKinds } = groupErrorsByKind(invalid)
  return {
    rows: rows.length,
    hosts: hostIds.length,
    created,
    existing: wanted.length - created,
    ...gone,
    invalid: shown,
    errorKinds,
    invalidCount: invalid.length,
  }
}

/** Finds the company or participant of each imported row, and the company's staff member. */
async function resolveHosts(
  { db, tenantId, event }: EventContext,
  rows: readonly AppointmentHoursRow[],
): Promise<Map<number, Host | { message: string }>> {
  const sent = rows.map(({ row, company, hostEmail, staffEmail }) => ({
    row,
    company: company?.trim() || null,
    host: hostEmail ? foldEmailCase(hostEmail) : null,
    staff: staffEmail ? foldEmailCase(staffEmail) : null,
  }))
  const { rows: found } = await sql<{ row: number; companies: string[] | null; people: string[] | null; staff_id: string | null }>`
    select s.row, c.ids as companies, p.ids as people,
      (select t.id from exhibitor_staff t where t.tenant_id = ${tenantId} and t.event_id = ${event.id} and t.company_id = c.ids[1]
        and t.email_norm = s.staff and t.status <> 'removed') as staff_id
    from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as s (row integer, company text, host text, staff text)
    left join lateral (select array_agg(distinct c.id) as ids from companies c
      where c.tenant_id = ${tenantId} and c.event_id = ${event.id} and c.status <> 'cancelled' and not c.is_test_data and (c.id = s.company or c.code = lower(s.company)
        or lanyard_searched(c.name) = lanyard_searched(s.company) or exists (select from booth_assignments a join booths b on b.tenant_id = a.tenant_id
          and b.event_id = a.event_id and b.id = a.booth_id where a.tenant_id = c.tenant_id and a.event_id = c.event_id and a.company_id = c.id
          and a.until is null and lower(b.number) = lower(s.company)))) c on s.company is not null
    left join lateral (select array_agg(p.id) as ids from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id}
      and p.email_norm = s.host and p.status = 'complete' and not p.is_test_data) p on s.host is not null`.execute(db)
  const known = new Map(found.map((one) => [one.row, one]))
  return new Map(rows.map((row) => [row.row, toHost(row, known.get(row.row)!)]))
}

function toHost(
  { company, hostEmail, staffEmail }: AppointmentHoursRow,
  { companies, people, staff_id }: { companies: string[] | null; people: string[] | null; staff_id: string | null },
): Host | { message: string } {
  if ((company === undefined) === (hostEmail === undefined)) return { message: 'give either company or hostEmail' }
  const [found, path] = company === undefined ? [people, 'hostEmail'] : [companies, 'company']
  if (found === null)
    return { message: path === 'company' ? 'company: no such exhibitor' : 'hostEmail: no complete participant has this email' }
  if (found.length > 1) return { message: `${path}: matches ${found.length}; use the code of one of them` }
  if (staffEmail !== undefined && staff_id === null) return { message: 'staffEmail: no such staff member of this company' }
  return { companyId: company === undefined ? null : found[0]!, participantId: company === undefined ? found[0]! : null, staffId: staff_id }
}

/** Splits the hours of one row into slots, in the event's time zone. */
function cutRow(
  row: AppointmentHoursRow,
  host: Host,
  { startsOn, endsOn, timezone }: { startsOn: string; endsOn: string; timezone: string },
  defaultMinutes: number,
): NewSlot[] | { message: string } {
  const { day, from, until, minutes = defaultMinutes, breakMinutes = 0, capacity = 1, approval = 'auto' } = row
  if (!isCalendarDay(day)) return { message: 'day: must be a day such as 2027-03-01' }
  if (day < addDays(startsOn, -1) || day > addDays(endsOn, 1))
    return { message: `day: must be between ${addDays(startsOn, -1)} and ${addDays(endsOn, 1)}` }
  if (!CLOCK_TIME.test(from) || !CLOCK_TIME.test(until)) return { message: 'from, until: must be times such as 09:30' }
  const clock = (time: string) => time.padStart(5, '0')
  if (clock(until) <= clock(from)) return { message: 'until: must be after from' }
  if (!isWhole(minutes, 5, 480)) return { message: 'minutes: must be between 5 and 480' }
  if (!isWhole(breakMinutes, 0, 480)) return { message: 'breakMinutes: must be between 0 and 480' }
  if (!isWhole(capacity, 1, MAX_SLOT_CAPACITY)) return { message: `capacity: must be between 1 and ${MAX_SLOT_CAPACITY}` }
  if (approval !== 'auto' && approval !== 'manual') return { message: 'approval: must be auto or manual' }
  const cut = splitHoursIntoSlots({ day, from: clock(from), until: clock(until) }, timezone, minutes, breakMinutes)
  if (cut.length === 0) return { message: `until: leaves no time for a slot of ${minutes} minutes` }
  return cut.map((slot) => ({ ...slot, ...host, row: row.row, location: row.location || null, capacity, approval }))
}

const isWhole = (value: number, least: number, most: number) => Number.isInteger(value) && value >= least && value <= most

/** Removes the unbooked slots of these hosts. A slot that is booked meanwhile stays. */
async function removeUnbooked({ db, tenantId, event }: EventContext, hostIds: readonly string[], day: string | null) {
  const { rows } = await sql<{ removed: number; keptBooked: number }>`
    with gone as (
      update offerings o set removed_at = lanyard_now() where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.removed_at is null
        and coalesce(o.company_id, o.host_participant_id) = any(${hostIds}) and o.booked = 0
        and (${day}::date is null or (o.starts_at at time zone ${event.timezone})::date = ${day}::date) returning o.id)
    select (select count(*)::int from gone) as removed, count(*)::int as "keptBooked" from offerings o
    where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.removed_at is null and o.booked > 0
      and coalesce(o.company_id, o.host_participant_id) = any(${hostIds})`.execute(db)
  return rows[0]!
}

/** Leaves out import rows whose slots overlap a stored slot, or a slot of an earlier row, of the same staff member. */
async function refuseStaffOverlaps(
  { db, tenantId, event }: EventContext,
  rows: readonly NewSlot[][],
  invalid: RowError[],
): Promise<NewSlot[]> {
  const staffIds = [...new Set(rows.flatMap(([slot]) => slot!.staffId ?? []))]
  const { rows: stored } = await sql<{ staffId: string; startsAt: Date; endsAt: Date; location: string | null }>`
    select o.staff_id as "staffId", o.starts_at as "startsAt", o.ends_at as "endsAt", o.location from offerings o
    where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.removed_at is null and o.staff_id = any(${staffIds})`.execute(db)
  const busy = Map.groupBy<string, Omit<(typeof stored)[0], 'staffId'>>(stored, (slot) => (slot as (typeof stored)[0]).staffId)
  return rows.flatMap((slots) => {
    const { staffId, row } = slots[0]!
    if (staffId === null) return slots
    const taken = busy.get(staffId) ?? []
    const clashes = (slot: NewSlot) =>
      taken.some(
        (other) =>
          other.startsAt < slot.endsAt &&
          slot.startsAt < other.endsAt &&
          // Exactly the same slot again (a repeated import) is not an overlap.
          (other.startsAt.getTime() !== slot.startsAt.getTime() || other.location !== slot.location),
      )
    if (slots.some(clashes)) {
      invalid.push({ row, message: 'staffEmail: overlaps another slot of this staff member' })
      return []
    }
    busy.set(staffId, [...taken, ...slots])
    return slots
  })
}

/** Inserts the slots that do not exist yet, and returns their number. */
async function insertSlots({ db, tenantId, event }: EventContext, slots: readonly NewSlot[]): Promise<number> {
  if (slots.length === 0) return 0
  const sent = slots.map(({ row: _row, startsAt, endsAt, ...slot }) => ({
    id: newId(),
    ...slot,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
  }))
  const { rows } = await sql<{ id: string }>`
    insert into offerings (tenant_id, event_id, id, company_id, host_participant_id, is_test_data, starts_at, ends_at, location, capacity, staff_id, approval, source)
    select ${tenantId}, ${event.id}, s.id, s."companyId", s."participantId", false, s."startsAt", s."endsAt", s.location, s.capacity, s."staffId", s.approval, 'import'
    from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as s (id text, "companyId" text, "participantId" text, "startsAt" timestamptz,
      "endsAt" timestamptz, location text, capacity integer, "staffId" text, approval text)
    order by coalesce(s."companyId", s."participantId"), s."startsAt"
    on conflict do nothing returning id`.execute(db)
  return rows.length
}
