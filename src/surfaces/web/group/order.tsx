import { findOrder } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { readOrderStatement } from '../../../domains/orders/order-statement.ts'
import { mergeStatementItems } from '../../../domains/pricing/statement.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { readBankDetails } from '../../../domains/tenancy/bank-details.ts'
import { renderInvoicePdf } from '../../../domains/orders/invoice-pdf.ts'
import { findOrderInvoice } from '../../../domains/orders/named-invoices.ts'
import { Card } from '../components/parts.tsx'
import { ContactLink } from '../event/contact-link.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { sendDocumentFile } from '../registration/documents.ts'
import { InvoiceLinks, OrderRows } from '../registration/order-rows.tsx'
import type { WebServices, WebContext } from '../web.ts'
import { GROUP_MANAGER_PATH, type ManagedGroup, withGroupManagerAccess } from './group-access.tsx'

type Order = NonNullable<Awaited<ReturnType<typeof readGroupOrder>>>

/** The group's order with its balance and the organizer's bank details. */
export async function readGroupOrder(ctx: RegistrationContext, groupId: string) {
  const found = await findOrder(ctx, { groupId })
  if (!found) return null
  const statement = await readOrderStatement(ctx, found)
  return {
    ...(await toOrderRecord(ctx, found)),
    statement: { ...statement, items: mergeStatementItems(statement.items) },
    bankDetails: await readBankDetails(ctx),
  }
}

/** Lists the items that the group's order contains for one member. */
export async function listMemberOrderItems(ctx: RegistrationContext, groupId: string, participantId: string) {
  const found = await findOrder(ctx, { groupId })
  if (!found) return []
  const { items } = await readOrderStatement(ctx, found)
  return items.filter(({ line, quantity }) => line.participantId === participantId && quantity > 0)
}

/** The group's order, shown to group admins only. */
export const GroupOrder = ({ at: { site, home }, order }: { at: ManagedGroup; order: Order | null }) => {
  const { say } = site.words
  if (!order)
    return (
      <Card title={say('group.order')}>
        <p class="muted">{say('group.noOrder')}</p>
      </Card>
    )
  const open = order.invoices.filter(({ status }) => status === 'open')
  return (
    <Card title={say('group.number', { number: order.number })}>
      <div class="stack">
        <OrderRows site={site} statement={order.statement} discountCode={order.statement.discountCode} />
        <InvoiceLinks site={site} base={home} invoices={order.invoices} />
        {open.length === 0 ? null : order.bankDetails ? (
          <div>
            <h3>{say('pay.bank')}</h3>
            <p class="pre">{order.bankDetails}</p>
            <p>{say('pay.reference', { reference: open.map(({ number }) => number).join(', ') })}</p>
          </div>
        ) : (
          <p>
            {say('pay.askOrganizer')} <ContactLink site={site} />
          </p>
        )}
      </div>
    </Card>
  )
}

/** Invoice PDFs of the group's order, for admins only. */
export function groupDocumentPages(web: WebServices) {
  const invoice = async (c: WebContext, { ctx, group, manager }: ManagedGroup): Promise<Response> => {
    const number = c.req.param('file')!.replace(/\.pdf$/, '')
    const order = manager.as === 'admin' ? await findOrder(ctx, { groupId: group.id }) : null
    const found = order && (await findOrderInvoice(ctx, order.id, number))
    const pdf = found ? await renderInvoicePdf(ctx, found.id) : null
    return pdf ? sendDocumentFile(c, pdf) : sendNotFoundPage(web, c)
  }
  return createEventRouter(web).get(`${GROUP_MANAGER_PATH}/invoices/:file{.+\\.pdf}`, withGroupManagerAccess(web, invoice))
}
