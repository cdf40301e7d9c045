import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { releaseHolds } from '../../inventory/places.ts'
import { lockEvent } from '../../tenancy/lock-event.ts'
import { type Chosen, entriesOf, type Entry, moveEntry } from './entries.ts'
import { type PromotionResult, type Promotions, toPromotions } from './results.ts'

/** Takes an offer back: they wait again, at the place in line that they had. */
export const withdrawOffers = (ctx: EventContext, chosen: Chosen): Promise<Promotions> =>
  endEach(ctx, chosen, ['offered'], async (entry) => {
    await moveEntry(ctx, entry, { status: 'waiting' })
    ctx.effects.add('changes', `withdraw ${entry.id}`)
    return 'withdrawn'
  })

/** Takes people out of line, without a word to them. */
export const removeEntries = (ctx: EventContext, chosen: Chosen): Promise<Promotions> =>
  endEach(ctx, chosen, ['waiting', 'offered'], async (entry) => {
    await moveEntry(ctx, entry, { status: 'removed', reason: 'organizer' })
    await sql`select participants_stop_waiting(${ctx.tenantId}, ${ctx.event.id}, ${entry.participant_id})`.execute(ctx.db)
    ctx.effects.add('deletes', entry.id, { entryId: entry.id, target: entry.target, position: entry.position })
    return 'removed'
  })

async function endEach(
  ctx: EventContext,
  chosen: Chosen,
  from: readonly Entry['status'][],
  end: (entry: Entry) => Promise<'withdrawn' | 'removed'>,
) {
  await lockEvent(ctx)
  const results: PromotionResult[] = []
  const entries = await entriesOf(ctx, chosen, { from })
  for (const entry of entries) {
    const { id: entryId, participant_id: participantId } = entry
    const blocked = entry.charging ? 'charge_pending' : from.includes(entry.status) ? null : entry.status
    if (blocked !== null) results.push({ entryId, participantId, outcome: 'skipped', reason: blocked })
    else {
      await releaseHolds(ctx, { participantId, entryId })
      results.push({ entryId, participantId, outcome: await end(entry) })
    }
  }
  return toPromotions(ctx, results, { targets: [...new Set(entries.map(({ target }) => target))], charged: [] })
}
