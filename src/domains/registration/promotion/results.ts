import { z } from 'zod'
import { toOneLine, count, id, list, money, object, oneOf, text } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { sumMinorUnits, toMinorUnits, toMoney } from '../../../kernel/money.ts'
import { countAvailableUnits, readStockLevels } from '../../inventory/units.ts'
import { sql } from 'kysely'

export const WaitlistPromotionResult = object({
  entryId: id(),
  participantId: id(),
  outcome: oneOf(['promoted', 'offered', 'charge_pending', 'declined', 'skipped', 'withdrawn', 'removed']),
  reason: text(500).optional(),
  amount: money().optional(),
  invoiceNumber: text().optional(),
})
export type WaitlistPromotionResult = z.output<typeof WaitlistPromotionResult>

export const WaitlistPromotionResults = {
  results: list(toOneLine(WaitlistPromotionResult, 'entryId, participantId, outcome, reason?, amount?, invoiceNumber?')),
  promoted: count(),
  offered: count(),
  charged: toOneLine(object({ count: count(), amount: money() }), 'count, amount'),
  remaining: toOneLine(object({ waiting: count(), available: count().nullable() }), 'waiting, available (null: no limit)'),
}
export type WaitlistPromotionResults = z.output<z.ZodObject<typeof WaitlistPromotionResults>>

/** Summarizes the results of promoting waiting list entries. `charged` lists the entries whose card was charged successfully. */
export async function summarizeWaitlistPromotions(
  ctx: EventContext,
  results: WaitlistPromotionResult[],
  { targets, charged }: { targets: readonly string[]; charged: readonly WaitlistPromotionResult[] },
): Promise<WaitlistPromotionResults> {
  const amounts = charged.map(({ amount }) => (amount ? toMinorUnits(amount.amount, amount.currency) : 0))
  return {
    results,
    promoted: results.filter(({ outcome }) => outcome === 'promoted').length,
    offered: results.filter(({ outcome }) => outcome === 'offered').length,
    charged: { count: charged.length, amount: toMoney(sumMinorUnits(amounts), ctx.event.currency) },
    remaining: await remainingAt(ctx, targets),
  }
}

/** Returns the amount that cards would be charged in a dry run, which charges no cards. */
export function estimatePromotionCharges({
  results,
}: Pick<WaitlistPromotionResults, 'results'>): Pick<WaitlistPromotionResults, 'charged'> | object {
  const pending = results.flatMap(({ outcome, amount }) => (outcome === 'charge_pending' && amount ? [amount] : []))
  const [first] = pending
  if (!first) return {}
  const amount = toMoney(sumMinorUnits(pending.map((one) => toMinorUnits(one.amount, one.currency))), first.currency)
  return { charged: { count: pending.length, amount } }
}

/**
 * Reads the number of waiting list entries that still wait for these inventory keys (such as `product:dinner`), and the remaining capacity.
 * Several keys are summed; null if one of them is unlimited.
 */
async function remainingAt(ctx: EventContext, targets: readonly string[]): Promise<WaitlistPromotionResults['remaining']> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from waitlist_entries
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and target = any(${targets}) and status = 'waiting'
      and not is_test_data`.execute(ctx.db)
  const free = [...(await readStockLevels(ctx, targets)).values()].map(countAvailableUnits)
  return { waiting: rows[0]!.waiting, available: free.includes(null) ? null : free.reduce<number>((sum, one) => sum + one!, 0) }
}
