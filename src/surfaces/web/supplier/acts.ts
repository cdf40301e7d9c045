import { submitResponse, declineRfp, withdrawResponse } from '../../../domains/bids/submit.ts'
import { createFile } from '../../../domains/files/files.ts'
import { renderRfpPdf } from '../../../domains/rfps/pdf.ts'
import { acknowledgeRfp, saveOfferDraft, sendFreshRfpLink, undoRfpTurnDown } from '../../../domains/rfps/portal.ts'
import { postSupplierAnswer, postSupplierQuestion } from '../../../domains/rfps/questions.ts'
import { sendFreshContractLink } from '../../../domains/supplier-contracts/send.ts'
import type { HousingContext } from '../../../domains/housing/context.ts'
import { createPendingAuditEntry } from '../../../kernel/audit.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { commitThenDeleteUnusedUploads, type FormWithFiles, readFormWithFiles } from '../uploads.ts'
import { type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { listOfferFields } from './offer-fields.ts'
import { type OfferView, readOfferView, showOfferPage } from './offer-page.tsx'
import { parseOfferForm } from './offer-values.ts'
import { showRequestPage } from './request-page.tsx'
import { readRfpView } from './rfp.ts'
import { runSupplierChange, requireSameOriginForm, showEndedLinkPage, type SupplierPageContext } from './site.tsx'
import { isDeclineReason } from './turn-down.tsx'

const MAX_TEXT = 4000

const back = (c: WebContext, at: SupplierPageContext, done: string) => c.redirect(`${at.home}?done=${done}`, 303)

const recipientOf = (at: SupplierPageContext): string => at.link.rfpRecipientId!

/** Shows the RFP again with one error and the typed values. */
const refuse = (web: WebServices, c: WebContext, at: SupplierPageContext, sent: FormValues, error: FieldError) =>
  showRequestPage(web, c, at, { message: at.site.words.say('error.summary'), errors: [error], sent })

export async function submitRfpAcknowledgement(web: WebServices, c: WebContext, at: SupplierPageContext) {
  requireSameOriginForm(await readSameOriginForm(web, c))
  await runSupplierChange(web, at, 'acknowledge_rfp', (ctx) => acknowledgeRfp(ctx, recipientOf(at)))
  return back(c, at, 'acknowledged')
}

export async function askRfpQuestion(web: WebServices, c: WebContext, at: SupplierPageContext) {
  const form = requireSameOriginForm(await readSameOriginForm(web, c))
  const body = (form['ask'] ?? '').trim()
  if (body === '' || body.length > MAX_TEXT)
    return refuse(web, c, at, form, { path: 'ask', message: at.site.words.say('supplier.askEmpty') })
  await runSupplierChange(web, at, 'ask_about_rfp', (ctx) => postSupplierQuestion(ctx, recipientOf(at), body))
  return back(c, at, 'asked')
}

export async function answerRfpQuestion(web: WebServices, c: WebContext, at: SupplierPageContext) {
  const form = requireSameOriginForm(await readSameOriginForm(web, c))
  const question = form['question'] ?? ''
  const body = (form[`answer-${question}`] ?? '').trim()
  if (body === '' || body.length > MAX_TEXT)
    return refuse(web, c, at, form, { path: `answer-${question}`, message: at.site.words.say('supplier.answerEmpty') })
  await runSupplierChange(web, at, 'answer_rfp_question', (ctx) => postSupplierAnswer(ctx, recipientOf(at), question, body))
  return back(c, at, 'answered')
}

export async function declineRequest(web: WebServices, c: WebContext, at: SupplierPageContext) {
  const form = requireSameOriginForm(await readSameOriginForm(web, c))
  const reason = form['why']
  if (!isDeclineReason(reason)) return refuse(web, c, at, form, { path: 'why-full', message: at.site.words.say('supplier.whyNeeded') })
  const message = (form['message'] ?? '').trim().slice(0, MAX_TEXT)
  await runSupplierChange(web, at, 'turn_down_rfp', (ctx) => declineRfp(ctx, recipientOf(at), { reason, message }))
  return back(c, at, 'turnedDown')
}

export async function undoDecline(web: WebServices, c: WebContext, at: SupplierPageContext) {
  requireSameOriginForm(await readSameOriginForm(web, c))
  await runSupplierChange(web, at, 'rejoin_rfp', (ctx) => undoRfpTurnDown(ctx, recipientOf(at)))
  return back(c, at, 'takenBack')
}

export async function submitOfferWithdrawal(web: WebServices, c: WebContext, at: SupplierPageContext) {
  requireSameOriginForm(await readSameOriginForm(web, c))
  await runSupplierChange(web, at, 'withdraw_rfp_response', (ctx) => withdrawResponse(ctx, recipientOf(at)))
  return back(c, at, 'withdrawn')
}

export async function sendNewSupplierLink(web: WebServices, c: WebContext, at: SupplierPageContext) {
  requireSameOriginForm(await readSameOriginForm(web, c))
  const { contractId } = at.link
  await runSupplierChange(web, at, 'send_supplier_link', (ctx) =>
    contractId === null ? sendFreshRfpLink(ctx, recipientOf(at)) : sendFreshContractLink(ctx, contractId),
  )
  return showEndedLinkPage(web, c, at, true)
}

export async function downloadRfpPdf(_web: WebServices, c: WebContext, at: SupplierPageContext) {
  const { rfp } = await readRfpView(at)
  const { name, mime, content } = await renderRfpPdf(at.reading, rfp, at.site.words)
  return c.body(new Uint8Array(content), 200, {
    'content-type': mime,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  })
}

const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_FILES = 10

/** Saves the typed offer whichever button was pressed, so that nothing is lost; then sends the offer if the send button was pressed. */
export async function saveOffer(web: WebServices, c: WebContext, at: SupplierPageContext) {
  const { tenantId } = at.site
  const target = {
    tenantId,
    purpose: 'answer' as const,
    accept: ['application/pdf', 'image/jpeg', 'image/png'],
    maxBytes: MAX_FILE_BYTES,
    maxFiles: MAX_FILES,
  }
  const { form, files, refused } = requireSameOriginForm(await readFormWithFiles(web, c, { files: target }))
  const view = await readOfferView(at, c)
  if (!view.isOpen) return showOfferPage(web, c, view)
  const values = Object.fromEntries(
    listOfferFields(view.form).map(({ name, kind }) => [name, (form[name] ?? '').slice(0, kind === 'longText' ? MAX_TEXT : 200)]),
  )
  const fileIds = await storeDraft(web, at, view, values, files)
  const { content, errors } = parseOfferForm(view.form, values, view.rfp, at.site.words)
  const all = [...refused.map(({ message }) => ({ path: 'files', message })), ...errors]
  const path = `${at.home}/offer?dates=${view.dateOption}`
  if (form['do'] !== 'send' && refused.length === 0) return c.redirect(path, 303)
  if (all.length > 0) {
    const saved = await readOfferView(at, c)
    return showOfferPage(web, c, { ...saved, errors: all })
  }
  await runSupplierChange(web, at, 'submit_rfp_response', (ctx) =>
    submitResponse(ctx, {
      recipientId: recipientOf(at),
      dateOption: view.dateOption,
      content: { ...content, files: fileIds },
      source: 'portal',
    }),
  )
  return back(c, at, 'submitted')
}

/** Stores the draft of an offer with its files. The names of the files are encrypted too, so they do not reach the audit log. */
async function storeDraft(
  web: WebServices,
  at: SupplierPageContext,
  { dateOption, draft }: OfferView,
  values: Record<string, string>,
  files: FormWithFiles['files'],
): Promise<string[]> {
  const sealed = (ctx: HousingContext) => ({ ...ctx, audit: createPendingAuditEntry() })
  const { fileIds } = await commitThenDeleteUnusedUploads(web, { tenantId: at.site.tenantId }, files, () =>
    runSupplierChange(web, at, 'save_rfp_draft', async (ctx) => {
      const stored = []
      for (const { upload } of files)
        stored.push(
          await createFile(sealed(ctx), upload, {
            clientId: ctx.client.id,
            eventId: ctx.event.id,
            owner: { kind: 'rfpRecipient', id: recipientOf(at) },
          }),
        )
      const ids = [...(draft?.files ?? []), ...stored.map(({ id }) => id)].slice(-MAX_FILES)
      await saveOfferDraft(ctx, recipientOf(at), { dateOption, values, files: ids })
      return { fileIds: ids, deletedFiles: [] }
    }),
  )
  return fileIds
}
