import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { sendEmail } from '../../kernel/email.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { readRfpEmailSettings } from '../rfps/emails.ts'
import { markRfpAwarded, changeRecipientStatus } from '../rfps/rfps.ts'
import type { RecipientRow, RfpRow } from '../rfps/tables.ts'
import { incrementSupplierHistoryCount } from '../suppliers/suppliers.ts'
import { readSourcingSettings } from '../tenancy/sourcing-settings.ts'
import { refuseUnapprovedAward } from './approval.ts'
import { lockAward, readAwardedResponses, readSupplierNamesById, describeAward } from './awards.ts'
import { awardDeclinedEmail, awardWonEmail } from './emails.ts'
import { refuseUnavailableRfpResponses } from './propose.ts'
import { AWARD_STATES } from './states.ts'
import type { AwardRow } from './tables.ts'

interface Execution {
  awardId: string
  declineReasons?: Readonly<Record<string, string>> | undefined
  /** The reason that is sent to declined suppliers without a reason in `declineReasons`. */
  declineReason?: string | undefined
  discloseWinner: boolean
  keepOpen: boolean
}

/** Makes an award final: emails the suppliers that won and the suppliers that did not. */
export async function executeAward(
  ctx: EventContext,
  { awardId, declineReasons = {}, declineReason, discloseWinner, keepOpen }: Execution,
) {
  const proposed = await lockAward(ctx, awardId)
  AWARD_STATES.move(proposed.status, 'executed')
  await refuseUnapprovedAward(ctx, proposed)
  // Suppliers replace or withdraw responses under the same lock, so the responses are read only after this lock is acquired.
  const rfp = await eventDb(ctx).selectFrom('rfps').selectAll().where('id', '=', proposed.rfp_id).forNoKeyUpdate().executeTakeFirstOrThrow()
  const responses = await readAwardedResponses(ctx, proposed.lines)
  await refuseUnavailableRfpResponses(ctx, responses)
  const recipients = await lockRecipients(ctx, rfp)
  const winners = recipients.filter(({ id }) => responses.some(({ recipient_id }) => recipient_id === id))
  const losers = keepOpen ? [] : recipients.filter((one) => one.status === 'submitted' && !winners.includes(one))
  refuseUnknownReasons(declineReasons, losers)
  const award = await changeRecordState(ctx, AWARD_STATES, proposed, 'executed', {
    columns: { executed_by: ctx.actor.id, executed_at: sql<Date>`lanyard_now()` },
  })
  const names = await readSupplierNamesById(
    ctx,
    recipients.map(({ supplier_id }) => supplier_id),
  )
  for (const winner of winners) await changeRecipientStatus(ctx, winner, 'awarded')
  await incrementSupplierHistoryCount(
    ctx,
    winners.map(({ supplier_id }) => supplier_id),
    'awards',
  )
  const { decliningText = null } = await readSourcingSettings(ctx)
  const winner = discloseWinner ? winners.map(({ supplier_id }) => names.get(supplier_id)).join(', ') : null
  const sending = await readRfpEmailSettings(ctx)
  for (const one of winners) await sendWon(ctx, rfp, award, one, { supplier: names.get(one.supplier_id)!, sending })
  for (const loser of losers) {
    const reason = declineReasons[loser.id] ?? declineReason ?? decliningText
    await changeRecipientStatus(ctx, loser, 'declined', { reason })
    await sendDeclined(ctx, rfp, award, loser, { supplier: names.get(loser.supplier_id)!, reason, winner, sending })
  }
  const moved = await markRfpAwarded(ctx, rfp)
  return {
    award: describeAward(award, names),
    emails: { won: winners.length, declined: losers.length },
    rfp: { id: moved.id, number: moved.number, status: moved.status },
  }
}

const lockRecipients = (ctx: EventContext, { id }: RfpRow): Promise<RecipientRow[]> =>
  eventDb(ctx).selectFrom('rfp_recipients').selectAll().where('rfp_id', '=', id).orderBy('id').forNoKeyUpdate().execute()

function refuseUnknownReasons(reasons: Readonly<Record<string, string>>, losers: readonly RecipientRow[]): void {
  const unknown = Object.keys(reasons).filter((id) => !losers.some((loser) => loser.id === id))
  if (unknown.length === 0) return
  throw invalidArguments(
    unknown.map((id) => ({
      path: `declineReasons.${id}`,
      message: 'is no recipient that this call declines',
      allowed: losers.map((loser) => loser.id),
    })),
  )
}

/** Identifies the email by award and recipient, because suppliers of one chain can share an address and each must get its own email. */
const sourceOf = (award: AwardRow, { id }: RecipientRow) => ({ kind: 'award', id: award.id, recipientKey: id })

const decisionOf = (ctx: EventContext, rfp: RfpRow, supplier: string) => ({
  supplier,
  event: ctx.event.name,
  client: ctx.client.name,
  rfp: rfp.number,
})

const toContact = ({ contact_email, contact_name }: RecipientRow) => ({
  address: contact_email,
  ...(contact_name === null ? {} : { name: contact_name }),
})

type Sending = Awaited<ReturnType<typeof readRfpEmailSettings>>

async function sendWon(
  ctx: EventContext,
  rfp: RfpRow,
  award: AwardRow,
  winner: RecipientRow,
  { supplier, sending }: { supplier: string; sending: Sending },
) {
  const rooms = award.lines
    .filter(({ supplierId }) => supplierId === winner.supplier_id)
    .flatMap(({ share }) => share)
    .reduce((sum, one) => sum + one.rooms, 0)
  ctx.effects.add('recipients', `won ${winner.id}`, { to: winner.contact_email, email: awardWonEmail.code })
  await sendEmail(ctx, awardWonEmail, {
    to: toContact(winner),
    content: { ...decisionOf(ctx, rfp, supplier), rooms },
    source: sourceOf(award, winner),
    ...sending,
  })
}

async function sendDeclined(
  ctx: EventContext,
  rfp: RfpRow,
  award: AwardRow,
  loser: RecipientRow,
  { supplier, reason, winner, sending }: { supplier: string; reason: string | null; winner: string | null; sending: Sending },
) {
  ctx.effects.add('recipients', `declined ${loser.id}`, { to: loser.contact_email, email: awardDeclinedEmail.code })
  await sendEmail(ctx, awardDeclinedEmail, {
    to: toContact(loser),
    content: { ...decisionOf(ctx, rfp, supplier), reason, winner },
    source: sourceOf(award, loser),
    ...sending,
  })
}
