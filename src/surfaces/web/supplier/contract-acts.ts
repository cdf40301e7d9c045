import { createFile } from '../../../domains/files/files.ts'
import { getContract } from '../../../domains/supplier-contracts/contracts.ts'
import { readContractDocument, renderContractPdf } from '../../../domains/supplier-contracts/document.ts'
import { DOCX_MIME_TYPE, writeContractDocx } from '../../../domains/supplier-contracts/docx-write.ts'
import type { ClauseEdit } from '../../../domains/supplier-contracts/edits.ts'
import { readUploadedFile } from '../../../domains/supplier-contracts/files.ts'
import {
  acceptContractAsSupplier,
  getDownloadableVersionNumber,
  lockContractForSupplierAnswer,
  readPortalContract,
} from '../../../domains/supplier-contracts/portal.ts'
import { markRedlinesReceived } from '../../../domains/supplier-contracts/redlines.ts'
import type { DocumentText } from '../../../domains/supplier-contracts/written-text.ts'
import { normalizeTypography } from '../../../domains/supplier-contracts/written-text.ts'
import { AppError } from '../../../kernel/errors.ts'
import { commitThenDeleteUnusedUploads, readFormWithFiles } from '../uploads.ts'
import { type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { type ContractPageMessage, showContractPage } from './contract-page.tsx'
import { runSupplierChange, requireSameOriginForm, type SupplierPageContext } from './site.tsx'

const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_NOTE = 2000

const contractOf = (at: SupplierPageContext): string => at.link.contractId!
const versionOf = (form: FormValues): number => (/^\d{1,6}$/.test(form['version'] ?? '') ? Number(form['version']) : 0)
const noteOf = (form: FormValues): string | undefined => (form['note'] ?? '').trim().slice(0, MAX_NOTE) || undefined

/** Shows the page again with the reason why nothing was sent, and with the typed values. */
const refuse = (web: WebServices, c: WebContext, at: SupplierPageContext, failed: ContractPageMessage, typed: FormValues = {}) =>
  showContractPage(web, c, at, { failed, typed: typed as Record<string, string> })

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'conflict' || error.code === 'precondition_failed')

/** Reads the changed clauses of the form and sends them as redlines. Line ends and spaces that only the browser changed do not count. */
export async function sendRedlines(web: WebServices, c: WebContext, at: SupplierPageContext) {
  const form = requireSameOriginForm(await readSameOriginForm(web, c))
  const { clauses } = await readPortalContract(at.reading, contractOf(at))
  const edits = clauses.flatMap(({ key, text }): ClauseEdit[] => {
    if (form[`remove-${key}`] === 'on') return [{ key, remove: true }]
    const written = form[`text-${key}`]
    if (written === undefined || normalizeTypography(written) === normalizeTypography(text)) return []
    return normalizeTypography(written) === ''
      ? [{ key, remove: true }]
      : [{ key, body: normalizeTypography(written).replaceAll('{{', '{ {') }]
  })
  if (edits.length === 0) return refuse(web, c, at, 'unchanged', form)
  if (edits.length === clauses.length && edits.every(({ remove }) => remove)) return refuse(web, c, at, 'unchanged', form)
  try {
    await runSupplierChange(web, at, 'redline_contract', async (ctx) => {
      await lockContractForSupplierAnswer(ctx, contractOf(at), versionOf(form))
      return markRedlinesReceived(ctx, { contractId: contractOf(at), clauses: edits, note: noteOf(form) }, null)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(web, c, at, 'moved', form)
  }
  return c.redirect(`${at.home}?done=sent`, 303)
}

export async function acceptClauses(web: WebServices, c: WebContext, at: SupplierPageContext) {
  const form = requireSameOriginForm(await readSameOriginForm(web, c))
  try {
    await runSupplierChange(web, at, 'accept_contract', (ctx) => acceptContractAsSupplier(ctx, contractOf(at), versionOf(form)))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(web, c, at, 'moved')
  }
  return c.redirect(`${at.home}?done=accepted`, 303)
}

/** Reads redlines from an uploaded Word file, which is stored with the contract. */
export async function sendRedlinesFile(web: WebServices, c: WebContext, at: SupplierPageContext) {
  const { tenantId } = at.site
  const target = { tenantId, purpose: 'contract' as const, accept: [DOCX_MIME_TYPE], maxBytes: MAX_FILE_BYTES }
  const { form, files, refused } = requireSameOriginForm(await readFormWithFiles(web, c, { document: target }))
  const upload = files[0]?.upload
  if (!upload || refused.length > 0) return refuse(web, c, at, 'unreadable')
  let written: DocumentText
  try {
    written = await readUploadedFile(web.services.files, upload)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(web, c, at, 'unreadable')
  }
  try {
    await commitThenDeleteUnusedUploads(web, { tenantId }, files, () =>
      runSupplierChange(web, at, 'redline_contract', async (ctx) => {
        await lockContractForSupplierAnswer(ctx, contractOf(at), versionOf(form))
        await createFile(ctx, upload, { clientId: ctx.client.id, eventId: ctx.event.id, owner: { kind: 'contract', id: contractOf(at) } })
        await markRedlinesReceived(ctx, { contractId: contractOf(at) }, written)
        return { deletedFiles: [] }
      }),
    )
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(web, c, at, 'moved')
  }
  return c.redirect(`${at.home}?done=sent`, 303)
}

const send = (c: WebContext, name: string, mime: string, content: Buffer) =>
  c.body(new Uint8Array(content), 200, {
    'content-type': mime,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  })

export async function downloadContractPdf(_web: WebServices, c: WebContext, at: SupplierPageContext) {
  const contract = await getContract(at.reading, contractOf(at))
  const n = await getDownloadableVersionNumber(at.reading, contract)
  return send(c, `${contract.number}-version-${n}.pdf`, 'application/pdf', await renderContractPdf(at.reading, contract, n))
}

export async function downloadContractDocx(_web: WebServices, c: WebContext, at: SupplierPageContext) {
  const contract = await getContract(at.reading, contractOf(at))
  const n = await getDownloadableVersionNumber(at.reading, contract)
  return send(
    c,
    `${contract.number}-version-${n}.docx`,
    DOCX_MIME_TYPE,
    await writeContractDocx(await readContractDocument(at.reading, contract, n)),
  )
}
