import { notFound } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { computeTotalCost, type RfpQuantities, getRfpQuantitiesForDates, type TotalCost } from '../bids/cost.ts'
import type { RfpResponseRow } from '../bids/tables.ts'
import { countRoomsOfNight } from '../briefs/needs.ts'
import type { HousingQueryContext } from '../housing/context.ts'
import type { RfpRow } from '../rfps/tables.ts'
import type { AwardLine, AwardRow } from './tables.ts'

const unknownAward = (awardId: string) => notFound(`No award ${awardId} at this event. list_rfps with the rfpId shows the award of an RFP`)

export async function lockAward(ctx: HousingQueryContext, awardId: string): Promise<AwardRow> {
  const row = await eventDb(ctx).selectFrom('awards').selectAll().where('id', '=', awardId).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw unknownAward(awardId)
  return row
}

/**
 * Throws if the award (the decision for one or more suppliers) belongs to another RFP. Used by pages whose URL contains the id of the RFP.
 */
export async function requireAwardOfRfp(ctx: HousingQueryContext, rfpId: string, awardId: string): Promise<string> {
  const row = await eventDb(ctx).selectFrom('awards').select('id').where('id', '=', awardId).where('rfp_id', '=', rfpId).executeTakeFirst()
  if (!row) throw notFound(`No award ${awardId} of this RFP`)
  return row.id
}

export const getRfpOfAward = (ctx: HousingQueryContext, { rfp_id }: Pick<AwardRow, 'rfp_id'>): Promise<RfpRow> =>
  eventDb(ctx).selectFrom('rfps').selectAll().where('id', '=', rfp_id).executeTakeFirstOrThrow()

/** Reads the supplier responses that the lines of an award accept, in the order of the lines. */
export async function readAwardedResponses(
  ctx: HousingQueryContext,
  lines: readonly Pick<AwardLine, 'responseId'>[],
): Promise<RfpResponseRow[]> {
  const rows = await eventDb(ctx)
    .selectFrom('rfp_responses')
    .selectAll()
    .where(
      'id',
      'in',
      lines.map(({ responseId }) => responseId),
    )
    .execute()
  return lines.map(({ responseId }) => rows.find(({ id }) => id === responseId)!)
}

export async function readSupplierNamesById(
  ctx: HousingQueryContext & { client: { id: string } },
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('suppliers')
    .select(['id', 'name'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('client_id', '=', ctx.client.id)
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export const getDateOptionOfResponse = (
  { date_options }: Pick<RfpRow, 'date_options'>,
  { date_option }: Pick<RfpResponseRow, 'date_option'>,
) => date_options[date_option] ?? date_options[0]!

/** Returns the quantities that an RFP requests, at the dates of a response. */
export const getRequestedQuantities = (
  rfp: Pick<RfpRow, 'requirements' | 'date_options'>,
  response: Pick<RfpResponseRow, 'date_option'>,
): RfpQuantities => getRfpQuantitiesForDates(rfp.requirements, rfp.date_options[0]!, getDateOptionOfResponse(rfp, response))

/**
 * Returns the quantities of one award line, with the rooms that the line awards. If an award has several lines, the event takes place at
 * the hotel of the first line, which also serves all meals; the other hotels only have rooms for guests.
 */
export function getAwardLineQuantities(
  rfp: RfpRow,
  response: RfpResponseRow,
  { share }: Pick<AwardLine, 'share'>,
  index: number,
): RfpQuantities {
  const { nights, meals, attendees } = getRequestedQuantities(rfp, response)
  const rooms = new Map(share.map((one) => [one.night, one.rooms]))
  const scaled = nights.flatMap((need) => {
    const wanted = rooms.get(need.night) ?? 0
    if (wanted === 0) return []
    return wanted === countRoomsOfNight(need) ? [need] : [{ night: need.night, single: wanted }]
  })
  return { nights: scaled, meals: index === 0 ? meals : [], attendees }
}

/** Calculates the cost of one award line. Only the first line includes space, food and equipment. */
export function computeAwardLineCost(rfp: RfpRow, response: RfpResponseRow, line: Pick<AwardLine, 'share'>, index: number): TotalCost {
  const { content } = response
  const priced = index === 0 ? content : { ...content, rental: 0, fbMinimum: 0, avEstimate: 0 }
  return computeTotalCost(priced, getAwardLineQuantities(rfp, response, line, index))
}

export const describeAward = (award: AwardRow, names: ReadonlyMap<string, string>) =>
  omitNulls({
    id: award.id,
    rfpId: award.rfp_id,
    status: award.status,
    total: toMoney(award.total, award.currency),
    lines: award.lines.map(({ responseId, supplierId, share, gross }) => ({
      responseId,
      supplierId,
      supplier: names.get(supplierId) ?? supplierId,
      share,
      rooms: share.reduce((sum, { rooms }) => sum + rooms, 0),
      gross: toMoney(gross, award.currency),
    })),
    rationale: award.rationale,
    proposedBy: award.proposed_by,
    executedBy: award.executed_by,
    executedAt: award.executed_at === null ? null : formatInstant(award.executed_at),
    revision: award.revision,
  })
