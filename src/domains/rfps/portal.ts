import { sql } from 'kysely'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { conflict } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { EventScope } from '../housing/context.ts'
import { sendRfpEmail } from './emails.ts'
import { getRecipient, getRfp, lockRecipient, moveRecipient, requireOpen } from './rfps.ts'
import { RECIPIENT_STATES } from './states.ts'
import type { RecipientRow } from './tables.ts'

/** Why suppliers turn an RFP down, as the organizer reads it. */
export const TURN_DOWN_REASONS = {
  full: 'We are full on these dates',
  fit: 'Our rooms or space do not fit',
  other: 'Another reason',
} as const
export type TurnDownReason = keyof typeof TURN_DOWN_REASONS

/** A person reads the request on the supplier's page. */
export async function recordOpened(ctx: EventScope, recipientId: string): Promise<void> {
  const { recipient } = await lockRecipient(ctx, recipientId)
  if (recipient.status === 'sent') await moveRecipient(ctx, recipient, 'opened', { opened_at: await getDatabaseTime(ctx) })
}

/** The supplier confirms that the request arrived. A second confirmation changes nothing. */
export async function acknowledge(ctx: EventScope, recipientId: string): Promise<void> {
  const { rfp, recipient } = await lockRecipient(ctx, recipientId)
  await requireOpen(ctx, rfp)
  if (RECIPIENT_STATES.can(recipient.status, 'acknowledged') && recipient.status !== 'turnedDown')
    await moveRecipient(ctx, recipient, 'acknowledged')
}

/** The supplier makes no offer. Returns the recipient; offers that were sent before are withdrawn by the caller. */
export async function turnDown(
  ctx: EventScope,
  recipientId: string,
  { reason, message }: { reason: TurnDownReason; message: string },
): Promise<RecipientRow> {
  const { rfp, recipient } = await lockRecipient(ctx, recipientId)
  await requireOpen(ctx, rfp)
  const text = [TURN_DOWN_REASONS[reason], message].filter(Boolean).join('. ')
  return moveRecipient(ctx, recipient, 'turnedDown', { reason: text })
}

/** The supplier takes part after all. */
export async function takeBack(ctx: EventScope, recipientId: string): Promise<void> {
  const { rfp, recipient } = await lockRecipient(ctx, recipientId)
  await requireOpen(ctx, rfp)
  await moveRecipient(ctx, recipient, 'acknowledged', { reason: null })
}

/** What a supplier typed so far for one date option. It is stored as typed, so that wrong values are not lost. */
export interface OfferDraft {
  values: Record<string, string>
  files: string[]
  savedAt: string
}

export const findDraft = ({ draft }: RecipientRow, dateOption: number): OfferDraft | null =>
  (draft[String(dateOption)] as OfferDraft | undefined) ?? null

/** Saves a draft and returns the recipient. The content is sealed like a response, so nothing of it goes to the audit log. */
export async function saveDraft(
  ctx: EventScope,
  recipientId: string,
  { dateOption, values, files }: { dateOption: number; values: Record<string, string>; files: readonly string[] },
): Promise<RecipientRow> {
  const { rfp, recipient } = await lockRecipient(ctx, recipientId)
  const now = await requireOpen(ctx, rfp)
  if (rfp.date_options[dateOption] === undefined) throw conflict(`${rfp.number} has no date option ${dateOption}`)
  const draft: OfferDraft = { values, files: [...files], savedAt: now.toISOString() }
  await eventDb(ctx)
    .updateTable('rfp_recipients')
    .set({ draft: sql<string>`draft || ${JSON.stringify({ [dateOption]: draft })}::jsonb` })
    .where('id', '=', recipientId)
    .execute()
  const started: readonly RecipientRow['status'][] = ['sent', 'opened', 'acknowledged']
  return started.includes(recipient.status) ? moveRecipient(ctx, recipient, 'inProgress') : getRecipient(ctx, recipientId)
}

/** Emails a fresh link to the address on record, unless the RFP was cancelled. */
export async function sendFreshLink(ctx: EventScope, recipientId: string): Promise<void> {
  const recipient = await getRecipient(ctx, recipientId)
  const rfp = await getRfp(ctx, recipient.rfp_id)
  if (rfp.status === 'cancelled' || recipient.status === 'notSent') return
  const now = await getDatabaseTime(ctx)
  await sendRfpEmail(ctx, rfp, recipient, { news: { kind: 'link' }, occasion: `link ${now.toISOString()}` })
}
