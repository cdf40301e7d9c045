import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { toDiscountInventoryKey, EVENT_INVENTORY_KEY, toFlowInventoryKey, toProductInventoryKey } from './units.ts'

type CapacityConfig = Pick<EventConfig, 'details' | 'products' | 'flows' | 'discounts'>

/** Lists all limited resources of a configuration with their capacity; null means counted without a limit. */
export const listCapacities = ({ details, products, flows, discounts }: CapacityConfig): Map<string, number | null> =>
  new Map([
    [EVENT_INVENTORY_KEY, details.capacity],
    ...products.map(({ code, capacity }) => [toProductInventoryKey(code), capacity] as const),
    ...flows.map(({ slug, capacity }) => [toFlowInventoryKey(slug), capacity] as const),
    ...discounts.map(({ code, maxUses }) => [toDiscountInventoryKey(code), maxUses] as const),
  ])

/** A configured capacity that is below the number of held and sold units, and is therefore not applied. */
export interface UnappliedCapacity {
  key: string
  capacity: number
  held: number
  sold: number
}

/**
 * Applies the capacities of a configuration version. A capacity below the held and sold units is not applied but returned. Overage (units
 * sold above capacity by organizers) shrinks when a higher capacity makes room.
 */
export async function applyCapacities(
  { tenantId, event, db }: Pick<EventContext, 'tenantId' | 'event' | 'db'>,
  config: CapacityConfig,
): Promise<UnappliedCapacity[]> {
  const wanted = [...listCapacities(config)].map(([key, capacity]) => ({ key, capacity }))
  const { rows } = await sql<UnappliedCapacity>`
    with wanted as (select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w(key text, capacity integer)),
    kept as (
      insert into inventory as i (tenant_id, event_id, key, capacity)
      select ${tenantId}, ${event.id}, w.key, w.capacity from wanted w order by w.key collate "C"
      on conflict (tenant_id, event_id, key) do update set
        capacity = excluded.capacity,
        overage = case when excluded.capacity is null then 0 else least(i.overage, greatest(0, i.held + i.sold - excluded.capacity)) end
      where i.capacity is distinct from excluded.capacity
        and (excluded.capacity is null or excluded.capacity >= i.held + i.sold or excluded.capacity > i.capacity)
      returning i.key)
    select i.key, w.capacity, i.held, i.sold from inventory i join wanted w on w.key = i.key
    where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.capacity is distinct from w.capacity
      and not exists (select from kept where kept.key = i.key)
    order by i.key`.execute(db)
  return rows
}
