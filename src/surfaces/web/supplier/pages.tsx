import { recordOpened } from '../../../domains/rfps/portal.ts'
import { getRecipient } from '../../../domains/rfps/rfps.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { newEventRouter } from '../event/event-layout.tsx'
import { hasCookies, type WebContext, type WebServices } from '../web.ts'
import {
  acknowledgeRequest,
  downloadRfpPdf,
  saveOffer,
  sendAnswer,
  sendNewLink,
  sendQuestion,
  undoDecline,
  declineRequest,
  submitOfferWithdrawal,
} from './acts.ts'
import { acceptClauses, downloadContractDocx, downloadContractPdf, sendRedlines, sendRedlinesFile } from './contract-acts.ts'
import { showContractPage } from './contract-page.tsx'
import { readOfferView, showOfferPage } from './offer-page.tsx'
import { showRequestPage } from './request-page.tsx'
import { changeAsSupplier, admitSupplier, SUPPLIER_PATH, type SupplierSite } from './site.tsx'

type Page = (web: WebServices, c: WebContext, at: SupplierSite) => Promise<Response>

/**
 * Marks an RFP as opened by the supplier when a browser sends the cookie that an earlier page has set. Scanners of mail servers fetch the
 * links of an email without cookies, so they do not count as readers.
 */
async function noteReader(web: WebServices, c: WebContext, at: SupplierSite): Promise<void> {
  if (!hasCookies(web, c)) return
  const { id, status } = await getRecipient(at.reading, at.link.rfpRecipientId!)
  if (status === 'sent') await changeAsSupplier(web, at, 'open_rfp', (ctx) => recordOpened(ctx, id))
}

/** `/supplier/<token>`: the pages of a supplier. A link opens one RFP or one contract. */
export function supplierPages(web: WebServices) {
  /** Limits a page to links of an RFP. For the link of a contract, the page does not exist. */
  const ofRfp = (page: Page) =>
    admitSupplier(web, async (c, at) => {
      if (at.link.rfpRecipientId === null) return sendNotFoundPage(web, c)
      await noteReader(web, c, at)
      return page(web, c, at)
    })
  /** Limits a page to links of a contract. For the link of an RFP, the page does not exist. */
  const ofContract = (page: Page) =>
    admitSupplier(web, async (c, at) => (at.link.contractId === null ? sendNotFoundPage(web, c) : page(web, c, at)))
  return newEventRouter(web)
    .get(
      SUPPLIER_PATH,
      admitSupplier(web, async (c, at) => {
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
    .post(`${SUPPLIER_PATH}/acknowledge`, ofRfp(acknowledgeRequest))
    .post(`${SUPPLIER_PATH}/ask`, ofRfp(sendQuestion))
    .post(`${SUPPLIER_PATH}/answer`, ofRfp(sendAnswer))
    .post(`${SUPPLIER_PATH}/turn-down`, ofRfp(declineRequest))
    .post(`${SUPPLIER_PATH}/take-back`, ofRfp(undoDecline))
    .post(`${SUPPLIER_PATH}/withdraw`, ofRfp(submitOfferWithdrawal))
    .post(
      `${SUPPLIER_PATH}/link`,
      admitSupplier(web, (c, at) => sendNewLink(web, c, at)),
    )
}
