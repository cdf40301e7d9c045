import { recordRfpOpened } from '../../../domains/rfps/portal.ts'
import { getRecipient } from '../../../domains/rfps/rfps.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { hasCookies, type WebContext, type WebServices } from '../web.ts'
import {
  submitRfpAcknowledgement,
  downloadRfpPdf,
  saveOffer,
  answerRfpQuestion,
  sendNewSupplierLink,
  askRfpQuestion,
  undoDecline,
  declineRequest,
  submitOfferWithdrawal,
} from './acts.ts'
import { acceptClauses, downloadContractDocx, downloadContractPdf, sendRedlines, sendRedlinesFile } from './contract-acts.ts'
import { showContractPage } from './contract-page.tsx'
import { readOfferView, showOfferPage } from './offer-page.tsx'
import { showRequestPage } from './request-page.tsx'
import { runSupplierChange, withSupplierAccess, SUPPLIER_PATH, type SupplierPageContext } from './site.tsx'

type Page = (web: WebServices, c: WebContext, at: SupplierPageContext) => Promise<Response>

/**
 * Marks an RFP as opened by the supplier when a browser sends the cookie that an earlier page has set. Scanners of mail servers fetch the
 * links of an email without cookies, so they do not count as readers.
 */
async function noteReader(web: WebServices, c: WebContext, at: SupplierPageContext): Promise<void> {
  if (!hasCookies(web, c)) return
  const { id, status } = await getRecipient(at.reading, at.link.rfpRecipientId!)
  if (status === 'sent') await runSupplierChange(web, at, 'open_rfp', (ctx) => recordRfpOpened(ctx, id))
}

/** `/supplier/<token>`: the pages of a supplier. A link opens one RFP or one contract. */
export function supplierPages(web: WebServices) {
  /** Shows the page only if the link is for an RFP. If the link is for a contract, responds with 404. */
  const ofRfp = (page: Page) =>
    withSupplierAccess(web, async (c, at) => {
      if (at.link.rfpRecipientId === null) return sendNotFoundPage(web, c)
      await noteReader(web, c, at)
      return page(web, c, at)
    })
  /** Shows the page only if the link is for a contract. If the link is for an RFP, responds with 404. */
  const ofContract = (page: Page) =>
    withSupplierAccess(web, async (c, at) => (at.link.contractId === null ? sendNotFoundPage(web, c) : page(web, c, at)))
  return createEventRouter(web)
    .get(
      SUPPLIER_PATH,
      withSupplierAccess(web, async (c, at) => {
        if (at.link.contractId !== null) return showContractPage(web, c, at)
        await noteReader(web, c, at)
        return showRequestPage(web, c, at)
      }),
    )
    .get(`${SUPPLIER_PATH}/contract.pdf`, ofContract(downloadContractPdf))
    .get(`${SUPPLIER_PATH}/contract.docx`, ofContract(downloadContractDocx))
    .post(`${SUPPLIER_PATH}/redlines`, ofContract(sendRedlines))
    .post(`${SUPPLIER_PATH}/redlines-file`, ofContract(sendRedlinesFile))
    .post(`${SUPPLIER_PATH}/accept`, ofContract(acceptClauses))
    .get(`${SUPPLIER_PATH}/request.pdf`, ofRfp(downloadRfpPdf))
    .get(
      `${SUPPLIER_PATH}/offer`,
      ofRfp(async (_web, c, at) => showOfferPage(_web, c, await readOfferView(at, c))),
    )
    .post(`${SUPPLIER_PATH}/offer`, ofRfp(saveOffer))
    .post(`${SUPPLIER_PATH}/acknowledge`, ofRfp(submitRfpAcknowledgement))
    .post(`${SUPPLIER_PATH}/ask`, ofRfp(askRfpQuestion))
    .post(`${SUPPLIER_PATH}/answer`, ofRfp(answerRfpQuestion))
    .post(`${SUPPLIER_PATH}/turn-down`, ofRfp(declineRequest))
    .post(`${SUPPLIER_PATH}/take-back`, ofRfp(undoDecline))
    .post(`${SUPPLIER_PATH}/withdraw`, ofRfp(submitOfferWithdrawal))
    .post(
      `${SUPPLIER_PATH}/link`,
      withSupplierAccess(web, (c, at) => sendNewSupplierLink(web, c, at)),
    )
}
