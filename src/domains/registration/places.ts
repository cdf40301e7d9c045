import type { Flow } from '../configuration/schema/event-config.ts'
import { discountKey, EVENT_KEY, flowKey, productKey, type Take } from '../inventory/places.ts'
import type { Guest } from './guests.ts'
import type { Chosen } from './selection.ts'

interface Taking {
  flow: Flow
  chosen: readonly Pick<Chosen, 'product' | 'quantity'>[]
  guests: readonly Guest[]
  /** Whether the person themselves is a guest; null when only guests come, to somebody who is there already. */
  isGuest: boolean | null
  discountCode: string | null
}

/** Everything scarce that a registration takes: a place at the event and in its flow for each person, what is bought, a use of the code. */
export function placesFor({ flow, chosen, guests, isGuest, discountCode }: Taking): Take[] {
  const counted = flow.guests?.countsTowardCapacity === false ? 0 : 1
  const people = (isGuest === null ? 0 : isGuest ? counted : 1) + guests.length * counted
  return [
    ...(people > 0 ? [EVENT_KEY, flowKey(flow.slug)].map((key) => ({ key, quantity: people })) : []),
    ...chosen.map(({ product, quantity }) => ({ key: productKey(product.code), quantity })),
    ...guests.flatMap(({ productCode }) => (productCode === null ? [] : [{ key: productKey(productCode), quantity: 1 }])),
    ...(discountCode === null ? [] : [{ key: discountKey(discountCode), quantity: 1 }]),
  ]
}
