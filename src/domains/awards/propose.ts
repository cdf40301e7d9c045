import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits, toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { readRfpSnapshot, type RfpSnapshot, createSealedRfpError } from '../bids/responses.ts'
import type { RfpResponseRow } from '../bids/tables.ts'
import { countRoomsOfNight } from '../briefs/needs.ts'
import { readTodayAtEvent } from '../housing/context.ts'
import type { RfpRow } from '../rfps/tables.ts'
import {
  computeAwardLineCost,
  lockAward,
  getRequestedQuantities,
  readAwardedResponses,
  readSupplierNamesById,
  describeAward,
} from './awards.ts'
import { isAboveApprovalLimit } from './approval.ts'
import { compareAwardWithFirstOffers } from './first-offers.ts'
import { AWARD_STATES } from './states.ts'
import type { AwardLine, AwardRow } from './tables.ts'
import { listAwardWarnings } from './warnings.ts'

export interface ProposedAwardLine {
  responseId: string
  share?: readonly { night: string; rooms: number }[] | undefined
}

interface Proposal {
  rfpId?: string | undefined
  lines?: readonly ProposedAwardLine[] | undefined
  rationale?: string | undefined
  awardId?: string | undefined
  withdraw?: boolean | undefined
}

/** Proposes to award an RFP to one response or to split it between several, or withdraws a proposal. Suppliers are not informed. */
export async function proposeAward(ctx: EventContext, { rfpId, lines, rationale, awardId, withdraw = false }: Proposal) {
  if (withdraw || awardId !== undefined) return withdrawAward(ctx, awardId, withdraw)
  const missing = Object.entries({ rfpId, lines, rationale }).flatMap(([path, value]) =>
    value === undefined ? [{ path, message: 'is required' }] : [],
  )
  if (missing.length > 0) throw invalidArguments(missing)
  const rfp = await lockRfp(ctx, rfpId!)
  refuseUndecided(rfp)
  const live = await eventDb(ctx)
    .selectFrom('awards')
    .select(['id', 'status'])
    .where('rfp_id', '=', rfp.id)
    .where('status', 'in', ['proposed', 'executed'])
    .executeTakeFirst()
  if (live)
    throw conflict(
      `${rfp.number} has a${live.status === 'executed' ? 'n executed' : ' proposed'} award already: ${live.id}. Withdraw it first`,
    )
  const responses = await readProposedResponses(ctx, rfp, lines!)
  const shares = responses.map((response, index) => chooseShare(rfp, response, lines![index]!))
  refuseExcessRooms(rfp, responses, shares)
  const awarded: AwardLine[] = responses.map((response, index) => {
    const share = shares[index]!
    return {
      responseId: response.id,
      supplierId: response.supplier_id,
      share,
      gross: computeAwardLineCost(rfp, response, { share }, index).gross,
    }
  })
  const total = sumMinorUnits(awarded.map(({ gross }) => gross))
  const row = await ctx.db
    .insertInto('awards')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      rfp_id: rfp.id,
      lines: JSON.stringify(awarded),
      total,
      currency: responses[0]!.content.currency,
      rationale: rationale!,
      proposed_by: ctx.actor.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'award',
    id: row.id,
    after: { rfp: rfp.number, status: 'proposed', total: toMoney(total, row.currency) },
  })
  return describeProposal(ctx, rfp, row, responses)
}

async function describeProposal(ctx: EventContext, rfp: RfpSnapshot, row: AwardRow, responses: readonly RfpResponseRow[]) {
  const names = await readSupplierNamesById(
    ctx,
    responses.map(({ supplier_id }) => supplier_id),
  )
  return {
    award: describeAward(row, names),
    total: toMoney(row.total, row.currency),
    savings: toMoney((await compareAwardWithFirstOffers(ctx, rfp, row)).savings, row.currency),
    overLimit: await isAboveApprovalLimit(ctx, row),
    warnings: await listAwardWarnings(ctx, rfp, row, responses),
  }
}

async function withdrawAward(ctx: EventContext, awardId: string | undefined, withdraw: boolean) {
  if (awardId === undefined) throw invalidArguments([{ path: 'awardId', message: 'is required with withdraw' }])
  if (!withdraw)
    throw invalidArguments([{ path: 'awardId', message: 'names an award to withdraw: send withdraw true, or leave awardId out' }])
  const row = await changeRecordState(ctx, AWARD_STATES, await lockAward(ctx, awardId), 'withdrawn')
  const responses = await readAwardedResponses(ctx, row.lines)
  return describeProposal(ctx, await readRfpSnapshot(ctx, row.rfp_id), row, responses)
}

async function lockRfp(ctx: EventContext, rfpId: string): Promise<RfpSnapshot> {
  await eventDb(ctx).selectFrom('rfps').select('id').where('id', '=', rfpId).forNoKeyUpdate().execute()
  return readRfpSnapshot(ctx, rfpId)
}

function refuseUndecided(rfp: RfpSnapshot): void {
  if (rfp.status === 'draft') throw preconditionFailed(`${rfp.number} was not distributed yet`)
  if (rfp.status === 'cancelled') throw preconditionFailed(`${rfp.number} is cancelled`)
  if (rfp.isSealed) throw createSealedRfpError(rfp)
}

