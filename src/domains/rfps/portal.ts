import { sql } from 'kysely'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { conflict } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingContext } from '../housing/context.ts'
import { sendRfpEmail } from './emails.ts'
import { getRecipient, getRfp, lockRfpOfRecipient, changeRecipientStatus, requireRfpOpenForSuppliers } from './rfps.ts'
import { RECIPIENT_STATES } from './states.ts'
import type { RecipientRow } from './tables.ts'

/** The reasons for which suppliers turn an RFP down, as shown to the organizer. */
export const TURN_DOWN_REASONS = {
  full: 'We are full on these dates',
  fit: 'Our rooms or space do not fit',
  other: 'Another reason',
} as const
export type TurnDownReason = keyof typeof TURN_DOWN_REASONS

/** Records that a person opened the RFP on the supplier's page. */
export async function recordRfpOpened(ctx: HousingContext, recipientId: string): Promise<void> {
  const { recipient } = await lockRfpOfRecipient(ctx, recipientId)
  if (recipient.status === 'sent') await changeRecipientStatus(ctx, recipient, 'opened', { opened_at: await getDatabaseTime(ctx) })
}

/** Records that the supplier confirmed the receipt of the RFP. A second confirmation changes nothing. */
export async function acknowledgeRfp(ctx: HousingContext, recipientId: string): Promise<void> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  await requireRfpOpenForSuppliers(ctx, rfp)
  if (RECIPIENT_STATES.can(recipient.status, 'acknowledged') && recipient.status !== 'turnedDown')
    await changeRecipientStatus(ctx, recipient, 'acknowledged')
}

/** Records that the supplier turns the RFP down. Returns the recipient; the caller withdraws offers that were sent before. */
export async function recordRfpTurnDown(
  ctx: HousingContext,
  recipientId: string,
  { reason, message }: { reason: TurnDownReason; message: string },
): Promise<RecipientRow> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  await requireRfpOpenForSuppliers(ctx, rfp)
  const text = [TURN_DOWN_REASONS[reason], message].filter(Boolean).join('. ')
  return changeRecipientStatus(ctx, recipient, 'turnedDown', { reason: text })
}

/** Records that the supplier takes part after having turned the RFP down. */
export async function undoRfpTurnDown(ctx: HousingContext, recipientId: string): Promise<void> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  await requireRfpOpenForSuppliers(ctx, rfp)
  await changeRecipientStatus(ctx, recipient, 'acknowledged', { reason: null })
}

/** The supplier's unsent offer for one date option, stored as typed, so that invalid values are not lost. */
export interface OfferDraft {
  values: Record<string, string>
  files: string[]
  savedAt: string
}

export const findOfferDraft = ({ draft }: RecipientRow, dateOption: number): OfferDraft | null =>
  (draft[String(dateOption)] as OfferDraft | undefined) ?? null

/**
 * Saves the draft of an offer and returns the recipient. The audit log does not contain drafts, because they may be secret until the due
 * time.
 */
export async function saveOfferDraft(
  ctx: HousingContext,
  recipientId: string,
  { dateOption, values, files }: { dateOption: number; values: Record<string, string>; files: readonly string[] },
): Promise<RecipientRow> {
  const { rfp, recipient } = await lockRfpOfRecipient(ctx, recipientId)
  const now = await requireRfpOpenForSuppliers(ctx, rfp)
  if (rfp.date_options[dateOption] === undefined) throw conflict(`${rfp.number} has no date option ${dateOption}`)
  const draft: OfferDraft = { values, files: [...files], savedAt: now.toISOString() }
  await eventDb(ctx)
    .updateTable('rfp_recipients')
    .set({ draft: sql<string>`draft || ${JSON.stringify({ [dateOption]: draft })}::jsonb` })
    .where('id', '=', recipientId)
    .execute()
  const started: readonly RecipientRow['status'][] = ['sent', 'opened', 'acknowledged']
  return started.includes(recipient.status) ? changeRecipientStatus(ctx, recipient, 'inProgress') : getRecipient(ctx, recipientId)
}

/** Emails a new link to the supplier's stored address, unless the RFP was cancelled. */
export async function sendFreshRfpLink(ctx: HousingContext, recipientId: string): Promise<void> {
  const recipient = await getRecipient(ctx, recipientId)
  const rfp = await getRfp(ctx, recipient.rfp_id)
  if (rfp.status === 'cancelled' || recipient.status === 'notSent') return
  const now = await getDatabaseTime(ctx)
  await sendRfpEmail(ctx, rfp, recipient, { news: { kind: 'link' }, occasion: `link ${now.toISOString()}` })
}
