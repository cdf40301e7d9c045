import { recordChange } from '../../kernel/audit.ts'
import type { AppError } from '../../kernel/errors.ts'
import { walkFlow } from '../configuration/flow/walk.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { freePlaces, productKey, sellPlaces } from '../inventory/places.ts'
import { type CreditRule, creditsOf, type Removal, removalsOf } from '../orders/credits.ts'
import { credit, sell } from '../orders/invoices.ts'
import type { LineState } from '../orders/lines.ts'
import { lockOrders, type OrderRow } from '../orders/orders.ts'
import type { Answers } from './answers.ts'
import { linesFor } from './bill.ts'
import { quantitiesOf } from './holdings.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent, Scene } from './scene.ts'
import { type Chosen, chosenProducts } from './selection.ts'
import { refuseFull } from './waitlist.ts'

interface Changing {
  scene: Scene
  flow: Flow
  row: ParticipantRow
  /** Tags that the person has beside those of flow and products. */
  given: readonly string[]
  /** All that holds after the edit, products among them. */
  answers: Answers
  lines: readonly LineState[]
  /** Behind its lock from here on; null where the person has none yet. */
  openOrder: () => Promise<OrderRow>
  rule: CreditRule
  /** A percentage goes on for what is bought later. */
  discountCode: string | null
  overrideCapacity: boolean
  /** How it is told what is full; as to an organizer when left out. */
  whenFull?: (key: string) => AppError
}

export interface MoneyDone {
  creditNote: { number: string; total: number } | null
  invoice: { number: string; total: number } | null
}

/** Makes what somebody holds what they want now: more is sold at today's price, less is credited at the price paid. Null when nothing differs. */
export async function changeProducts(ctx: AtEvent, changing: Changing): Promise<MoneyDone | null> {
  const { scene, flow, row, answers, lines } = changing
  const held = quantitiesOf(lines)
  const walk = walkFlow(scene.config, flow, { answers, tags: changing.given, timezone: scene.timezone, now: scene.at })
  const chosen = chosenProducts({ config: scene.config, flow, walk, answers, currency: scene.currency, held }).map((one) =>
    // Gifts are chosen by their amount: however many were made, they stay.
    one.product.category === 'donation' && held.has(one.product.code) ? { ...one, quantity: held.get(one.product.code)! } : one,
  )
  const wanted = new Map(chosen.map((one) => [one.product.code, one]))
  const more = chosen.flatMap((one): Chosen[] => {
    const quantity = one.quantity - (held.get(one.product.code) ?? 0)
    return quantity > 0 ? [{ ...one, quantity }] : []
  })
  const less = [...held].flatMap(([code, quantity]) => {
    const units = quantity - (wanted.get(code)?.quantity ?? 0)
    return units > 0 ? [{ code, units }] : []
  })
  if (more.length === 0 && less.length === 0) return null

  if (!row.is_test_data) {
    const places = more.map(({ product, quantity }) => ({ key: productKey(product.code), quantity }))
    const full = await sellPlaces(ctx, { participantId: row.id }, places, { beyondCapacity: changing.overrideCapacity })
    if (full !== null) throw changing.whenFull?.(full) ?? (await refuseFull(ctx, scene.config, full))
    await freePlaces(
      ctx,
      less.map(({ code, units }) => ({ key: productKey(code), quantity: units })),
    )
  }
  const creditNote = await creditLess(
    ctx,
    changing,
    less.flatMap(({ code, units }) => removalsOf(lines, code, units)),
  )
  const invoice = more.length === 0 ? null : await sellMore(ctx, changing, more, walk.priceTags)
  recordChange(ctx, {
    kind: 'participant',
    id: row.id,
    before: Object.fromEntries([...held].map(([code, quantity]) => [`@product.${code}`, quantity])),
    after: Object.fromEntries(chosen.map(({ product, quantity }) => [`@product.${product.code}`, quantity])),
  })
  return { creditNote, invoice }
}

/** On the order that each line is on: what a group bought stays the group's, also for somebody who has left it. */
async function creditLess(ctx: AtEvent, { scene, rule }: Changing, removals: readonly Removal[]): Promise<MoneyDone['creditNote']> {
  const credits = creditsOf(removals, rule, scene.config, scene.at)
  const orders = await lockOrders(ctx, [...new Set(removals.map(({ line }) => line.order_id))])
  let last: MoneyDone['creditNote'] = null
  for (const order of orders) {
    const theirs = credits.filter(({ line }) => line.order_id === order.id)
    last = (await credit(ctx, order, theirs, scene)) ?? last
  }
  return last
}

async function sellMore(
  ctx: AtEvent,
  changing: Changing,
  more: readonly Chosen[],
  tags: ReadonlySet<string>,
): Promise<MoneyDone['invoice']> {
  const { scene, row } = changing
  const order = await changing.openOrder()
  const { lines } = linesFor({
    scene,
    chosen: more,
    guests: [],
    buyer: order.bill_to,
    discountCode: usableCode(changing, more),
    given: tags,
  })
  return sell(
    ctx,
    order,
    lines.map(({ guest: _guest, ...line }) => ({ ...line, participantId: row.id })),
    scene,
  )
}

/** An amount off was given once, with the order it was given for. */
export function usableCode(
  { scene, discountCode }: Pick<Changing, 'scene' | 'discountCode'>,
  more: readonly Pick<Chosen, 'product'>[],
): string | null {
  const discount = scene.config.discounts.find(({ code, kind, retired }) => code === discountCode && kind === 'percent' && !retired)
  const covers = more.some(({ product }) =>
    discount && discount.products.length > 0 ? discount.products.includes(product.code) : product.category !== 'donation',
  )
  return discount && covers ? discount.code : null
}
