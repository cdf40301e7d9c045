import type { EventContext } from '../../kernel/context.ts'
import { type ComparableResponse, readUnsealedResponses, type RfpSnapshot } from '../bids/responses.ts'
import { listDisqualifyingQuestions } from '../bids/score.ts'
import { scoreComparableResponses } from '../bids/scores.ts'
import type { RfpResponseRow } from '../bids/tables.ts'
import { countRoomsOfNight } from '../briefs/needs.ts'
import type { RfpRow } from '../rfps/tables.ts'
import { getRequestedQuantities } from './awards.ts'
import type { AwardRow } from './tables.ts'

export const AWARD_WARNINGS = ['notBest', 'knockedOut', 'shortRooms'] as const

interface AwardWarning {
  code: (typeof AWARD_WARNINGS)[number]
  message: string
  responseIds: string[]
}

/** Lists the warnings about an award: a cheaper offer, a response that fails a requirement, too few rooms. */
export async function listAwardWarnings(
  ctx: EventContext,
  rfp: RfpSnapshot,
  award: AwardRow,
  responses: readonly RfpResponseRow[],
): Promise<AwardWarning[]> {
  const open = await readUnsealedResponses(ctx, rfp)
  return [
    ...findCheaper(open, responses),
    ...(await findKnockedOut(ctx, rfp, open, responses)),
    ...findShortNights(rfp, award, responses[0]!),
  ]
}

/** Finds cheaper current responses of other suppliers in the same currency. */
function findCheaper(open: readonly ComparableResponse[], responses: readonly RfpResponseRow[]): AwardWarning[] {
  const isAwarded = ({ id }: ComparableResponse) => responses.some((response) => response.id === id)
  const { currency } = responses[0]!.content
  const lowest = Math.min(...open.filter(isAwarded).map(({ cost }) => cost.net))
  const cheaper = open.filter((one) => !isAwarded(one) && one.content.currency === currency && one.cost.net < lowest)
  if (cheaper.length === 0) return []
  return [
    {
      code: 'notBest',
      message: cheaper.length === 1 ? '1 other response costs less' : `${cheaper.length} other responses cost less`,
      responseIds: cheaper.map(({ id }) => id),
    },
  ]
}

/**
 * Finds awarded responses that fail a requirement: by the rubric if responses can be scored in one currency, otherwise by the required
 * answers alone.
 */
async function findKnockedOut(
  ctx: EventContext,
  rfp: RfpSnapshot,
  open: readonly ComparableResponse[],
  responses: readonly RfpResponseRow[],
) {
  const canScore = rfp.rubric !== null && open.every(({ content }) => content.currency === rfp.currency)
  const scores = canScore && open.length > 0 ? await scoreComparableResponses(ctx, rfp) : null
  const fails = ({ id, content }: RfpResponseRow) =>
    scores?.find((one) => one.responseId === id)?.knockedOut ?? listDisqualifyingQuestions(rfp.questions, content.answers).length > 0
  const responseIds = responses.filter(fails).map(({ id }) => id)
  return responseIds.length === 0
    ? []
    : [{ code: 'knockedOut' as const, message: 'It fails what the RFP or its rubric requires', responseIds }]
}

function findShortNights(rfp: RfpRow, { lines }: AwardRow, first: RfpResponseRow): AwardWarning[] {
  const shares = lines.flatMap(({ share }) => share)
  const roomsOn = (night: string) => shares.filter((one) => one.night === night).reduce((sum, { rooms }) => sum + rooms, 0)
  const short = getRequestedQuantities(rfp, first).nights.filter((need) => roomsOn(need.night) < countRoomsOfNight(need))
  if (short.length === 0) return []
  const nights = short.map((need) => `${need.night}: ${roomsOn(need.night)} of ${countRoomsOfNight(need)}`).join(', ')
  return [{ code: 'shortRooms', message: `Fewer rooms than asked for — ${nights}`, responseIds: lines.map(({ responseId }) => responseId) }]
}
