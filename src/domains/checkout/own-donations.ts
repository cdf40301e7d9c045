import { addAndInvoiceOrderLines } from '../orders/invoices.ts'
import { toProductInventoryKey, sellUnits } from '../inventory/units.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { toProductAnswerKey } from '../configuration/flow/collected-answers.ts'
import { priceOrderLines } from '../registration/sale/billing.ts'
import { getOrCreatePayerOrder } from '../registration/sale/payer.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { getChosenProducts } from '../registration/flows/selection.ts'
import type { RegistrationProgress } from './progress.ts'
import { NON_ANSWER_FORM_FIELDS, readSubmittedAmount, type GetFormValues, listPageWidgets } from './sent-page.ts'

/** Reads the additional donations on a page, by product. Earlier donations cannot be reduced here. */
export function readDonations(progress: RegistrationProgress, page: string, sent: GetFormValues): Record<string, unknown> {
  const shown = new Set(sent(NON_ANSWER_FORM_FIELDS.shown))
  const given = listPageWidgets(progress, page).flatMap((widget): [string, unknown][] => {
    if (widget.type !== 'donation' || !shown.has(widget.id)) return []
    const binding = toProductAnswerKey(widget.product)
    const amount = readSubmittedAmount(sent, NON_ANSWER_FORM_FIELDS.more(binding))
    return amount === 0 ? [] : [[binding, amount]]
  })
  return Object.fromEntries(given)
}

/** Adds each donation to the participant's order as a separate line. */
export async function addDonations(
  ctx: RegistrationContext,
  { snapshot, flow, row, walk }: RegistrationProgress,
  gifts: Record<string, unknown>,
): Promise<void> {
  const chosen = getChosenProducts({ config: snapshot.config, flow, walk, answers: gifts, currency: snapshot.currency })
  if (!row.is_test_data) {
    const places = chosen.map(({ product, quantity }) => ({ key: toProductInventoryKey(product.code), quantity }))
    const full = await sellUnits(ctx, { participantId: row.id }, places)
    if (full !== null) throw invalidArguments([toFieldError(toProductAnswerKey(full.replace(/^product:/, '')), 'error.full')])
  }
  const order = await getOrCreatePayerOrder(ctx, row)
  const { lines } = priceOrderLines({ snapshot, chosen, guests: [], buyer: order.bill_to, discountCode: null, given: walk.priceTags })
  await addAndInvoiceOrderLines(
    ctx,
    order,
    lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: row.id })),
    snapshot,
  )
}
