import type { EventContext } from '../../../kernel/context.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import type { AfterCommitContext } from '../../../kernel/tool.ts'
import { type WaitlistPromotionResult, type WaitlistPromotionResults, summarizeWaitlistPromotions } from './results.ts'

type EntryOutcome = Pick<WaitlistPromotionResult, 'outcome' | 'reason' | 'invoiceNumber'>

/**
 * Updates the results of promoting waiting list entries with the outcome of their card charges, if the payment processor has responded
 * within the time limit.
 */
export async function applyWaitlistChargeOutcomes(
  ctx: AfterCommitContext<EventContext>,
  kept: WaitlistPromotionResults,
): Promise<WaitlistPromotionResults> {
  const pending = kept.results.filter(({ outcome }) => outcome === 'charge_pending')
  if (pending.length === 0) return kept
  const entryIds = pending.map(({ entryId }) => entryId)
  const open = (await chargesOf(ctx, entryIds)).filter(({ status }) => status === 'pending' || status === 'unknown')
  await ctx.settle(open.flatMap(({ call_id }) => (call_id === null ? [] : [call_id])))
  const charges = await chargesOf(ctx, entryIds)
  const results = kept.results.map((result): WaitlistPromotionResult => {
    const charge = result.outcome === 'charge_pending' ? charges.find(({ entry_id }) => entry_id === result.entryId) : undefined
    return charge ? { ...result, ...outcomeOf(charge) } : result
  })
  const paid = new Set(charges.filter(({ status }) => status === 'succeeded').map(({ entry_id }) => entry_id))
  const charged = results.filter(({ entryId, outcome }) => paid.has(entryId) && outcome === 'promoted')
  return summarizeWaitlistPromotions(ctx, results, { targets: await targetsOf(ctx, results), charged })
}

async function targetsOf(ctx: EventContext, results: readonly WaitlistPromotionResult[]): Promise<string[]> {
  const rows = await eventDb(ctx)
    .selectFrom('waitlist_entries')
    .select('target')
    .distinct()
    .where(
      'id',
      'in',
      results.map(({ entryId }) => entryId),
    )
    .execute()
  return rows.map(({ target }) => target)
}

type Charged = Awaited<ReturnType<typeof chargesOf>>[number]

function outcomeOf({ status, failure_code, entry_status, reason, invoice }: Charged): EntryOutcome {
  if (status === 'succeeded') {
    return entry_status === 'promoted'
      ? { outcome: 'promoted', ...(invoice === null ? {} : { invoiceNumber: invoice }) }
      : { outcome: 'skipped', reason: `${reason ?? 'no longer possible'}: the card is refunded` }
  }
  if (status !== 'failed') return { outcome: 'charge_pending' }
  return { outcome: entry_status === 'offered' ? 'offered' : 'declined', reason: failure_code ?? 'card_declined' }
}

/** Reads the latest charge of each waiting list entry. */
const chargesOf = (ctx: EventContext, entryIds: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('charges as c')
    .innerJoin('waitlist_entries as w', (join) => joinRowsOfSameEvent(join, 'w.id', 'c.entry_id'))
    .leftJoin('invoices as i', (join) => joinRowsOfSameEvent(join, 'i.id', 'c.invoice_id'))
    .select(['c.entry_id', 'c.status', 'c.failure_code', 'c.call_id', 'w.status as entry_status', 'w.reason', 'i.number as invoice'])
    .distinctOn('c.entry_id')
    .where('c.entry_id', 'in', entryIds)
    .orderBy('c.entry_id')
    .orderBy('c.created_at', 'desc')
    .orderBy('c.id', 'desc')
    .execute()
