import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { recordRfpTurnDown, type TurnDownReason } from '../rfps/portal.ts'
import { lockRfpOfRecipient, changeRecipientStatus, storeFirstSubmissionTime, requireRfpOpenForSuppliers } from '../rfps/rfps.ts'
import type { SupplierQuestionnaireItem, RfpRow } from '../rfps/tables.ts'
import { incrementSupplierHistoryCount } from '../suppliers/suppliers.ts'
import { ResponseContentShape } from './content.ts'
import { computeOfferCost } from './cost.ts'
import type { RfpResponseContent, RfpResponseRow } from './tables.ts'

export interface NewRfpResponse {
  recipientId: string
  dateOption: number
  content: RfpResponseContent
  /** How the response was entered; `console` if an organizer entered a response that came by email. */
  source: 'portal' | 'console'
}

/**
 * Stores a response for one date option in the current round. An earlier response of the same round is marked as withdrawn and stays
 * readable. The content may be secret until the due time of the RFP, so audit log and webhooks contain only ids.
 */
export async function submitResponse(
  ctx: HousingContext,
  { recipientId, dateOption, content, source }: NewRfpResponse,
): Promise<RfpResponseRow> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  await requireRfpOpenForSuppliers(ctx, rfp)
  if (recipient.status === 'notSent')
    throw preconditionFailed(`${rfp.number} was not sent to this supplier yet. Distribute it with distribute_rfp first.`)
  const errors = findResponseErrors(rfp, dateOption, content)
  if (errors.length > 0) throw invalidArguments(errors)
  const earlier = await readResponsesOfRecipient(ctx, recipientId)
  await withdrawRows(ctx, recipientId, { dateOption, round: rfp.round })
  const row = await ctx.db
    .insertInto('rfp_responses')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      rfp_id: rfp.id,
      recipient_id: recipientId,
      supplier_id: recipient.supplier_id,
      date_option: dateOption,
      round: rfp.round,
      content: JSON.stringify(content),
      total: computeOfferCost(rfp, dateOption, content).net,
      source,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'rfpResponse',
    id: row.id,
    after: { rfpId: rfp.id, supplierId: recipient.supplier_id, dateOption, round: rfp.round, source },
  })
  await changeRecipientStatus(ctx, recipient, 'submitted', { submitted_at: row.submitted_at })
  await storeFirstSubmissionTime(ctx, rfp, row.submitted_at)
  if (earlier.length === 0) await incrementSupplierHistoryCount(ctx, [recipient.supplier_id], 'responses')
  announceToWebhooks(ctx, { kind: 'rfp.response', entity: 'rfpResponse', id: row.id, isTestData: false })
  return row
}

/** Withdraws all responses of a supplier. The supplier can submit another response until the due time. */
export async function withdrawResponse(ctx: HousingContext, recipientId: string): Promise<number> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  await requireRfpOpenForSuppliers(ctx, rfp)
  await changeRecipientStatus(ctx, recipient, 'withdrawn')
  return withdrawRows(ctx, recipientId)
}

/** Declines the RFP for the supplier, and withdraws the responses that it submitted before. */
export async function declineRfp(
  ctx: HousingContext,
  recipientId: string,
  why: { reason: TurnDownReason; message: string },
): Promise<void> {
  await recordRfpTurnDown(ctx, recipientId, why)
  await withdrawRows(ctx, recipientId)
}

/**
 * Reads all responses of one supplier, oldest first. Only for pages of that supplier, because responses may be sealed for everyone else.
 */
export const readResponsesOfRecipient = (ctx: HousingQueryContext, recipientId: string): Promise<RfpResponseRow[]> =>
  eventDb(ctx).selectFrom('rfp_responses').selectAll().where('recipient_id', '=', recipientId).orderBy('id').execute()

async function withdrawRows(
  ctx: HousingQueryContext,
  recipientId: string,
  only: { dateOption: number; round: number } | null = null,
): Promise<number> {
  let rows = eventDb(ctx)
    .updateTable('rfp_responses')
    .set({ withdrawn_at: sql<Date>`lanyard_now()` })
    .where('recipient_id', '=', recipientId)
    .where('withdrawn_at', 'is', null)
  if (only) rows = rows.where('date_option', '=', only.dateOption).where('round', '=', only.round)
  return (await rows.returning('id').execute()).length
}

/** Lists the errors in a supplier's response: invalid fields, nights outside the dates, wrong or missing answers, too short validity. */
export function findResponseErrors(rfp: RfpRow, dateOption: number, content: unknown): FieldError[] {
  const option = rfp.date_options[dateOption]
  if (option === undefined) return [{ path: 'dateOption', message: `must be between 0 and ${rfp.date_options.length - 1}` }]
  const parsed = ResponseContentShape.safeParse(content)
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join('/'), message }))
  const { rooms, answers, validUntil } = parsed.data
  return [
    ...rooms.flatMap(({ night }, index) =>
      night < option.arrival || night >= option.departure
        ? [{ path: `rooms/${index}/night`, message: `must be between ${option.arrival} and the night before ${option.departure}` }]
        : [],
    ),
    ...(validUntil !== undefined && validUntil < rfp.decision_on
      ? [{ path: 'validUntil', message: `must not be before the decision, ${rfp.decision_on}` }]
      : []),
    ...rfp.questions.flatMap((question) => findAnswerError(question, answers[question.code])),
    ...Object.keys(answers)
      .filter((code) => !rfp.questions.some((question) => question.code === code))
      .map((code) => ({ path: `answers/${code}`, message: 'is not a question of this RFP' })),
  ]
}

const ANSWER_TYPES = { text: 'string', choice: 'string', number: 'number', money: 'number', boolean: 'boolean' } as const

function findAnswerError(
  { code, type, required, choices }: SupplierQuestionnaireItem,
  answer: string | number | boolean | undefined,
): FieldError[] {
  const path = `answers/${code}`
  if (answer === undefined || answer === '') return required ? [{ path, message: 'is required' }] : []
  if (typeof answer !== ANSWER_TYPES[type]) return [{ path, message: `must be a ${type}` }]
  return type === 'choice' && !choices!.includes(String(answer)) ? [{ path, message: `must be one of ${choices!.join(', ')}` }] : []
}
