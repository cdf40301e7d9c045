import { listOrderLinesWithCredits, type OrderLineWithCredits } from '../../orders/lines.ts'
import {
  toDiscountInventoryKey,
  EVENT_INVENTORY_KEY,
  toFlowInventoryKey,
  toProductInventoryKey,
  type InventoryQuantity,
} from '../../inventory/units.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import { doGuestsCount } from './capacity-needed.ts'

/** Lists the order lines of products sold to these participants, on their own orders and on those of their group or host. */
export async function listSoldOrderLines(ctx: RegistrationContext, participantIds: readonly string[]): Promise<OrderLineWithCredits[]> {
  return (await listOrderLinesWithCredits(ctx, { participantIds })).filter(({ kind }) => kind === 'sale')
}

export function sumQuantitiesByProduct(lines: readonly OrderLineWithCredits[]): Map<string, number> {
  const held = new Map<string, number>()
  for (const { product_code, remaining } of lines) {
    if (product_code !== null && remaining > 0) held.set(product_code, (held.get(product_code) ?? 0) + remaining)
  }
  return held
}

/**
 * Whether a complete registration has taken a seat of the event and the flow. For guests, the setting of the flow at their registration
 * decides; guests of earlier versions, for whom it was not stored, follow the current setting.
 */
export const hasSeat = (row: Pick<ParticipantRow, 'host_id' | 'counts_toward_capacity'>, flow: Flow | undefined): boolean =>
  row.host_id === null || (row.counts_toward_capacity ?? doGuestsCount(flow))

/**
 * Lists the capacity that a complete registration has taken: event, flow, products, and one use of the discount code, also if another
 * payer's order has it.
 */
export function listTakenCapacity(
  row: ParticipantRow,
  flow: Flow | undefined,
  lines: readonly OrderLineWithCredits[],
): InventoryQuantity[] {
  if (row.is_test_data) return []
  return [
    ...(hasSeat(row, flow)
      ? [EVENT_INVENTORY_KEY, ...(row.flow_slug === null ? [] : [toFlowInventoryKey(row.flow_slug)])].map((key) => ({ key, quantity: 1 }))
      : []),
    ...[...sumQuantitiesByProduct(lines)].map(([code, quantity]) => ({ key: toProductInventoryKey(code), quantity })),
    ...(row.discount_code === null ? [] : [{ key: toDiscountInventoryKey(row.discount_code), quantity: 1 }]),
  ]
}
