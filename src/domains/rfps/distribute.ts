import { recordChange } from '../../kernel/audit.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { chooseTranslator } from '../../kernel/language/translator.ts'
import { eventDb, tenantDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { getFile } from '../files/files.ts'
import type { HousingContext } from '../housing/context.ts'
import { incrementSupplierHistoryCount } from '../suppliers/suppliers.ts'
import { readRfpEmailSettings, rfpEmail, sendRfpEmail } from './emails.ts'
import { renderRfpPdf } from './pdf.ts'
import {
  describeWhyRfpClosed,
  isOpenForSuppliers,
  listRecipients,
  lockRfp,
  changeRecipientStatus,
  readInvitedSupplierNames,
} from './rfps.ts'
import { RFP_STATES } from './states.ts'
import type { RecipientRow, RfpRow } from './tables.ts'

export interface DistributeRfpRequest {
  rfpId: string
  recipientIds?: readonly string[] | undefined
  message?: string | undefined
}

export const DISTRIBUTION_SKIP_REASONS = ['already_sent', 'blocked'] as const

interface SkippedRecipient {
  recipientId: string
  supplierId: string
  reason: (typeof DISTRIBUTION_SKIP_REASONS)[number]
}

/**
 * Sends an RFP to the recipients who do not have it yet, and begins the next round. Also returns a sample of the email with a placeholder
 * as the link.
 */
export async function distributeRfp(ctx: HousingContext, { rfpId, recipientIds, message }: DistributeRfpRequest) {
  const rfp = await lockRfp(ctx, rfpId)
  const now = await getDatabaseTime(ctx)
  if (!isOpenForSuppliers({ ...rfp, status: rfp.status === 'draft' ? 'distributed' : rfp.status }, now))
    throw preconditionFailed(
      `${rfp.number} cannot be distributed: it is ${now >= rfp.response_due_at && rfp.status === 'draft' ? 'past its due time' : describeWhyRfpClosed(rfp, now)}`,
    )
  const { chosen, skipped } = await chooseRecipients(ctx, rfp, recipientIds)
  const started = await beginRound(ctx, rfp, now)
  const setting = await readRfpEmailSettings(ctx)
  const words = chooseTranslator(setting.locale)
  const pdf = await renderRfpPdf(ctx, rfp, words)
  const names = await readInvitedSupplierNames(ctx, rfpId)
  const files = await listFileNames(ctx, rfp)
  for (const recipient of chosen) {
    await changeRecipientStatus(ctx, recipient, 'sent', { sent_at: now })
    const news = { kind: 'request' as const, supplier: names.get(recipient.supplier_id)!, message, files }
    await sendRfpEmail(ctx, started, recipient, { news, occasion: `request ${started.round}`, attachments: [pdf] }, setting)
  }
  await incrementSupplierHistoryCount(
    ctx,
    chosen.filter(({ sent_at }) => sent_at === null).map(({ supplier_id }) => supplier_id),
    'rfps',
  )
  const supplier = names.get((chosen[0] ?? (await listRecipients(ctx, rfpId))[0]!).supplier_id)!
  const { subject, html } = rfpEmail.render(
    { rfp: started, event: ctx.event, client: ctx.client.name, path: '/supplier/…', news: { kind: 'request', supplier, message, files } },
    { words, baseUrl: ctx.baseUrl },
  )
  return {
    queued: chosen.length,
    skipped,
    status: started.status,
    round: started.round,
    subject,
    html: html!,
    pdf: { name: pdf.name, size: pdf.content.length, base64: pdf.content.toString('base64') },
  }
}

/** Lists the names of the organizer's files, which suppliers download on their page. */
async function listFileNames(ctx: HousingContext, { attachments }: RfpRow): Promise<string[]> {
  const files = await Promise.all(attachments.map((fileId) => getFile(ctx, { fileId, clientId: ctx.client.id })))
  return files.map(({ name }) => name)
}

async function beginRound(ctx: HousingContext, rfp: RfpRow, now: Date): Promise<RfpRow> {
  const round = rfp.round + 1
  if (rfp.status === 'draft')
    return changeRecordState(ctx, RFP_STATES, rfp, 'distributed', { columns: { round, distributed_at: now }, audited: { round } })
  recordChange(ctx, { kind: 'rfp', id: rfp.id, before: { round: rfp.round }, after: { round } })
  return eventDb(ctx).updateTable('rfps').set({ round }).where('id', '=', rfp.id).returningAll().executeTakeFirstOrThrow()
}

/** Selects the recipients who do not have the RFP, and named recipients whose email bounced. Other recipients are skipped. */
async function chooseRecipients(ctx: HousingContext, rfp: RfpRow, ids: readonly string[] | undefined) {
  const all = await listRecipients(ctx, rfp.id)
  if (all.length === 0)
    throw preconditionFailed(
      `${rfp.number} has no recipients. Find suppliers with search_suppliers and add them with add_rfp_recipient first.`,
      {
        fix: { tool: 'search_suppliers', arguments: {}, here: true },
      },
    )
  const unknown = ids?.find((id) => !all.some((one) => one.id === id))
  if (unknown !== undefined) throw notFound(`No recipient ${unknown} of ${rfp.number}. Use list_rfps with the rfpId to see them.`)
  const named = ids === undefined ? all : all.filter(({ id }) => ids.includes(id))
  const blocked = await listBlocked(
    ctx,
    named.map(({ supplier_id }) => supplier_id),
  )
  const chosen: RecipientRow[] = []
  const skipped: SkippedRecipient[] = []
  for (const recipient of named) {
    const isDue = recipient.status === 'notSent' || (ids !== undefined && recipient.status === 'bounced')
    if (isDue && !blocked.has(recipient.supplier_id)) chosen.push(recipient)
    else skipped.push({ recipientId: recipient.id, supplierId: recipient.supplier_id, reason: isDue ? 'blocked' : 'already_sent' })
  }
  return { chosen, skipped }
}

async function listBlocked(ctx: HousingContext, supplierIds: readonly string[]): Promise<Set<string>> {
  const rows = await tenantDb(ctx)
    .selectFrom('suppliers')
    .select('id')
    .where('client_id', '=', ctx.client.id)
    .where('status', '=', 'blocked')
    .where('id', 'in', [...supplierIds])
    .execute()
  return new Set(rows.map(({ id }) => id))
}
