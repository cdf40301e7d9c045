import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { HousingContext } from '../housing/context.ts'
import { readRfpEmailSettings, sendRfpEmail } from './emails.ts'
import { listRecipients, lockRfp, changeRecipientStatus, PENDING_RECIPIENT_STATES } from './rfps.ts'
import { RFP_STATES } from './states.ts'
import type { RecipientRow, RfpRow } from './tables.ts'

const REMINDER_DAYS = [3, 1] as const
const DAY_MS = 86_400_000
const UNANSWERED: readonly RecipientRow['status'][] = [...PENDING_RECIPIENT_STATES, 'bounced']

/** Reminds suppliers 3 days and 1 day before the due time, and closes RFPs whose due time has passed. Each step happens once. */
export const processRfpDeadlines: RecurringTask = {
  name: 'rfp_deadlines',
  schedule: { everySeconds: 30 },
  async run({ transact, commitEach }) {
    const due = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; rfpId: string }>`
        select tenant_id as "tenantId", event_id as "eventId", id as "rfpId" from rfps
        where status = 'distributed' and response_due_at <= lanyard_now() + make_interval(days => ${REMINDER_DAYS[0]})
          and (response_due_at <= lanyard_now() or not reminded @> case
            when response_due_at <= lanyard_now() + make_interval(days => 1) then array['3', '1'] else array['3'] end)
        order by 1, 2, 3`.execute(db)
      return rows
    })
    await commitEach(due, async (ctx, { rfpId }) => {
      const rfp = await lockRfp(ctx, rfpId)
      if (rfp.status !== 'distributed') return
      const now = await getDatabaseTime(ctx)
      if (now >= rfp.response_due_at) await closeRfp(ctx, rfp)
      else await remind(ctx, rfp, now)
    })
    return { rfps: due.length }
  },
}

/** Closes an RFP whose due time has passed, and marks suppliers without a response. */
async function closeRfp(ctx: HousingContext, rfp: RfpRow): Promise<void> {
  for (const recipient of await listRecipients(ctx, rfp.id))
    if (UNANSWERED.includes(recipient.status)) await changeRecipientStatus(ctx, recipient, 'noResponse')
  await changeRecordState(ctx, RFP_STATES, rfp, 'closed')
}

/** Sends the latest due reminder to suppliers who had the RFP by the time of the reminder. Earlier reminders are skipped. */
async function remind(ctx: HousingContext, rfp: RfpRow, now: Date): Promise<void> {
  const timeOf = (days: number) => new Date(rfp.response_due_at.getTime() - days * DAY_MS)
  const due = REMINDER_DAYS.filter((days) => timeOf(days) <= now && !rfp.reminded.includes(String(days)))
  const days = due.at(-1)
  if (days === undefined) return
  const reminded = [...rfp.reminded, ...due.map(String)]
  await eventDb(ctx).updateTable('rfps').set({ reminded }).where('id', '=', rfp.id).execute()
  recordChange(ctx, { kind: 'rfp', id: rfp.id, before: { reminded: rfp.reminded }, after: { reminded } })
  const setting = await readRfpEmailSettings(ctx)
  for (const recipient of await listRecipients(ctx, rfp.id))
    if (
      (PENDING_RECIPIENT_STATES as readonly string[]).includes(recipient.status) &&
      recipient.sent_at !== null &&
      recipient.sent_at < timeOf(days)
    )
      await sendRfpEmail(ctx, rfp, recipient, { news: { kind: 'reminder' }, occasion: `reminder ${days}` }, setting)
}
