import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { isDay } from '../../kernel/time.ts'
import { lockDraft, readLiveConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { SideEffect } from './update-event.ts'

/**
 * Changes the time zone of an event. Price tiers given in days start and end at midnight in the event's time zone, so their instants
 * move. After the first registration this needs a confirmation.
 */
export async function changeTimezone(ctx: EventContext, confirmed: boolean): Promise<SideEffect[]> {
  const draft = await lockDraft(ctx)
  const live = await readLiveConfiguration(ctx, draft)
  const boundaries = countDayBoundaries(live?.config ?? draft.config)
  const people = live ? await countRegistrations(ctx) : 0
  if (people > 0 && !confirmed) {
    const registrations = people === 1 ? '1 registration' : `${people} registrations`
    throw preconditionFailed(
      `Sales have started (${registrations}), and ${boundaries} price and discount boundaries would move with the time zone — pass confirmTimezone: true to change it anyway`,
      { fix: { ask: 'whether prices may change at another hour than announced' } },
    )
  }
  return boundaries > 0 ? [{ what: 'price and discount boundaries moved', count: boundaries }] : []
}

const countDayBoundaries = ({ products, discounts }: EventConfig): number =>
  [...products.flatMap(({ prices }) => prices), ...discounts]
    .flatMap(({ from, until }) => [from, until])
    .filter((one) => one !== null && isDay(one)).length

async function countRegistrations(ctx: EventContext): Promise<number> {
  const { people } = await eventDb(ctx)
    .selectFrom('participants')
    .select((eb) => eb.fn.countAll<number>().as('people'))
    .where('is_test_data', '=', false)
    .executeTakeFirstOrThrow()
  return people
}
