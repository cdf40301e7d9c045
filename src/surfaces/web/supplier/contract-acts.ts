import { createFile } from '../../../domains/files/files.ts'
import { getContract } from '../../../domains/supplier-contracts/contracts.ts'
import { readContractDocument, renderContractPdf } from '../../../domains/supplier-contracts/document.ts'
import { DOCX_TYPE, writeContractDocx } from '../../../domains/supplier-contracts/docx-write.ts'
import type { ClauseEdit } from '../../../domains/supplier-contracts/edits.ts'
import { readUploadedFile } from '../../../domains/supplier-contracts/files.ts'
import { acceptContract, getShownVersion, lockContractForAnswer, readPortalContract } from '../../../domains/supplier-contracts/portal.ts'
import { markRedlinesReceived } from '../../../domains/supplier-contracts/redlines.ts'
import type { DocumentText } from '../../../domains/supplier-contracts/written-text.ts'
import { normalizeWrittenText } from '../../../domains/supplier-contracts/written-text.ts'
import { AppError } from '../../../kernel/errors.ts'
import { commitWithUploads, readFormWithFiles } from '../uploads.ts'
import { type FormValues, readOwnForm, type WebContext, type WebServices } from '../web.ts'
import { type ContractMessage, showContractPage } from './contract-page.tsx'
import { changeAsSupplier, requireSupplierForm, type SupplierSite } from './site.tsx'

const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_NOTE = 2000

const contractOf = (at: SupplierSite): string => at.link.contractId!
const versionOf = (form: FormValues): number => (/^\d{1,6}$/.test(form['version'] ?? '') ? Number(form['version']) : 0)
const noteOf = (form: FormValues): string | undefined => (form['note'] ?? '').trim().slice(0, MAX_NOTE) || undefined

/** Shows the page again with the reason why nothing was sent, and with the typed values. */
const refuse = (web: WebServices, c: WebContext, at: SupplierSite, failed: ContractMessage, typed: FormValues = {}) =>
  showContractPage(web, c, at, { failed, typed: typed as Record<string, string> })

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'conflict' || error.code === 'precondition_failed')

/** Reads the changed clauses of the form and sends them as redlines. Line ends and spaces that only the browser changed do not count. */
export async function sendRedlines(web: WebServices, c: WebContext, at: SupplierSite) {
  const form = requireSupplierForm(await readOwnForm(web, c))
  const { clauses } = await readPortalContract(at.reading, contractOf(at))
  const edits = clauses.flatMap(({ key, text }): ClauseEdit[] => {
    if (form[`remove-${key}`] === 'on') return [{ key, remove: true }]
    const written = form[`text-${key}`]
    if (written === undefined || normalizeWrittenText(written) === normalizeWrittenText(text)) return []
    return normalizeWrittenText(written) === ''
      ? [{ key, remove: true }]
      : [{ key, body: normalizeWrittenText(written).replaceAll('{{', '{ {') }]
  })
  if (edits.length === 0) return refuse(web, c, at, 'unchanged', form)
  if (edits.length === clauses.length && edits.every(({ remove }) => remove)) return refuse(web, c, at, 'unchanged', form)
  try {
    await changeAsSupplier(web, at, 'redline_contract', async (ctx) => {
      await lockContractForAnswer(ctx, contractOf(at), versionOf(form))
      return markRedlinesReceived(ctx, { contractId: contractOf(at), clauses: edits, note: noteOf(form) }, null)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(web, c, at, 'moved', form)
  }
  return c.redirect(`${at.home}?done=sent`, 303)
}

export async function acceptClauses(web: WebServices, c: WebContext, at: SupplierSite) {
  const form = requireSupplierForm(await readOwnForm(web, c))
  try {
    await changeAsSupplier(web, at, 'accept_contract', (ctx) => acceptContract(ctx, contractOf(at), versionOf(form)))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(web, c, at, 'moved')
  }
  return c.redirect(`${at.home}?done=accepted`, 303)
}

/** Reads redlines from an uploaded Word file, which is stored with the contract. */
export async function sendRedlinesFile(web: WebServices, c: WebContext, at: SupplierSite) {
  const { tenantId } = at.site
  const target = { tenantId, purpose: 'contract' as const, accept: [DOCX_TYPE], maxBytes: MAX_FILE_BYTES }
  const { form, files, refused } = requireSupplierForm(await readFormWithFiles(web, c, { document: target }))
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
    await commitWithUploads(web, { tenantId }, files, () =>
      changeAsSupplier(web, at, 'redline_contract', async (ctx) => {
        await lockContractForAnswer(ctx, contractOf(at), versionOf(form))
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

export async function downloadContractPdf(_web: WebServices, c: WebContext, at: SupplierSite) {
  const contract = await getContract(at.reading, contractOf(at))
  const n = await getShownVersion(at.reading, contract)
  return send(c, `${contract.number}-version-${n}.pdf`, 'application/pdf', await renderContractPdf(at.reading, contract, n))
}

export async function downloadContractDocx(_web: WebServices, c: WebContext, at: SupplierSite) {
  const contract = await getContract(at.reading, contractOf(at))
  const n = await getShownVersion(at.reading, contract)
  return send(
    c,
    `${contract.number}-version-${n}.docx`,
    DOCX_TYPE,
    await writeContractDocx(await readContractDocument(at.reading, contract, n)),
  )
}
