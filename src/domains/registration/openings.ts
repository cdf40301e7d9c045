import { toMinor } from '../../kernel/money.ts'
import { OWN_KINDS, productsOf } from '../configuration/flow/collects.ts'
import { priceFor } from '../configuration/flow/prices.ts'
import type { EventConfig, Flow, Product } from '../configuration/schema/event-config.ts'
import { EVENT_KEY, flowKey, productKey } from '../inventory/places.ts'
import type { AtEvent } from './scene.ts'

/** Whether somebody who comes now can register by a flow. */
export type FlowState = 'notYet' | 'open' | 'waitlist' | 'full' | 'closed'

export interface FlowOpening {
  flow: Flow
  state: FlowState
  /** How many it can still take; null without a limit. */
  left: number | null
}

export interface Offer {
  product: Product
  /** What somebody without any tag pays now, in the event's currency. */
  amount: string
  /** When this price ends; null while it does not. */
  until: string | null
  /** Null without a limit. */
  left: number | null
}

/** Flows that everybody may know of. */
const publicFlows = ({ flows }: EventConfig): Flow[] =>
  flows.filter(({ retired, kind, visibleForTags }) => !retired && OWN_KINDS.has(kind) && visibleForTags === null)

/** What is on offer to everybody at this moment: flows with their state, tickets with price and what is left. */
export async function openingsOf(ctx: AtEvent, config: EventConfig, now: Date): Promise<{ flows: FlowOpening[]; offers: Offer[] }> {
  const left = await placesLeft(ctx)
  const flows = publicFlows(config).map((flow) => openingOf(flow, left, now))
  const sold = new Set(flows.filter(({ flow }) => !flow.inviteOnly).flatMap(({ flow }) => admissionsOf(config, flow)))
  const offers = [...sold].flatMap((product): Offer[] => {
    const price = priceFor(product, { tags: new Set(), at: now, timezone: ctx.event.timezone })
    return price
      ? [{ product, amount: price.amount, until: product.prices[price.row]!.until, left: left.get(productKey(product.code)) ?? null }]
      : []
  })
  return { flows, offers: offers.toSorted((a, b) => minor(ctx, b) - minor(ctx, a)) }
}

/** The same of every flow in use, also of those that only some people may know of. */
export async function flowOpenings(ctx: AtEvent, config: EventConfig, now: Date): Promise<FlowOpening[]> {
  const left = await placesLeft(ctx)
  return config.flows.filter(({ retired }) => !retired).map((flow) => openingOf(flow, left, now))
}

function openingOf(flow: Flow, places: ReadonlyMap<string, number>, now: Date): FlowOpening {
  const { opensAt, closesAt, slug, waitlist } = flow
  const limits = [EVENT_KEY, flowKey(slug)].flatMap((key) => places.get(key) ?? [])
  const left = limits.length === 0 ? null : Math.min(...limits)
  if (opensAt !== null && now.getTime() < Date.parse(opensAt)) return { flow, left, state: 'notYet' }
  if (closesAt !== null && now.getTime() >= Date.parse(closesAt)) return { flow, left, state: 'closed' }
  return { flow, left, state: left !== 0 ? 'open' : waitlist ? 'waitlist' : 'full' }
}

const minor = ({ event }: AtEvent, { amount }: Offer) => toMinor(amount, event.currency)

const admissionsOf = (config: EventConfig, flow: Flow): Product[] =>
  flow.pages.flatMap((page) =>
    page.widgets.flatMap((widget) =>
      widget.type === 'products'
        ? productsOf(config, widget).filter(
            ({ category, visibleForTags, retired }) => category === 'admission' && visibleForTags === null && !retired,
          )
        : [],
    ),
  )

/** How many are left of what has a limit, by key. */
export async function placesLeft({ tenantId, event, db }: AtEvent): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('inventory')
    .select(['key', 'capacity', 'held', 'sold'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('capacity', 'is not', null)
    .execute()
  return new Map(rows.map(({ key, capacity, held, sold }) => [key, Math.max(0, capacity! - held - sold)]))
}
