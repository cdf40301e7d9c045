import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import { addDays, dayIn, daysBetween, endOfDay } from '../../kernel/time.ts'
import type { Counting, Figures } from './summary-figures.ts'

/** How far before the event we are, and the same day of the event that is compared with. */
export interface Pace {
  daysBefore: number
  other: NonNullable<Counting['other']>
}

/** Below this many, a quotient says nothing. */
const ENOUGH = 20

interface OtherEvent {
  id: string
  startsOn: string
  timezone: string
  ownStartsOn: string
  now: Date
}

/** Another event of the client that the caller may read registrations of; any other is unknown. */
export async function paceWith(ctx: EventContext, code: string): Promise<Pace> {
  const { rows } = await sql<OtherEvent>`
    select o.id, o.starts_on as "startsOn", o.timezone, e.starts_on as "ownStartsOn", lanyard_now() as now
    from events o join events e on e.tenant_id = o.tenant_id and e.id = ${ctx.event.id}
    where o.tenant_id = ${ctx.tenantId} and o.client_id = ${ctx.client.id} and o.code = ${code}`.execute(ctx.db)
  const [other] = rows
  const staff = ctx.access.staff.filter(({ eventId }) => eventId === other?.id).map(({ role }) => role)
  if (!other || !permissionsOf([...ctx.client.roles, ...staff]).has('registration.read'))
    throw notFound(`No event ${code} to compare with at client ${ctx.client.code} — list_events shows its events`)
  const daysBefore = daysBetween(dayIn(ctx.event.timezone, other.now), other.ownStartsOn)
  return { daysBefore, other: { eventId: other.id, until: endOfDay(other.timezone, addDays(other.startsOn, -daysBefore)) } }
}

export const paceOf = ({ daysBefore }: Pace, thisEvent: number, { then, final }: NonNullable<Figures['other']>) => ({
  daysBefore,
  thisEvent,
  other: then,
  otherFinal: final,
  projected: then < ENOUGH ? null : Math.round((thisEvent * final) / then),
})
