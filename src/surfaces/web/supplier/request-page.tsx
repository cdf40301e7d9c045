import type { WebContext, WebServices } from '../web.ts'
import { LinkHolder, SupplierFrame } from './frame.tsx'
import { showSupplierPage, type SupplierSite } from './site.tsx'

/** The first page of a supplier: what is needed, until when, questions and answers. */
export function showRequestPage(web: WebServices, c: WebContext, at: SupplierSite) {
  const { say } = at.site.words
  return showSupplierPage(
    web,
    c,
    at,
    { title: say('supplier.title') },
    <SupplierFrame at={at} badges={null} title={say('supplier.title')} lead={at.site.event.name}>
      <LinkHolder at={at} />
    </SupplierFrame>,
  )
}
