import { toMinorUnits } from '../../../kernel/money.ts'
import { SELF_REGISTRATION_FLOW_KINDS, listWidgetProducts } from '../../configuration/flow/collected-answers.ts'
import { findPrice } from '../../configuration/flow/prices.ts'
import type { EventConfig, Flow, Product } from '../../configuration/schema/event-config.ts'
import {
  countAvailableUnits,
  EVENT_INVENTORY_KEY,
  toFlowInventoryKey,
  toProductInventoryKey,
  readStockLevels,
} from '../../inventory/units.ts'
import { toSessionInventoryKey } from '../../sessions/context.ts'
import { listSessionsByTicketProduct } from '../../sessions/program.ts'
import type { RegistrationContext } from '../event-snapshot.ts'

export type FlowAvailabilityStatus = 'notYet' | 'open' | 'waitlist' | 'full' | 'closed'

export interface FlowAvailability {
  flow: Flow
  state: FlowAvailabilityStatus
  /** The remaining capacity of the flow; null if it is unlimited. */
  left: number | null
}

export interface TicketOffer {
  product: Product
  /** The current price for participants without tags, in the event's currency. */
  amount: string
  /** The time when this price ends; null if it does not end. */
  until: string | null
  /** The remaining capacity of the product; null if it is unlimited. */
  left: number | null
}

/**
 * Lists flows that may be offered publicly, because they are restricted neither to participants with certain tags nor to invited people.
 */
const publicFlows = ({ flows }: EventConfig): Flow[] =>
  flows.filter(
    ({ retired, kind, visibleForTags, inviteOnly }) =>
      !retired && SELF_REGISTRATION_FLOW_KINDS.has(kind) && visibleForTags === null && !inviteOnly,
  )

/** Reads what anyone can register for now: flows with their state, and tickets with price and remaining capacity. */
export async function readPublicFlowsAndTickets(
  ctx: RegistrationContext,
  config: EventConfig,
  now: Date,
): Promise<{ flows: FlowAvailability[]; offers: TicketOffer[] }> {
  const left = await readRemainingCapacity(ctx)
  const flows = publicFlows(config).map((flow) => toFlowOpening(flow, left, now))
  const sold = new Set(flows.flatMap(({ flow }) => listTickets(config, flow)))
  const offers = [...sold].flatMap((product): TicketOffer[] => {
    const price = findPrice(product, { tags: new Set(), at: now, timezone: ctx.event.timezone })
    return price
      ? [
          {
            product,
            amount: price.amount,
            until: product.prices[price.row]!.until,
            left: left.get(toProductInventoryKey(product.code)) ?? null,
          },
        ]
      : []
  })
  return { flows, offers: offers.toSorted((a, b) => minor(ctx, b) - minor(ctx, a)) }
}

/** Lists the state (for example open or not yet open) of every flow that is not retired, including flows restricted to tags. */
export async function listFlowAvailability(
  ctx: RegistrationContext,
  { flows }: Pick<EventConfig, 'flows'>,
  now: Date,
): Promise<FlowAvailability[]> {
  const left = await readRemainingCapacity(ctx)
  return flows.filter(({ retired }) => !retired).map((flow) => toFlowOpening(flow, left, now))
}

function toFlowOpening(flow: Flow, places: ReadonlyMap<string, number>, now: Date): FlowAvailability {
  const { opensAt, closesAt, slug, waitlist } = flow
  const limits = [EVENT_INVENTORY_KEY, toFlowInventoryKey(slug)].flatMap((key) => places.get(key) ?? [])
  const left = limits.length === 0 ? null : Math.min(...limits)
  if (opensAt !== null && now.getTime() < Date.parse(opensAt)) return { flow, left, state: 'notYet' }
  if (closesAt !== null && now.getTime() >= Date.parse(closesAt)) return { flow, left, state: 'closed' }
  return { flow, left, state: left !== 0 ? 'open' : waitlist ? 'waitlist' : 'full' }
}

const minor = ({ event }: RegistrationContext, { amount }: TicketOffer) => toMinorUnits(amount, event.currency)

const listTickets = (config: EventConfig, flow: Flow): Product[] =>
  flow.pages.flatMap((page) =>
    page.widgets.flatMap((widget) =>
      widget.type === 'products'
        ? listWidgetProducts(config, widget).filter(
            ({ category, visibleForTags, retired }) => category === 'admission' && visibleForTags === null && !retired,
          )
        : [],
    ),
  )

/**
 * Reads the remaining capacity by inventory key (such as `product:dinner`), for keys with a limit. The ticket product of a session has at
 * most the capacity of the session, so that every page shows the same number.
 */
export async function readRemainingCapacity(ctx: RegistrationContext): Promise<Map<string, number>> {
  const left = new Map<string, number>()
  for (const [key, stock] of await readStockLevels(ctx)) {
    const free = countAvailableUnits(stock)
    if (free !== null) left.set(key, Math.max(0, free))
  }
  for (const [productCode, sessionId] of await listSessionsByTicketProduct(ctx)) {
    const limits = [toProductInventoryKey(productCode), toSessionInventoryKey(sessionId)].flatMap((key) => left.get(key) ?? [])
    if (limits.length > 0) left.set(toProductInventoryKey(productCode), Math.min(...limits))
  }
  return left
}
