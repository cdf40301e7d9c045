import type { EventContext } from '../../../kernel/context.ts'
import { toMoney } from '../../../kernel/money.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { lockEventRow } from '../../tenancy/lock-event.ts'
import { getParticipants } from '../participant-rows.ts'
import { acceptWaitlistOffer } from './accept-offer.ts'
import { type WaitlistEntrySelection, listSelectedWaitlistEntries } from './entries.ts'
import { lockGroupsOfParticipants } from './promote.ts'
import { type WaitlistPromotionResult, type WaitlistPromotionResults, summarizeWaitlistPromotions } from './results.ts'

/**
 * Accepts offers for their participants, at the offered price, which is invoiced. Each offer succeeds or is skipped with a reason,
 * independently of the others.
 */
export async function acceptWaitlistOffers(ctx: EventContext, chosen: WaitlistEntrySelection): Promise<WaitlistPromotionResults> {
  await lockEventRow(ctx)
  const entries = await listSelectedWaitlistEntries(ctx, chosen, { from: ['offered'] })
  await lockGroupsOfParticipants(ctx, await getParticipants(ctx, [...new Set(entries.map((entry) => entry.participant_id))]))
  const results: WaitlistPromotionResult[] = []
  for (const { id: entryId, participant_id: participantId, status } of entries) {
    const skipped = (reason: string): WaitlistPromotionResult => ({ entryId, participantId, outcome: 'skipped', reason })
    const tried = status === 'offered' ? await runInSavepoint(ctx, () => acceptWaitlistOffer(ctx, entryId)) : null
    if (!tried) results.push(skipped(status))
    else if (tried.refused) results.push(skipped(tried.refused.message))
    else {
      const { invoice } = tried.done
      const amount = invoice ? { amount: toMoney(invoice.total, ctx.event.currency), invoiceNumber: invoice.number } : {}
      const result: WaitlistPromotionResult = { entryId, participantId, outcome: 'promoted', ...amount }
      ctx.effects.add('changes', `accept ${entryId} ${invoice?.total ?? 0}`, { entryId, participantId, outcome: 'promoted' })
      results.push(result)
    }
  }
  return summarizeWaitlistPromotions(ctx, results, { targets: [...new Set(entries.map(({ target }) => target))], charged: [] })
}