async function readProposedResponses(ctx: EventContext, rfp: RfpRow, lines: readonly ProposedAwardLine[]): Promise<RfpResponseRow[]> {
  const responses = await readAwardedResponses(ctx, lines)
  const unknown = lines.find((_, index) => responses[index]?.rfp_id !== rfp.id)
  if (unknown) throw notFound(`No response ${unknown.responseId} to ${rfp.number}. List responses with list_rfp_responses`)
  const errors = responses.flatMap((response, index): FieldError[] => {
    const path = `lines.${index}.responseId`
    if (lines.findIndex(({ responseId }) => responseId === response.id) < index) return [{ path, message: 'is given twice' }]
    if (response.content.currency !== responses[0]?.content.currency) return [{ path, message: 'has another currency than the first line' }]
    return []
  })
  if (errors.length > 0) throw invalidArguments(errors)
  await refuseUnavailableRfpResponses(ctx, responses)
  return responses
}

/** Refuses responses that were withdrawn, replaced by the supplier or are no longer valid. The caller has locked the RFP. */
export async function refuseUnavailableRfpResponses(ctx: EventContext, responses: readonly RfpResponseRow[]): Promise<void> {
  const today = await readTodayAtEvent(ctx)
  const replaced = await listReplacedResponses(ctx, responses)
  for (const { id, withdrawn_at, content } of responses) {
    if (withdrawn_at !== null) throw preconditionFailed(`Response ${id} was withdrawn`)
    if (replaced.has(id)) throw preconditionFailed(`Response ${id} was replaced in a later round. List responses with list_rfp_responses`)
    if (content.validUntil !== undefined && content.validUntil < today)
      throw preconditionFailed(`Response ${id} was valid until ${content.validUntil}. Ask the supplier to submit again`)
  }
}

/** Lists the ids of the responses after which the same supplier submitted another one for the same dates. */
async function listReplacedResponses(ctx: EventContext, responses: readonly RfpResponseRow[]): Promise<Set<string>> {
  const rows = await eventDb(ctx)
    .selectFrom('rfp_responses')
    .select(['recipient_id', 'date_option', (eb) => eb.fn.max('round').as('round')])
    .where(
      'recipient_id',
      'in',
      responses.map(({ recipient_id }) => recipient_id),
    )
    .groupBy(['recipient_id', 'date_option'])
    .execute()
  const latestRounds = new Map(rows.map(({ recipient_id, date_option, round }) => [`${recipient_id}/${date_option}`, round]))
  return new Set(
    responses
      .filter(({ recipient_id, date_option, round }) => round < latestRounds.get(`${recipient_id}/${date_option}`)!)
      .map(({ id }) => id),
  )
}

/** Counts the rooms that a response offers, by night. */
function offeredRooms({ content }: RfpResponseRow): Map<string, number> {
  const rooms = new Map<string, number>()
  for (const offer of content.rooms) rooms.set(offer.night, (rooms.get(offer.night) ?? 0) + offer.rooms)
  return rooms
}

/** Returns the rooms per night that the caller awards to this response; by default all offered rooms that the RFP requests. */
function chooseShare(rfp: RfpRow, response: RfpResponseRow, { share }: ProposedAwardLine): AwardLine['share'] {
  if (share) return share.filter(({ rooms }) => rooms > 0).toSorted((a, b) => (a.night < b.night ? -1 : 1))
  const offered = offeredRooms(response)
  return getRequestedQuantities(rfp, response)
    .nights.map((need) => ({ night: need.night, rooms: Math.min(countRoomsOfNight(need), offered.get(need.night) ?? 0) }))
    .filter(({ rooms }) => rooms > 0)
}

/** Throws if more rooms are awarded on a night than the supplier offers or the RFP requests. */
function refuseExcessRooms(rfp: RfpRow, responses: readonly RfpResponseRow[], shares: readonly AwardLine['share'][]): void {
  const taken = new Map<string, number>()
  const errors: FieldError[] = []
  for (const [index, response] of responses.entries()) {
    const offered = offeredRooms(response)
    const asked = new Map(getRequestedQuantities(rfp, response).nights.map((need) => [need.night, countRoomsOfNight(need)]))
    const repeated = new Set<string>()
    for (const { night, rooms } of shares[index]!) {
      const path = `lines.${index}.share`
      if (repeated.has(night)) errors.push({ path, message: `${night} is given twice` })
      repeated.add(night)
      if (rooms > (offered.get(night) ?? 0))
        errors.push({ path, message: `${night}: ${rooms} rooms of ${offered.get(night) ?? 0} offered` })
      const sum = (taken.get(night) ?? 0) + rooms
      taken.set(night, sum)
      if (sum > (asked.get(night) ?? 0)) errors.push({ path, message: `${night}: ${sum} rooms of ${asked.get(night) ?? 0} asked for` })
    }
  }
  if (errors.length > 0) throw invalidArguments(errors)
}
