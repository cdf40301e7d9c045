import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { releaseHolds } from '../../inventory/units.ts'
import { lockEventRow } from '../../tenancy/lock-event.ts'
import { type WaitlistEntrySelection, listSelectedWaitlistEntries, type WaitlistEntry, setWaitlistEntryStatus } from './entries.ts'
import { type WaitlistPromotionResult, type WaitlistPromotionResults, summarizeWaitlistPromotions } from './results.ts'

/** Withdraws offers. The participants return to their former positions on the waiting list. */
export const withdrawSelectedWaitlistOffers = (ctx: EventContext, chosen: WaitlistEntrySelection): Promise<WaitlistPromotionResults> =>
  endEntries(ctx, chosen, ['offered'], async (entry) => {
    await setWaitlistEntryStatus(ctx, entry, { status: 'waiting' })
    ctx.effects.add('changes', `withdraw ${entry.id}`)
    return 'withdrawn'
  })

/** Removes entries from the waiting list without notifying the participants. */
export const removeWaitlistEntries = (ctx: EventContext, chosen: WaitlistEntrySelection): Promise<WaitlistPromotionResults> =>
  endEntries(ctx, chosen, ['waiting', 'offered'], async (entry) => {
    await setWaitlistEntryStatus(ctx, entry, { status: 'removed', reason: 'organizer' })
    await sql`select participants_stop_waiting(${ctx.tenantId}, ${ctx.event.id}, ${entry.participant_id})`.execute(ctx.db)
    ctx.effects.add('deletes', entry.id, { entryId: entry.id, target: entry.target, position: entry.position })
    return 'removed'
  })

async function endEntries(
  ctx: EventContext,
  chosen: WaitlistEntrySelection,
  from: readonly WaitlistEntry['status'][],
  end: (entry: WaitlistEntry) => Promise<'withdrawn' | 'removed'>,
) {
  await lockEventRow(ctx)
  const results: WaitlistPromotionResult[] = []
  const entries = await listSelectedWaitlistEntries(ctx, chosen, { from })
  for (const entry of entries) {
    const { id: entryId, participant_id: participantId } = entry
    const blocked = entry.charging ? 'charge_pending' : from.includes(entry.status) ? null : entry.status
    if (blocked !== null) results.push({ entryId, participantId, outcome: 'skipped', reason: blocked })
    else {
      await releaseHolds(ctx, { participantId, entryId })
      results.push({ entryId, participantId, outcome: await end(entry) })
    }
  }
  return summarizeWaitlistPromotions(ctx, results, { targets: [...new Set(entries.map(({ target }) => target))], charged: [] })
}
