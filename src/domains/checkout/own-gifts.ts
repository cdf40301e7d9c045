import { sell } from '../orders/invoices.ts'
import { productKey, sellPlaces } from '../inventory/places.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { productBinding } from '../configuration/flow/collects.ts'
import { linesFor } from '../registration/bill.ts'
import { openOrderOf } from '../registration/payer.ts'
import type { AtEvent } from '../registration/scene.ts'
import { chosenProducts } from '../registration/selection.ts'
import type { Progress } from './progress.ts'
import { FIELDS, givenAmount, type Sent, widgetsOn } from './sent-page.ts'

/** What somebody gives on top of what they gave: a gift is never taken back here. By product, as they typed it. */
export function giftsIn(progress: Progress, page: string, sent: Sent): Record<string, unknown> {
  const shown = new Set(sent(FIELDS.shown))
  const given = widgetsOn(progress, page).flatMap((widget): [string, unknown][] => {
    if (widget.type !== 'donation' || !shown.has(widget.id)) return []
    const binding = productBinding(widget.product)
    const amount = givenAmount(sent, FIELDS.more(binding))
    return amount === 0 ? [] : [[binding, amount]]
  })
  return Object.fromEntries(given)
}

/** Puts further gifts on their order, each as a line of its own. */
export async function giveMore(ctx: AtEvent, { scene, flow, row, walk }: Progress, gifts: Record<string, unknown>): Promise<void> {
  const chosen = chosenProducts({ config: scene.config, flow, walk, answers: gifts, currency: scene.currency })
  if (!row.is_test_data) {
    const places = chosen.map(({ product, quantity }) => ({ key: productKey(product.code), quantity }))
    const full = await sellPlaces(ctx, { participantId: row.id }, places)
    if (full !== null) throw invalidArguments([{ path: productBinding(full.replace(/^product:/, '')), message: 'full' }])
  }
  const order = await openOrderOf(ctx, row)
  const { lines } = linesFor({ scene, chosen, guests: [], buyer: order.bill_to, discountCode: null, given: walk.priceTags })
  await sell(
    ctx,
    order,
    lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: row.id })),
    scene,
  )
}
