import { eventDb } from '../../kernel/scoped-db.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { paginateList } from '../../kernel/page.ts'
import { toMoney } from '../../kernel/money.ts'
import { formatInstant } from '../../kernel/time.ts'
import {
  type InvitedSupplier,
  type ComparableResponse,
  listInvitedSuppliers,
  readUnsealedResponses,
  readRfpSnapshot,
  type RfpSnapshot,
  createSealedRfpError,
} from './responses.ts'
import { listUnansweredRequiredQuestions } from './risks.ts'
import { scoreComparableResponses } from './scores.ts'
import { listDisqualifyingQuestions, type ScoredOffer } from './score.ts'
import type { RfpResponseContent } from './tables.ts'

interface ListRequest {
  rfpId: string
  responseId?: string | undefined
  allRounds?: boolean | undefined
  limit: number
  cursor?: string | undefined
}

/** The statuses of suppliers who have responded. */
const RESPONDED: readonly InvitedSupplier['status'][] = ['submitted', 'declined', 'awarded']

/** Lists the responses to an RFP. Until the due time, a sealed RFP shows only suppliers and their status. */
export async function listResponses(ctx: EventContext, { rfpId, responseId, allRounds = false, ...paging }: ListRequest) {
  const rfp = await readRfpSnapshot(ctx, rfpId)
  const asked = await listInvitedSuppliers(ctx, rfp)
  const supplierOf = ({ supplierId, name }: InvitedSupplier) => ({ id: supplierId, name })
  if (responseId !== undefined) await checkReadable(ctx, rfp, responseId)
  const pending = asked.filter((one) => !RESPONDED.includes(one.status)).map((one) => ({ supplier: supplierOf(one), status: one.status }))
  const rows = rfp.isSealed
    ? asked.filter(({ status }) => RESPONDED.includes(status)).map((one) => ({ supplier: supplierOf(one), status: one.status }))
    : await describeResponses(ctx, rfp, asked, { responseId, allRounds })
  const page = paginateList(ctx, paging, {
    rows,
    shape: (row) => row,
    pin: rfp.id,
    moved: 'this cursor belongs to another RFP. Start again without a cursor',
  })
  const { items: responses, ...rest } = page
  return {
    sealed: rfp.isSealed,
    ...(rfp.isSealed ? { opensAt: formatInstant(rfp.response_due_at) } : {}),
    responses,
    pending,
    ...rest,
  }
}

async function checkReadable(ctx: EventContext, rfp: RfpSnapshot, responseId: string): Promise<void> {
  const row = await eventDb(ctx)
    .selectFrom('rfp_responses')
    .select('id')
    .where('rfp_id', '=', rfp.id)
    .where('id', '=', responseId)
    .executeTakeFirst()
  if (!row) throw notFound(`No response ${responseId} to ${rfp.number}. Call list_rfp_responses without responseId to list them`)
  if (rfp.isSealed) throw createSealedRfpError(rfp)
}

interface DescribeRequest {
  responseId: string | undefined
  allRounds: boolean
}

async function describeResponses(
  ctx: EventContext,
  rfp: RfpSnapshot,
  asked: readonly InvitedSupplier[],
  { responseId, allRounds }: DescribeRequest,
) {
  const found = await readUnsealedResponses(ctx, rfp, { allRounds: allRounds || responseId !== undefined })
  const scores = await readScoresIfPossible(ctx, rfp)
  return found
    .filter(({ id }) => responseId === undefined || id === responseId)
    .map((response) => ({
      ...describeResponse(
        rfp,
        response,
        scores.find((one) => one.responseId === response.id),
      ),
      status: asked.find(({ recipientId }) => recipientId === response.recipientId)!.status,
      ...(responseId === undefined ? {} : { content: toFullResponse(response.content) }),
    }))
}

/**
 * Reads the scores of responses; null if they cannot be calculated, because exchange rates or responses are missing. The list is useful
 * without scores.
 */
async function readScoresIfPossible(ctx: EventContext, rfp: RfpSnapshot): Promise<ScoredOffer[]> {
  try {
    return (await scoreComparableResponses(ctx, rfp)) ?? []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return []
  }
}

function describeResponse(rfp: RfpSnapshot, response: ComparableResponse, scored: ScoredOffer | undefined) {
  const { content, cost, supplierId, supplier } = response
  return {
    id: response.id,
    supplier: { id: supplierId, name: supplier.name },
    dateOption: response.dateOption,
    round: response.round,
    submittedAt: formatInstant(response.submittedAt),
    total: toMoney(cost.net, content.currency),
    gross: toMoney(cost.gross, content.currency),
    validUntil: content.validUntil ?? null,
    missing: [
      ...listUnansweredRequiredQuestions(rfp, response).map((code) => `answer:${code}`),
      ...cost.unpriced.map((meal) => `price:${meal}`),
      ...cost.short.map(({ night }) => `rooms:${night}`),
      ...(content.validUntil === undefined ? ['validUntil'] : []),
    ],
    mustHavesFailed: scored?.failed ?? listDisqualifyingQuestions(rfp.questions, content.answers).map((code) => `question:${code}`),
  }
}

/** Converts the amounts of a stored response to money with a currency. */
function toFullResponse(content: RfpResponseContent) {
  const money = (minor: number) => toMoney(minor, content.currency)
  const optional = (minor: number | undefined) => (minor === undefined ? undefined : money(minor))
  return {
    ...content,
    rooms: content.rooms.map(({ rates, ...room }) => ({
      ...room,
      rates: Object.fromEntries(Object.entries(rates).map(([people, rate]) => [people, money(rate as number)])),
    })),
    feePerNight: money(content.feePerNight),
    rental: money(content.rental),
    otherFees: content.otherFees.map((fee) => ({ ...fee, amount: money(fee.amount) })),
    fbMinimum: money(content.fbMinimum),
    menu: content.menu.map((meal) => ({ ...meal, price: money(meal.price) })),
    avEstimate: money(content.avEstimate),
    concessions: content.concessions.map((one) => ({ ...one, value: optional(one.value) })),
    deposits: content.deposits.map((one) => ({ ...one, amount: optional(one.amount) })),
  }
}
