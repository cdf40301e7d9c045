import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { computeCost } from '../bids/cost.ts'
import type { ResponseRow } from '../bids/tables.ts'
import { countRooms } from '../briefs/needs.ts'
import type { RfpRow } from '../rfps/tables.ts'
import { quantitiesOf } from './awards.ts'
import type { AwardRow } from './tables.ts'

export const AWARD_WARNINGS = ['notBest', 'knockedOut', 'shortRooms'] as const

interface AwardWarning {
  code: (typeof AWARD_WARNINGS)[number]
  message: string
  responseIds: string[]
}

/** What speaks against an award: a cheaper offer, a response that fails a requirement, too few rooms. */
export const listWarnings = async (
  ctx: EventContext,
  rfp: RfpRow,
  award: AwardRow,
  responses: readonly ResponseRow[],
): Promise<AwardWarning[]> => [
  ...(await findCheaper(ctx, rfp, responses)),
  ...findKnockedOut(rfp, responses),
  ...findShortNights(rfp, award, responses[0]!),
]

/** Compares with the latest responses of the other suppliers in the same currency. */
async function findCheaper(ctx: EventContext, rfp: RfpRow, responses: readonly ResponseRow[]): Promise<AwardWarning[]> {
  const all = await eventDb(ctx)
    .selectFrom('rfp_responses')
    .selectAll()
    .where('rfp_id', '=', rfp.id)
    .where('withdrawn_at', 'is', null)
    .orderBy('round', 'desc')
    .orderBy('id')
    .execute()
  const { currency } = responses[0]!.content
  const netOf = (response: ResponseRow) => computeCost(response.content, quantitiesOf(rfp, response)).net
  const awarded = Math.min(...responses.map(netOf))
  const isLatest = (one: ResponseRow) =>
    all.find((other) => other.recipient_id === one.recipient_id && other.date_option === one.date_option) === one
  const cheaper = all.filter(
    (one) => isLatest(one) && one.content.currency === currency && !responses.some(({ id }) => id === one.id) && netOf(one) < awarded,
  )
  if (cheaper.length === 0) return []
  const responseIds = cheaper.map(({ id }) => id).toSorted()
  return [
    {
      code: 'notBest',
      message: `${cheaper.length === 1 ? '1 other response costs' : `${cheaper.length} other responses cost`} less`,
      responseIds,
    },
  ]
}

function findKnockedOut(rfp: RfpRow, responses: readonly ResponseRow[]): AwardWarning[] {
  const fails = ({ content }: ResponseRow) =>
    rfp.questions.some(({ code, mustBe }) => mustBe !== undefined && content.answers[code] !== mustBe)
  const responseIds = responses.filter(fails).map(({ id }) => id)
  if (responseIds.length === 0) return []
  return [{ code: 'knockedOut', message: 'An answer differs from what the RFP requires', responseIds }]
}

function findShortNights(rfp: RfpRow, { lines }: AwardRow, first: ResponseRow): AwardWarning[] {
  const shares = lines.flatMap(({ share }) => share)
  const roomsOn = (night: string) => shares.filter((one) => one.night === night).reduce((sum, { rooms }) => sum + rooms, 0)
  const short = quantitiesOf(rfp, first).nights.filter((need) => roomsOn(need.night) < countRooms(need))
  if (short.length === 0) return []
  const nights = short.map((need) => `${need.night}: ${roomsOn(need.night)} of ${countRooms(need)}`).join(', ')
  return [{ code: 'shortRooms', message: `Fewer rooms than asked for — ${nights}`, responseIds: lines.map(({ responseId }) => responseId) }]
}
