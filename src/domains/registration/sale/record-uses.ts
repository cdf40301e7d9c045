import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'

/** An item of the configuration, such as a product or flow, which stored records may refer to. */
export type ConfigItemReference =
  | { kind: 'customField'; code: string }
  | { kind: 'choice'; field: string; code: string }
  | { kind: 'flow'; code: string }
  | { kind: 'tag'; code: string }
  | { kind: 'product'; code: string }
  | { kind: 'track' | 'format' | 'room'; code: string }

export interface ConfigItemUseCount {
  kind: 'answers' | 'participants' | 'orders' | 'sessions'
  count: number
}

/** Counts the records, without test data, that refer to each configuration item. The result has the order of the arguments. */
export async function countConfigItemUses(ctx: EventContext, named: readonly ConfigItemReference[]): Promise<ConfigItemUseCount[]> {
  if (named.length === 0) return []
  const references = named.map((one) => ({ kind: one.kind, field: one.kind === 'choice' ? one.field : one.code, code: one.code }))
  const { rows } = await sql<{ count: number }>`
    select case when k.kind = 'product' then (
      select count(*)::int from (
        select 1 from order_lines l
        where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.product_code = k.code and not l.is_test_data
        group by l.order_id
        union all
        select 1 from waitlist_entries w
        where w.tenant_id = ${ctx.tenantId} and w.event_id = ${ctx.event.id} and w.target = 'product:' || k.code and not w.is_test_data
          and w.status in ('waiting', 'offered')) used
    ) when k.kind in ('track', 'format', 'room') then (
      select count(*)::int from sessions s
      where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.status <> 'cancelled'
        and k.code = case k.kind when 'track' then s.track_code when 'format' then s.format_code else s.room_code end
    ) else (
      select count(*)::int from participants p
      where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and not p.is_test_data and case k.kind
        when 'customField' then jsonb_exists(p.custom_field_responses, k.code)
        when 'choice' then p.custom_field_responses -> k.field @> to_jsonb(k.code)
        when 'flow' then p.flow_slug = k.code
        else k.code = any(p.manual_tags) or k.code = any(p.directory_tags) end
    ) end as count
    from jsonb_to_recordset(${JSON.stringify(references.map((one, at) => ({ ...one, at })))}::jsonb) as k(at int, kind text, field text, code text)
    order by k.at`.execute(ctx.db)
  return rows.map(({ count }, index) => ({ kind: kindOf(named[index]!), count }))
}

const KINDS: Record<ConfigItemReference['kind'], ConfigItemUseCount['kind']> = {
  customField: 'answers',
  choice: 'answers',
  product: 'orders',
  flow: 'participants',
  tag: 'participants',
  track: 'sessions',
  format: 'sessions',
  room: 'sessions',
}

const kindOf = ({ kind }: ConfigItemReference) => KINDS[kind]
