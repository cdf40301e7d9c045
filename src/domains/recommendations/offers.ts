import { sql } from 'kysely'
import type { Configuration } from '../configuration/read.ts'
import { indexOf, productBinding } from '../configuration/flow/collects.ts'
import { nextRise } from '../configuration/flow/prices.ts'
import { walkFlow } from '../configuration/flow/walk.ts'
import type { Product } from '../configuration/schema/event-config.ts'
import { productKey } from '../inventory/places.ts'
import type {} from '../inventory/tables.ts'
import { answersOf } from '../registration/answers.ts'
import { givenTags, groupOf } from '../registration/own-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { AtEvent } from '../registration/scene.ts'

/** A product that somebody could add now. */
export interface Offer {
  product: Product
  /** Decimal, in the event's currency; null where people choose the amount. */
  amount: string | null
  /** Where in their flow it is sold. */
  page: string
  capacity: number | null
  /** Null without limit. */
  left: number | null
  risesAt: Date | null
}

const NEVER: readonly Product['category'][] = ['booth', 'leadRetrieval', 'advertising', 'guest']
const WEEK_MS = 7 * 86_400_000

/** On sale to this person now, with places left, and fitting to what they hold. */
export async function offersTo(
  ctx: AtEvent,
  { config, facts }: Configuration,
  row: ParticipantRow,
  held: ReadonlyMap<string, number>,
): Promise<Offer[]> {
  const flow = config.flows.find(({ slug }) => slug === row.flow_slug)
  const isClosed = flow?.editUntil && facts.now.getTime() >= Date.parse(flow.editUntil)
  if (!flow || isClosed || facts.status === 'archived' || row.status === 'cancelled') return []
  const { products } = indexOf(config)
  const answers = { ...answersOf(row), ...Object.fromEntries([...held].map(([code, quantity]) => [productBinding(code), quantity])) }
  const given = givenTags(row, await groupOf(ctx, row))
  const walk = walkFlow(config, flow, { answers, tags: given, timezone: facts.timezone, now: facts.now })
  const offered = new Map(
    walk.pages.flatMap(({ code: page, widgets }) =>
      widgets.flatMap((widget) => widget.products.map(({ code, amount }) => [code, { page, amount }] as const)),
    ),
  )
  const fitting = [...offered].flatMap(([code, offer]) => {
    const product = products.get(code)!
    return fits(product, held, products) ? [{ product, ...offer }] : []
  })
  const stock = await stockOf(
    ctx,
    fitting.map(({ product }) => product),
  )
  const query = { tags: walk.priceTags, at: facts.now, timezone: facts.timezone }
  return fitting
    .map((offer) => ({
      ...offer,
      ...stock(offer.product),
      risesAt: nextRise(offer.product, query, new Date(facts.now.getTime() + WEEK_MS)),
    }))
    .filter(({ left }) => left === null || left > 0)
}

function fits(product: Product, held: ReadonlyMap<string, number>, products: ReadonlyMap<string, Product>): boolean {
  if (NEVER.includes(product.category) || (held.get(product.code) ?? 0) >= product.perPerson) return false
  const holds = [...held.keys()]
  return (
    product.requires.every((code) => held.has(code)) &&
    !holds.some((code) => product.excludes.includes(code) || products.get(code)?.excludes.includes(product.code))
  )
}

async function stockOf({ db, tenantId, event }: AtEvent, products: readonly Product[]) {
  const rows = await db
    .selectFrom('inventory')
    .select(['key', 'capacity', 'overage', 'held', 'sold'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('key', '=', sql<string>`any(${products.map(({ code }) => productKey(code))})`)
    .execute()
  const counted = new Map(rows.map((row) => [row.key, row]))
  return ({ code, capacity: planned }: Product) => {
    const row = counted.get(productKey(code))
    const capacity = row ? row.capacity : planned
    return { capacity, left: capacity === null ? null : capacity + (row ? row.overage - row.held - row.sold : 0) }
  }
}
