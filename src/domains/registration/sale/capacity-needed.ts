import type { Flow } from '../../configuration/schema/event-config.ts'
import {
  toDiscountInventoryKey,
  EVENT_INVENTORY_KEY,
  toFlowInventoryKey,
  toProductInventoryKey,
  type InventoryQuantity,
} from '../../inventory/units.ts'
import type { Guest } from '../guests.ts'
import type { ChosenProduct } from '../flows/selection.ts'

interface CapacityRequest {
  flow: Flow
  chosen: readonly Pick<ChosenProduct, 'product' | 'quantity'>[]
  guests: readonly Guest[]
  /** Whether the participant is a guest; null if only guests are added to an existing registration. */
  isGuest: boolean | null
  discountCode: string | null
}

/** Whether guests of the flow take a seat of the event and the flow, like other participants. */
export const doGuestsCount = (flow: Flow | undefined): boolean => flow?.guests?.countsTowardCapacity !== false

/** Lists the capacity that a registration takes: one seat of event and flow per person, the products, and one use of the discount code. */
export function listRequiredCapacity({ flow, chosen, guests, isGuest, discountCode }: CapacityRequest): InventoryQuantity[] {
  const counted = doGuestsCount(flow) ? 1 : 0
  const people = (isGuest === null ? 0 : isGuest ? counted : 1) + guests.length * counted
  return [
    ...(people > 0 ? [EVENT_INVENTORY_KEY, toFlowInventoryKey(flow.slug)].map((key) => ({ key, quantity: people })) : []),
    ...chosen.map(({ product, quantity }) => ({ key: toProductInventoryKey(product.code), quantity })),
    ...guests.flatMap(({ productCode }) => (productCode === null ? [] : [{ key: toProductInventoryKey(productCode), quantity: 1 }])),
    ...(discountCode === null ? [] : [{ key: toDiscountInventoryKey(discountCode), quantity: 1 }]),
  ]
}
