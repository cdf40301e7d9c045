import { type RawBuilder, sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import type { ExhibitorContext } from '../context.ts'

interface LeadMove {
  fromCompanyId: string
  toCompanyId: string
  isTestData: boolean
  /** Id of the only lead to move; if omitted, all leads of the company move. */
  leadId?: string
}

/**
 * Moves leads with their captures to another company. If both companies have a lead about a participant, the lead of the other company
 * stays: it gets the captures of both, and the values of the moved lead for its own empty fields. Returns the joined leads, by the id of
 * the deleted one.
 */
export async function moveLeads(
  ctx: ExhibitorContext,
  { fromCompanyId, toCompanyId, isTestData, leadId }: LeadMove,
): Promise<Map<string, string>> {
  const at = (alias: string) => sql`${sql.raw(alias)}.tenant_id = ${ctx.tenantId} and ${sql.raw(alias)}.event_id = ${ctx.event.id}`
  const moved = leadId === undefined ? sql`true` : sql`d.id = ${leadId}`
  const run = <Row>(query: RawBuilder<Row>) => query.execute(ctx.db)
  // Leads are locked in the order in which scans lock them, so that a scan waits instead of writing to a lead that will be deleted.
  await run(sql`select d.id from leads d where ${at('d')} and (d.company_id = ${toCompanyId} or (d.company_id = ${fromCompanyId} and ${moved}))
    and (${leadId === undefined} or d.participant_id = (select x.participant_id from leads x where ${at('x')} and x.id = ${leadId ?? null}))
    order by d.participant_id, d.company_id for update`)
  const { rows } = await run(
    sql<{
      gone: string
      kept: string
    }>`select d.id as gone, k.id as kept from leads d join leads k on ${at('k')} and k.company_id = ${toCompanyId}
      and k.participant_id = d.participant_id where ${at('d')} and d.company_id = ${fromCompanyId} and ${moved}`,
  )
  const [gone, kept] = [rows.map((row) => row.gone), rows.map((row) => row.kept)]
  const pairs = sql`unnest(${gone}::text[], ${kept}::text[]) as pair (gone, kept)`
  // If both companies have a scan with the same nonce (sent twice by a device), only the receiving company's scan keeps the nonce.
  await run(sql`update lead_captures d set nonce = null where ${at('d')} and d.company_id = ${fromCompanyId}
    and (${leadId ?? null}::text is null or d.lead_id = ${leadId ?? null})
    and exists (select from lead_captures k where ${at('k')} and k.company_id = ${toCompanyId} and k.nonce = d.nonce)`)
  await run(sql`update leads k set
      rating = coalesce(k.rating, d.rating),
      notes = case when k.notes is null or d.notes is null or k.notes = d.notes then coalesce(k.notes, d.notes) else k.notes || E'\n' || d.notes end,
      tags = k.tags || array(select t from unnest(d.tags) as t where t <> all(k.tags)),
      qualifiers = d.qualifiers || k.qualifiers,
      source = case when d.created_at < k.created_at then d.source else k.source end,
      status = case when d.status = 'active' then 'active' else k.status end
    from ${pairs} join leads d on ${at('d')} and d.id = pair.gone where ${at('k')} and k.id = pair.kept`)
  await run(
    sql`update lead_captures c set lead_id = pair.kept, company_id = ${toCompanyId} from ${pairs} where ${at('c')} and c.lead_id = pair.gone`,
  )
  await run(sql`delete from leads d where ${at('d')} and d.id = any(${gone})`)
  const moves = await run(
    sql<{ id: string }>`update leads d set company_id = ${toCompanyId}, staff_id = (select s.id from exhibitor_staff s
      where ${at('s')} and s.id = d.staff_id and s.company_id = ${toCompanyId})
    where ${at('d')} and d.company_id = ${fromCompanyId} and ${moved} returning d.id`,
  )
  const updated = (id: string, changed: readonly string[]) =>
    announceToWebhooks(ctx, { kind: 'lead.updated', entity: 'lead', id, changed, isTestData })
  for (const { id } of moves.rows) updated(id, ['companyId'])
  for (const id of kept) updated(id, JOINED_FIELDS)
  for (const id of gone) announceRemovedLead(ctx, id, isTestData)
  return new Map(rows.map((row) => [row.gone, row.kept]))
}

const JOINED_FIELDS = ['source', 'captures', 'firstCapturedAt', 'lastCapturedAt', 'rating', 'notes', 'tags', 'qualifiers']

/** There is no webhook kind for a deleted lead, so it is announced as `lead.updated` without the record. */
export const announceRemovedLead = (ctx: ExhibitorContext, id: string, isTestData: boolean): void =>
  announceToWebhooks(ctx, { kind: 'lead.updated', entity: 'lead', id, removed: true, isTestData })
