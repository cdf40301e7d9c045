import { recordChange } from '../../../kernel/audit.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { sumMinorUnits } from '../../../kernel/money.ts'
import { evaluateFlow } from '../../configuration/flow/walk.ts'
import { holdUnits, sellUnits } from '../../inventory/units.ts'
import { addAndInvoiceOrderLines } from '../../orders/invoices.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { readStoredAnswers } from '../answers.ts'
import { buildDefaultBillingAddress, priceOrderLines } from '../sale/billing.ts'
import { findPurchaseDiscountCode } from '../edit/change-discount-code.ts'
import { findReusableDiscountCode } from '../edit/change-products.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { collectAssignedTags, lockGroupOfParticipant } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getOrCreatePayerOrder } from '../sale/payer.ts'
import { type RegistrationContext, type EventSnapshot, getFlow } from '../event-snapshot.ts'
import { getChosenProducts } from '../flows/selection.ts'
import { enrolIncludedSessions } from '../sessions.ts'
import { recalculateTags } from '../tags.ts'
import { buildSoldOutError } from '../waitlist/waitlist.ts'
import type { WaitlistEntryRow } from './entries.ts'
import type { WaitlistFulfilmentPlan } from './fulfilment.ts'

interface ProductFulfilmentRequest {
  snapshot: EventSnapshot
  entry: WaitlistEntryRow
  row: ParticipantRow
  order: OrderRow | null
  pricedAt: Date | null
}

/** Plans the sale of a product to a waiting participant whose registration is complete, by the same rules as for any purchase. */
export async function planWaitlistedProductSale(
  ctx: RegistrationContext,
  { snapshot, entry, row, order, pricedAt }: ProductFulfilmentRequest,
): Promise<Omit<WaitlistFulfilmentPlan, 'due'>> {
  const code = entry.target.slice('product:'.length)
  const flow = getFlow(snapshot, row.flow_slug ?? '')
  const priced = pricedAt ? { ...snapshot, at: pricedAt } : snapshot
  const donations = new Set(snapshot.config.products.filter(({ category }) => category === 'donation').map((product) => product.code))
  const held = new Map([...sumQuantitiesByProduct(await listSoldOrderLines(ctx, [row.id]))].filter(([product]) => !donations.has(product)))
  const answers = {
    ...readStoredAnswers(row),
    ...Object.fromEntries([...held].map(([product, quantity]) => [`@product.${product}`, quantity])),
    [`@product.${code}`]: (held.get(code) ?? 0) + entry.quantity,
  }
  const tags = collectAssignedTags(row, await lockGroupOfParticipant(ctx, row))
  const walk = evaluateFlow(snapshot.config, flow, { answers, tags, timezone: snapshot.timezone, now: priced.at })
  const wanted = getChosenProducts({ config: snapshot.config, flow, walk, answers, currency: snapshot.currency, held }).find(
    ({ product }) => product.code === code,
  )
  if (!wanted) throw preconditionFailed(`${code} is no longer sold`)
  const chosen = [{ ...wanted, quantity: entry.quantity }]
  const billed = priceOrderLines({
    snapshot: priced,
    chosen,
    guests: [],
    buyer: order?.bill_to ?? buildDefaultBillingAddress(answers),
    discountCode: findReusableDiscountCode(priced, await findPurchaseDiscountCode(ctx, row), { chosen, tags: walk.priceTags }),
    given: walk.priceTags,
  })
  const holder = { participantId: row.id, entryId: entry.id }
  const places = [{ key: entry.target, quantity: entry.quantity }]
  return {
    total: sumMinorUnits(billed.lines.map((line) => line.total)),
    hold: ({ until, beyondCapacity }) =>
      snapshot.isTest ? Promise.resolve(null) : holdUnits(ctx, holder, places, { until, beyondCapacity }),
    async fulfil({ beyondCapacity }) {
      const full = snapshot.isTest ? null : await sellUnits(ctx, holder, places, { beyondCapacity })
      if (full !== null) throw await buildSoldOutError(ctx, snapshot.config, full)
      const own = await getOrCreatePayerOrder(ctx, row)
      const lines = billed.lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: row.id }))
      const invoice = await addAndInvoiceOrderLines(ctx, own, lines, snapshot)
      recordChange(ctx, {
        kind: 'participant',
        id: row.id,
        before: { [`@product.${code}`]: held.get(code) ?? 0 },
        after: { [`@product.${code}`]: answers[`@product.${code}`] },
      })
      await enrolIncludedSessions(ctx, snapshot, row, new Set([code]))
      await recalculateTags(ctx, snapshot.config, [row.id])
      return { orderId: own.id, invoice }
    },
  }
}
