import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { isDay } from '../../kernel/time.ts'
import { lockDraft, readLive } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type {} from '../registration/tables.ts'
import type { SideEffect } from './update-event.ts'

/** Days begin and end by the event's clock, so that tiers which are given in days move with it; whoever sells already must want that. */
export async function changeTimezone(ctx: EventContext, confirmed: boolean): Promise<SideEffect[]> {
  const draft = await lockDraft(ctx)
  const live = await readLive(ctx, draft)
  const boundaries = tierDays(live?.config ?? draft.config)
  const people = live ? await registeredAt(ctx) : 0
  if (people > 0 && !confirmed) {
    const registrations = people === 1 ? '1 registration' : `${people} registrations`
    throw preconditionFailed(
      `Sales have begun (${registrations}), and ${boundaries} price and discount boundaries would move with the time zone — pass confirmTimezone: true if that is wanted`,
      { fix: { ask: 'whether prices may change at another hour than was announced' } },
    )
  }
  return boundaries > 0 ? [{ what: 'price and discount boundaries moved', count: boundaries }] : []
}

const tierDays = ({ products, discounts }: EventConfig): number =>
  [...products.flatMap(({ prices }) => prices), ...discounts]
    .flatMap(({ from, until }) => [from, until])
    .filter((one) => one !== null && isDay(one)).length

async function registeredAt(ctx: EventContext): Promise<number> {
  const { people } = await ctx.db
    .selectFrom('participants')
    .select((eb) => eb.fn.countAll<number>().as('people'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('is_test_data', '=', false)
    .executeTakeFirstOrThrow()
  return people
}
