import { linesOf, type LineState } from '../orders/lines.ts'
import { discountKey, EVENT_KEY, flowKey, productKey, type Take } from '../inventory/places.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent } from './scene.ts'

/** What people hold, line by line, on whosever order that is. */
export async function holdingsOf(ctx: AtEvent, participantIds: readonly string[]): Promise<LineState[]> {
  return (await linesOf(ctx, { participantIds })).filter(({ kind }) => kind === 'sale')
}

/** How many of each product. */
export function quantitiesOf(lines: readonly LineState[]): Map<string, number> {
  const held = new Map<string, number>()
  for (const { product_code, remaining } of lines) {
    if (product_code !== null && remaining > 0) held.set(product_code, (held.get(product_code) ?? 0) + remaining)
  }
  return held
}

/** Everything scarce that somebody takes who has registered, a use of a code among it, whoever paid by it. */
export function placesOf(row: ParticipantRow, flow: Flow | undefined, lines: readonly LineState[]): Take[] {
  if (row.is_test_data) return []
  const counts = row.host_id === null || flow?.guests?.countsTowardCapacity !== false
  return [
    ...(counts ? [EVENT_KEY, ...(row.flow_slug === null ? [] : [flowKey(row.flow_slug)])].map((key) => ({ key, quantity: 1 })) : []),
    ...[...quantitiesOf(lines)].map(([code, quantity]) => ({ key: productKey(code), quantity })),
    ...(row.discount_code === null ? [] : [{ key: discountKey(row.discount_code), quantity: 1 }]),
  ]
}
