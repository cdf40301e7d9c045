import { sendNotFoundPage } from '../error-pages.tsx'
import { newEventRouter } from '../event/event-layout.tsx'
import type { WebContext, WebServices } from '../web.ts'
import { showRequestPage } from './request-page.tsx'
import { forSupplier, SUPPLIER_PATH, type SupplierSite } from './site.tsx'

type Page = (web: WebServices, c: WebContext, at: SupplierSite) => Promise<Response>

/** `/supplier/<token>`: the pages of a supplier. A link opens one RFP or one contract. */
export function supplierPages(web: WebServices) {
  /** Pages of an RFP. They do not exist behind the link of a contract. */
  const ofRfp = (page: Page) =>
    forSupplier(web, async (c, at) => (at.link.rfpRecipientId === null ? sendNotFoundPage(web, c) : page(web, c, at)))
  return newEventRouter(web).get(SUPPLIER_PATH, ofRfp(showRequestPage))
}
