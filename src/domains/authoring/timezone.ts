import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { isCalendarDay, toWallTimeInZone } from '../../kernel/time.ts'
import { lockDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { ConfigDocument, EventConfig } from '../configuration/schema/event-config.ts'
import { hasMatchingNode, visitValues } from '../configuration/walk.ts'
import { countAppointmentsInOtherTimezone, regenerateAppointmentSlots } from '../exhibitors/offerings.ts'
import { countSessionsInOtherTimezone, keepLocalTimesOfSessions } from '../sessions/change-timezone.ts'
import type { EventEditSideEffect } from './update-event.ts'

/**
 * Prepares a change of the event's time zone. Price tiers given in days start and end at midnight in the event's time zone, so their
 * instants move. Upcoming sessions keep their local time. Instants in the configuration keep their moment. After the first registration
 * the change needs a confirmation.
 */
export async function changeTimezone(ctx: EventContext, to: string, confirmed: boolean): Promise<EventEditSideEffect[]> {
  const draft = await lockDraftConfiguration(ctx)
  const live = await readLiveConfiguration(ctx, draft)
  const zones = { from: ctx.event.timezone, to }
  const boundaries = countDayBoundaries(live?.config ?? draft.config)
  const sessions = await countSessionsInOtherTimezone(ctx, zones)
  const people = live ? await countRegistrations(ctx) : 0
  if (people > 0 && !confirmed) {
    const registrations = people === 1 ? '1 registration' : `${people} registrations`
    throw preconditionFailed(
      `Sales have started (${registrations}), and ${boundaries} price and discount boundaries would move with the time zone${describeSessions(sessions.upcoming)} — pass confirmTimezone: true to change it anyway`,
      { fix: { ask: 'whether prices may change and sessions may start at another hour than announced' } },
    )
  }
  await keepLocalTimesOfSessions(ctx, zones)
  // Meeting hours are local times, so the free appointment slots of exhibitors move; booked slots stay at the same instant.
  await regenerateAppointmentSlots({ ...ctx, event: { ...ctx.event, timezone: to } }, (live ?? draft).config)
  return [
    { what: 'price and discount boundaries moved', count: boundaries },
    { what: 'sessions that keep their local time and now start at another moment', count: sessions.upcoming },
    { what: 'sessions that have begun and keep their moment, so their local time changes', count: sessions.begun },
    {
      what: 'appointments that keep their moment, so their local time changes',
      count: await countAppointmentsInOtherTimezone(ctx, zones),
    },
    { what: 'times of the configuration that keep their moment, such as opening times', count: countMovedClocks(draft.document, zones) },
  ].filter(({ count }) => count > 0)
}

const describeSessions = (count: number) =>
  count === 0
    ? ''
    : count === 1
      ? '; 1 session would keep its local time and start at another moment'
      : `; ${count} sessions would keep their local time and start at another moment`

/** Counts the instants in the configuration whose local time differs between the two time zones. */
function countMovedClocks(document: ConfigDocument, { from, to }: { from: string; to: string }): number {
  let count = 0
  visitValues(
    document,
    ({ annotations }, value) => {
      if (!annotations.dated || typeof value !== 'string' || isCalendarDay(value)) return
      const at = new Date(value)
      if (toWallTimeInZone(from, at) !== toWallTimeInZone(to, at)) count++
    },
    (node) => hasMatchingNode(node, ({ annotations }) => annotations.dated ?? false),
  )
  return count
}

const countDayBoundaries = ({ products, discounts }: EventConfig): number =>
  [...products.flatMap(({ prices }) => prices), ...discounts]
    .flatMap(({ from, until }) => [from, until])
    .filter((one) => one !== null && isCalendarDay(one)).length

async function countRegistrations(ctx: EventContext): Promise<number> {
  const { people } = await eventDb(ctx)
    .selectFrom('participants')
    .select((eb) => eb.fn.countAll<number>().as('people'))
    .where('is_test_data', '=', false)
    .executeTakeFirstOrThrow()
  return people
}
