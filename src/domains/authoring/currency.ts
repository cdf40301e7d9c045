import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { digitsOf, parseDecimal } from '../../kernel/money.ts'
import { lockDraft, readLive } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { ROOT } from '../configuration/schema/nodes.ts'
import { amountIssues, isAmountIn } from '../configuration/validate/rules.ts'
import { mapValues } from '../configuration/walk.ts'
import { hotelsWithRates } from '../housing/hotels.ts'
import { editDraft } from './edit.ts'
import type { EventRow } from '../tenancy/lock-event.ts'
import { ordersExist } from './orders-exist.ts'
import type { SideEffect } from './update-event.ts'

/** Makes the event fit for another currency: amounts keep their number and lose decimals that it does not have, where those are zeros. */
export async function changeCurrency(ctx: EventContext, before: EventRow, currency: string): Promise<SideEffect[]> {
  const orders = await ordersExist(ctx)
  if (orders > 0) {
    throw preconditionFailed(
      `${orders === 1 ? '1 order exists' : `${orders} orders exist`}: the currency of ${before.name} cannot change any more`,
    )
  }
  const hotels = await hotelsWithRates(ctx)
  if (hotels > 0) {
    throw preconditionFailed(
      `${hotels === 1 ? '1 hotel has' : `${hotels} hotels have`} rates in ${before.currency}: the currency cannot change any more`,
    )
  }
  const live = await readLive(ctx, await lockDraft(ctx))
  const unfit = live ? amountIssues(live.document, { currency }) : []
  if (unfit.length > 0) {
    throw preconditionFailed(
      `The live version has ${unfit.length} amounts with more decimals than ${currency} has: publish them without decimals first`,
      {
        fields: unfit.slice(0, 50).map(({ path, message }) => ({ path, message })),
      },
    )
  }
  let amounts = 0
  await editDraft(ctx, { tool: 'update_event', operations: { currency } }, ({ document }) => {
    const written = rewritten(document, digitsOf(currency))
    amounts = written.amounts
    const wrong = amountIssues(written.document, { currency })
    if (wrong.length === 0) return written.document
    throw preconditionFailed(`The draft has ${wrong.length} amounts with more decimals than ${currency} has (${digitsOf(currency)})`, {
      fields: wrong.slice(0, 50).map(({ path, message }) => ({ path, message })),
    })
  })
  return amounts > 0 ? [{ what: `amounts that are now in ${currency}`, count: amounts }] : []
}

function rewritten(document: ConfigDocument, digits: number): { document: ConfigDocument; amounts: number } {
  let amounts = 0
  const next = mapValues(ROOT, document, '', (node, value, _path, owner) => {
    if (typeof value !== 'string' || !isAmountIn(node, owner)) return value
    amounts++
    return withoutZeros(value, digits)
  })
  return { document: next as ConfigDocument, amounts }
}

function withoutZeros(amount: string, digits: number): string {
  const has = parseDecimal(amount)?.digits ?? 0
  if (has <= digits) return amount
  const [whole = '', fraction = ''] = amount.split('.')
  const kept = fraction.slice(0, digits)
  return /^0*$/.test(fraction.slice(digits)) ? (kept ? `${whole}.${kept}` : whole) : amount
}
