import { getDatabaseTime } from '../../kernel/database-time.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { editRecord } from '../../kernel/records.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { HousingContext } from '../housing/context.ts'
import { readRfpEmailSettings, sendRfpEmail } from './emails.ts'
import { RFP_RECORD } from './record.ts'
import { ACTIVE_RECIPIENT_STATES, listRecipients, lockRfp } from './rfps.ts'
import { RFP_STATES } from './states.ts'
import type { RfpRow } from './tables.ts'
import { validateRfpDeadlines, type RfpDeadlines } from './times.ts'

/** Cancels an RFP and emails the reason to all recipients who take part. Returns the number of these recipients. */
export async function cancelRfp(ctx: HousingContext, rfpId: string, reason: string): Promise<number> {
  const rfp = await lockRfp(ctx, rfpId)
  const award = await eventDb(ctx)
    .selectFrom('awards')
    .select('id')
    .where('rfp_id', '=', rfpId)
    .where('status', '=', 'proposed')
    .executeTakeFirst()
  if (award) throw conflict(`An award of ${rfp.number} is proposed. Withdraw it with propose_award before cancelling the RFP.`)
  const cancelled = await changeRecordState(ctx, RFP_STATES, rfp, 'cancelled', {
    columns: { cancelled_reason: reason },
    audited: { reason },
  })
  const setting = await readRfpEmailSettings(ctx)
  const recipients = (await listRecipients(ctx, rfpId)).filter(
    ({ status }) => ACTIVE_RECIPIENT_STATES.includes(status) || status === 'noResponse',
  )
  for (const recipient of recipients)
    await sendRfpEmail(ctx, cancelled, recipient, { news: { kind: 'cancelled', reason }, occasion: 'cancelled' }, setting)
  return recipients.length
}

/** Edits the title and times of an RFP draft. */
export async function editRfp(ctx: HousingContext, rfpId: string, edit: RfpDeadlines & { title: string }): Promise<RfpRow> {
  const rfp = await lockRfp(ctx, rfpId)
  if (rfp.status !== 'draft') throw preconditionFailed(`${rfp.number} is ${rfp.status}. Only a draft can be edited.`)
  validateRfpDeadlines(edit, await getDatabaseTime(ctx), ctx.event.timezone)
  return (await editRecord(ctx, RFP_RECORD, rfp, edit)).row
}
