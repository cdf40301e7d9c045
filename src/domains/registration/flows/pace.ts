import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { permissionsOf } from '../../../kernel/permissions.ts'
import { addDays, toDayInZone, daysBetween, endOfDay } from '../../../kernel/time.ts'
import type { RegistrationSummaryFilter, RegistrationSummaryFigures } from '../summary/summary-figures.ts'

/** An event to compare registrations with, at the same number of days before its start. */
export interface RegistrationPaceBaseline {
  daysBefore: number
  other: NonNullable<RegistrationSummaryFilter['other']>
}

/** The minimum number of registrations for a reliable projection. */
const MIN_REGISTRATIONS_TO_PROJECT = 20

interface OtherEvent {
  id: string
  startsOn: string
  timezone: string
  ownStartsOn: string
  now: Date
}

/** Finds another event of the same client. An event whose registrations the caller cannot read is reported as not found. */
export async function loadRegistrationPaceBaseline(ctx: EventContext, code: string): Promise<RegistrationPaceBaseline> {
  const { rows } = await sql<OtherEvent>`
    select o.id, o.starts_on as "startsOn", o.timezone, e.starts_on as "ownStartsOn", lanyard_now() as now
    from events o join events e on e.tenant_id = o.tenant_id and e.id = ${ctx.event.id}
    where o.tenant_id = ${ctx.tenantId} and o.client_id = ${ctx.client.id} and o.code = ${code}`.execute(ctx.db)
  const [other] = rows
  const staff = ctx.access.staff.filter(({ eventId }) => eventId === other?.id).map(({ role }) => role)
  if (!other || !permissionsOf([...ctx.client.roles, ...staff]).has('registration.read'))
    throw notFound(`No event ${code} to compare with at client ${ctx.client.code} — list_events shows its events`)
  const daysBefore = daysBetween(toDayInZone(ctx.event.timezone, other.now), other.ownStartsOn)
  return { daysBefore, other: { eventId: other.id, until: endOfDay(other.timezone, addDays(other.startsOn, -daysBefore)) } }
}

/** Projects the final number of registrations at the pace of the compared event; null if that event had too few by this time. */
export const forecastRegistrations = (thisEvent: number, other: number, otherFinal: number): number | null =>
  other < MIN_REGISTRATIONS_TO_PROJECT ? null : Math.round((thisEvent * otherFinal) / other)

export const toRegistrationPaceResult = (
  { daysBefore }: RegistrationPaceBaseline,
  thisEvent: number,
  { then, final }: NonNullable<RegistrationSummaryFigures['other']>,
) => ({
  daysBefore,
  thisEvent,
  other: then,
  otherFinal: final,
  projected: forecastRegistrations(thisEvent, then, final),
})
