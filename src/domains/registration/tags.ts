import { sql } from 'kysely'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import type { RegistrationContext } from './event-snapshot.ts'
import { announceParticipantFieldChange } from './announce-participants.ts'

type Gives = Pick<EventConfig, 'flows' | 'products'>

/** Builds a JSON object of the tags that each configuration item adds to participants, by item code; items without tags are left out. */
const toTagsByCode = (items: readonly { key: string; addsTags: readonly string[] }[]) =>
  JSON.stringify(Object.fromEntries(items.filter(({ addsTags }) => addsTags.length > 0).map(({ key, addsTags }) => [key, addsTags])))

interface TagSources {
  manualTags: readonly string[]
  directoryTags: readonly string[]
  groupTags: readonly string[]
  flow: Pick<Flow, 'addsTags'>
  products: readonly { addsTags: readonly string[] }[]
}

/** SQL expression for the tags of a new participant, by the same rule as for existing ones and in the sort order of the database. */
export const buildNewParticipantTagsSql = ({ manualTags, directoryTags, groupTags, flow, products }: TagSources) => {
  const tags = new Set([...manualTags, ...directoryTags, ...groupTags, ...flow.addsTags, ...products.flatMap(({ addsTags }) => addsTags)])
  return sql<string[]>`array(select t from unnest(${[...tags]}::text[]) t order by 1)`
}

/**
 * Recalculates participants' tags from manual and directory tags, the flow, held products and the group: for single participants after a
 * change, and for all participants after `addsTags` was changed in the published configuration. Returns the new tags of participants whose
 * tags changed.
 */
export async function recalculateTags(
  ctx: Pick<RegistrationContext, 'db' | 'tenantId' | 'event' | 'announced'>,
  { flows, products }: Gives,
  ids: readonly string[] | 'all',
): Promise<Map<string, string[]>> {
  const { db, tenantId, event } = ctx
  const flowTags = toTagsByCode(flows.map(({ slug, addsTags }) => ({ key: slug, addsTags })))
  const productTags = toTagsByCode(products.map(({ code, addsTags }) => ({ key: code, addsTags })))
  const { rows } = await sql<{ id: string; is_test_data: boolean; tags: string[] }>`
    update participants p set tags = d.tags
    from (
      select q.id, array(
        select t from unnest(q.manual_tags) t
        union select t from unnest(q.directory_tags) t
        union select t from jsonb_array_elements_text(${flowTags}::jsonb -> q.flow_slug) t
        union select t from managed_groups g, unnest(g.tags) t
          where g.tenant_id = q.tenant_id and g.event_id = q.event_id and g.id = q.group_id
        union select t from (
          select l.product_code from order_lines l
          where l.tenant_id = q.tenant_id and l.event_id = q.event_id and l.participant_id = q.id and jsonb_exists(${productTags}::jsonb, l.product_code)
          group by l.product_code having sum(l.quantity) > 0) held, jsonb_array_elements_text(${productTags}::jsonb -> held.product_code) t
        order by 1) as tags
      from participants q
      where q.tenant_id = ${tenantId} and q.event_id = ${event.id} and ${ids === 'all' ? sql`true` : sql`q.id = any(${ids})`}) d
    where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.id = d.id and p.tags is distinct from d.tags
    returning p.id, p.is_test_data, p.tags`.execute(db)
  // Publishing recalculates all participants' tags. Webhook subscribers get one message about the publication, not one per participant.
  if (ids !== 'all') announceParticipantFieldChange(ctx, rows, 'tags')
  return new Map(rows.map(({ id, tags }) => [id, tags]))
}
