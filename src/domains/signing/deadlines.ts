import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { lockSupplierContract } from '../supplier-contracts/contracts.ts'
import { scheduleDocuSignStatusRead } from './docusign.ts'
import { sendSigningLink } from './emails.ts'
import { endEnvelope } from './end.ts'
import { getEnvelope, isLiveEnvelope, listNextSigners, listSigners, lockEnvelope } from './envelopes.ts'
import { formatEnvelopeExpiryDay } from './send.ts'
import { addSigningStep } from './steps.ts'
import type { EnvelopeRow } from './tables.ts'

const DAY_MS = 86_400_000
const LAST_REMINDER_DAYS = 2

/**
 * Lists the times of reminders: after half of the signing period, and two days before its end. Short periods have only the first reminder.
 */
export function listReminderTimes({ created_at, expires_at }: Pick<EnvelopeRow, 'created_at' | 'expires_at'>): Date[] {
  const half = new Date((created_at.getTime() + expires_at.getTime()) / 2)
  const last = new Date(expires_at.getTime() - LAST_REMINDER_DAYS * DAY_MS)
  return last > half ? [half, last] : [half]
}

/** Reminds signers and expires envelopes whose signing period has ended. */
export const processEnvelopeDeadlines: RecurringTask = {
  name: 'signature_envelopes',
  schedule: { everySeconds: 300 },
  async run({ transact, commitEach }) {
    const live = await transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string; envelopeId: string }>`
        select tenant_id as "tenantId", event_id as "eventId", id as "envelopeId" from signature_envelopes
        where status in ('created', 'sent', 'delivered') and (expires_at <= lanyard_now() or (provider = 'embedded'
          and (reminded = 0 and lanyard_now() >= created_at + (expires_at - created_at) / 2
            or reminded < 2 and lanyard_now() >= expires_at - make_interval(days => ${LAST_REMINDER_DAYS})
              and expires_at - created_at > make_interval(days => ${2 * LAST_REMINDER_DAYS}))))
        order by 1, 2, 3`.execute(db)
      return rows
    })
    await commitEach(live, (ctx, { envelopeId }) => watchEnvelope(ctx, envelopeId))
    return { envelopes: live.length }
  },
}

async function watchEnvelope(ctx: EventContext, envelopeId: string): Promise<void> {
  const { contract_id } = await getEnvelope(ctx, envelopeId)
  const contract = await lockSupplierContract(ctx, contract_id)
  const envelope = await lockEnvelope(ctx, envelopeId)
  const now = await getDatabaseTime(ctx)
  if (!isLiveEnvelope(envelope)) return
  if (envelope.expires_at <= now) {
    // DocuSign expires its envelopes itself.
    if (envelope.provider === 'docusign' && envelope.provider_ref !== null) await scheduleDocuSignStatusRead(ctx, envelope.id)
    else await endEnvelope(ctx, { contract, envelope }, { how: 'expired', name: 'Lanyard', reason: '' })
    return
  }
  const due = listReminderTimes(envelope).filter((time) => time <= now).length
  if (due <= envelope.reminded) return
  await eventDb(ctx).updateTable('signature_envelopes').set({ reminded: due }).where('id', '=', envelope.id).execute()
  for (const signer of listNextSigners(await listSigners(ctx, envelope.id))) {
    const letter = { envelope, signer, number: contract.number }
    if (await sendSigningLink(ctx, letter, { day: formatEnvelopeExpiryDay(ctx, envelope), reminder: due }))
      await addSigningStep(ctx, envelope.id, { step: 'reminded', actor: signer.email })
  }
}
