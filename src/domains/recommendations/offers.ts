import { eventDb } from '../../kernel/scoped-db.ts'
import { sql } from 'kysely'
import type { Configuration } from '../configuration/read.ts'
import { indexConfigByCode, toProductAnswerKey } from '../configuration/flow/collected-answers.ts'
import { findNextPriceRise } from '../configuration/flow/prices.ts'
import { evaluateFlow } from '../configuration/flow/walk.ts'
import type { Product } from '../configuration/schema/event-config.ts'
import { toProductInventoryKey } from '../inventory/units.ts'
import { readStoredAnswers } from '../registration/answers.ts'
import { collectAssignedTags, findGroupOfParticipant } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'

/** A product that the participant can add now. */
export interface RecommendableProduct {
  product: Product
  /** The price as decimal text in the event's currency; null if the buyer chooses the amount. */
  amount: string | null
  /** The id of the page of the registration flow that sells the product. */
  page: string
  capacity: number | null
  /** The number of units that are left; null if unlimited. */
  left: number | null
  risesAt: Date | null
}

const EXCLUDED_CATEGORIES: readonly Product['category'][] = ['booth', 'leadRetrieval', 'advertising', 'guest']
const WEEK_MS = 7 * 86_400_000

/** Lists the products that are on sale to this participant now, are available, and are compatible with the products they hold. */
export async function listRecommendableProducts(
  ctx: RegistrationContext,
  { config, facts }: Configuration,
  row: ParticipantRow,
  held: ReadonlyMap<string, number>,
): Promise<RecommendableProduct[]> {
  const flow = config.flows.find(({ slug }) => slug === row.flow_slug)
  const isClosed = flow?.editUntil && facts.now.getTime() >= Date.parse(flow.editUntil)
  if (!flow || isClosed || facts.status === 'archived' || row.status === 'cancelled') return []
  const { products } = indexConfigByCode(config)
  const answers = {
    ...readStoredAnswers(row),
    ...Object.fromEntries([...held].map(([code, quantity]) => [toProductAnswerKey(code), quantity])),
  }
  const given = collectAssignedTags(row, await findGroupOfParticipant(ctx, row))
  const walk = evaluateFlow(config, flow, { answers, tags: given, timezone: facts.timezone, now: facts.now })
  const offered = new Map(
    walk.pages.flatMap(({ code: page, widgets }) =>
      widgets.flatMap((widget) => widget.products.map(({ code, amount }) => [code, { page, amount }] as const)),
    ),
  )
  const fitting = [...offered].flatMap(([code, offer]) => {
    const product = products.get(code)!
    return canAdd(product, held, products) ? [{ product, ...offer }] : []
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
      risesAt: findNextPriceRise(offer.product, query, new Date(facts.now.getTime() + WEEK_MS)),
    }))
    .filter(({ left }) => left === null || left > 0)
}

function canAdd(product: Product, held: ReadonlyMap<string, number>, products: ReadonlyMap<string, Product>): boolean {
  if (EXCLUDED_CATEGORIES.includes(product.category) || (held.get(product.code) ?? 0) >= product.perPerson) return false
  const holds = [...held.keys()]
  return (
    product.requires.every((code) => held.has(code)) &&
    !holds.some((code) => product.excludes.includes(code) || products.get(code)?.excludes.includes(product.code))
  )
}

async function stockOf(ctx: RegistrationContext, products: readonly Product[]) {
  const rows = await eventDb(ctx)
    .selectFrom('inventory')
    .select(['key', 'capacity', 'overage', 'held', 'sold'])
    .where('key', '=', sql<string>`any(${products.map(({ code }) => toProductInventoryKey(code))})`)
    .execute()
  const counted = new Map(rows.map((row) => [row.key, row]))
  return ({ code, capacity: planned }: Product) => {
    const row = counted.get(toProductInventoryKey(code))
    const capacity = row ? row.capacity : planned
    return { capacity, left: capacity === null ? null : capacity + (row ? row.overage - row.held - row.sold : 0) }
  }
}
