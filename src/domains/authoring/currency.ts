import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { getCurrencyDecimals, parseDecimal } from '../../kernel/money.ts'
import { lockDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { ROOT_NODE } from '../configuration/schema/nodes.ts'
import { findAmountIssues, isAmountProperty } from '../configuration/validate/rules.ts'
import { mapConfigValues } from '../configuration/walk.ts'
import { countRecordsWithMoneyAmounts } from '../exhibitors/stored-amounts.ts'
import { countHotelsWithRates } from '../housing/hotels.ts'
import { countOpenCharges } from '../payments/charges.ts'
import { editConfigDraft } from './edit.ts'
import type { EventRow } from '../tenancy/lock-event.ts'
import { countOrders } from './count-orders.ts'
import type { EventEditSideEffect } from './update-event.ts'

/** Changes the currency of an event. Amounts keep their value; trailing zero decimals that the new currency does not have are removed. */
export async function changeCurrency(ctx: EventContext, before: EventRow, currency: string): Promise<EventEditSideEffect[]> {
  const orders = await countOrders(ctx)
  if (orders > 0) {
    throw preconditionFailed(
      `${orders === 1 ? '1 order exists' : `${orders} orders exist`}: the currency of ${before.name} can no longer change`,
    )
  }
  await refuseTestOrders(ctx, before.currency, currency)
  await refuseStoredAmounts(ctx, before.currency)
  const live = await readLiveConfiguration(ctx, await lockDraftConfiguration(ctx))
  const unfit = live ? findAmountIssues(live.document, { currency }) : []
  if (unfit.length > 0) {
    throw preconditionFailed(
      `The live version has ${unfit.length} amounts with more decimals than ${currency} allows: publish them without decimals first`,
      {
        fields: unfit.slice(0, 50).map(({ path, message }) => ({ path, message })),
      },
    )
  }
  let amounts = 0
  await editConfigDraft(ctx, { tool: 'update_event', operations: { currency } }, ({ document }) => {
    const written = trimAmounts(document, getCurrencyDecimals(currency))
    amounts = written.amounts
    const wrong = findAmountIssues(written.document, { currency })
    if (wrong.length === 0) return written.document
    throw preconditionFailed(
      `The draft has ${wrong.length} amounts with more decimals than ${currency} allows (${getCurrencyDecimals(currency)})`,
      {
        fields: wrong.slice(0, 50).map(({ path, message }) => ({ path, message })),
      },
    )
  })
  return amounts > 0 ? [{ what: `amounts that are now in ${currency}`, count: amounts }] : []
}

/**
 * Rejects a change of currency while stored amounts were agreed in the present currency. The value of these amounts would change, even if
 * both currencies have the same number of decimals.
 */
async function refuseStoredAmounts(ctx: EventContext, currency: string): Promise<void> {
  const { booths, offers, companies } = await countRecordsWithMoneyAmounts(ctx)
  const [hotels, charges] = [await countHotelsWithRates(ctx), await countOpenCharges(ctx)]
  const refuse = (count: number, one: string, several: string, consequence = 'the currency can no longer change') => {
    if (count > 0) throw preconditionFailed(`${count} ${(count === 1 ? one : several).replace('*', currency)}: ${consequence}`)
  }
  refuse(hotels, 'hotel has rates in *', 'hotels have rates in *')
  refuse(offers, 'booth application has an offer in *', 'booth applications have offers in *')
  refuse(charges, 'card payment in * is open', 'card payments in * are open', 'wait until it is paid or has expired')
  refuse(booths, 'booth has its own price in *', 'booths have their own price in *', 'clear it with manage_booths first')
  refuse(
    companies,
    'company has a sponsorship in *',
    'companies have a sponsorship in *',
    'set sponsorAmount to 0 with manage_company first',
  )
}

/**
 * Rejects a currency with another number of decimals while test orders exist, because their amounts are stored in minor units and would
 * change in value. With the same number of decimals, the amounts of test orders stay the same.
 */
async function refuseTestOrders(ctx: EventContext, from: string, to: string): Promise<void> {
  if (getCurrencyDecimals(from) === getCurrencyDecimals(to)) return
  const orders = await countOrders(ctx, { isTestData: true })
  if (orders === 0) return
  throw preconditionFailed(
    `${orders === 1 ? '1 test order has' : `${orders} test orders have`} amounts in ${from}, which has ${getCurrencyDecimals(from)} decimals, and ${to} has ${getCurrencyDecimals(to)}. Remove the test registrations first`,
    { fix: { tool: 'create_test_registrations', arguments: { clear: true }, here: true } },
  )
}

function trimAmounts(document: ConfigDocument, digits: number): { document: ConfigDocument; amounts: number } {
  let amounts = 0
  const next = mapConfigValues(ROOT_NODE, document, '', (node, value, _path, owner) => {
    if (typeof value !== 'string' || !isAmountProperty(node, owner)) return value
    amounts++
    return trimZeroDecimals(value, digits)
  })
  return { document: next as ConfigDocument, amounts }
}

function trimZeroDecimals(amount: string, digits: number): string {
  const has = parseDecimal(amount)?.digits ?? 0
  if (has <= digits) return amount
  const [whole = '', fraction = ''] = amount.split('.')
  const kept = fraction.slice(0, digits)
  return /^0*$/.test(fraction.slice(digits)) ? (kept ? `${whole}.${kept}` : whole) : amount
}
