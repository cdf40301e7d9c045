import { readResponsesOfRecipient } from '../../../domains/bids/submit.ts'
import type { RfpResponseRow } from '../../../domains/bids/tables.ts'
import { getFile } from '../../../domains/files/files.ts'
import { createFileLinkBuilder } from '../../../domains/files/links.ts'
import { listQuestionsForSupplier, type QuestionForSupplier } from '../../../domains/rfps/questions.ts'
import { getRecipient, getRfp, isOpenForSuppliers, readInvitedSupplierNames } from '../../../domains/rfps/rfps.ts'
import type { RecipientRow, RfpRow } from '../../../domains/rfps/tables.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import type { SupplierPageContext } from './site.tsx'

/** An RFP as one supplier sees it. */
export interface RfpView {
  at: SupplierPageContext
  rfp: RfpRow
  recipient: RecipientRow
  supplier: string
  questions: QuestionForSupplier[]
  /** The supplier's own responses, oldest first. */
  responses: RfpResponseRow[]
  /** Files of the organizer with links that work for an hour. */
  attachments: { name: string; url: string }[]
  /** Whether the supplier can still respond to the RFP. */
  isOpen: boolean
}

const ATTACHMENT_LINK_SECONDS = 3600

async function listAttachments({ reading }: SupplierPageContext, { attachments }: RfpRow): Promise<RfpView['attachments']> {
  if (attachments.length === 0) return []
  const linkOf = await createFileLinkBuilder(reading, ATTACHMENT_LINK_SECONDS)
  const files = await Promise.all(attachments.map((fileId) => getFile(reading, { fileId, clientId: reading.client.id })))
  return files.map((file) => ({ name: file.name, url: linkOf(file) }))
}

export async function readRfpView(at: SupplierPageContext): Promise<RfpView> {
  const recipient = await getRecipient(at.reading, at.link.rfpRecipientId!)
  const rfp = await getRfp(at.reading, recipient.rfp_id)
  const names = await readInvitedSupplierNames(at.reading, rfp.id)
  return {
    at,
    rfp,
    recipient,
    supplier: names.get(recipient.supplier_id) ?? '',
    questions: await listQuestionsForSupplier(at.reading, recipient),
    responses: await readResponsesOfRecipient(at.reading, recipient.id),
    attachments: await listAttachments(at, rfp),
    isOpen: isOpenForSuppliers(rfp, at.site.facts.now),
  }
}

/** Finds the valid response for a date option, which is that of the latest round. */
export const findCurrentResponse = ({ responses }: RfpView, dateOption: number): RfpResponseRow | null =>
  responses.findLast(({ date_option, withdrawn_at }) => date_option === dateOption && withdrawn_at === null) ?? null

export const formatMinorUnits = (at: SupplierPageContext, minor: number, currency: string): string =>
  formatMoney(at.site.words.locale, toMoney(minor, currency))
