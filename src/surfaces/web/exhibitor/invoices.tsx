import { renderInvoicePdf } from '../../../domains/orders/invoice-pdf.ts'
import { findOrderInvoice } from '../../../domains/orders/named-invoices.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import { findOrder } from '../../../domains/orders/orders.ts'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { formatLocalDate, formatMoney } from '../../../kernel/language/format.ts'
import { type Money, toMinorUnits, toMoney } from '../../../kernel/money.ts'
import { Card, StatusLabel, type ColourTone } from '../components/parts.tsx'
import { sendNotFoundPage } from '../error-pages.tsx'
import { createEventRouter } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import { sendDocumentFile } from '../registration/documents.ts'
import type { WebContext, WebServices } from '../web.ts'
import { EXHIBITOR_PATH, withExhibitorManagerAccess, type PortalAccess } from './portal-access.tsx'

export type CompanyOrder = Awaited<ReturnType<typeof toOrderRecord>>

/** Reads the order of a company with its invoices; null before anything was sold to the company. */
export async function readCompanyOrder(ctx: RegistrationContext, companyId: string): Promise<CompanyOrder | null> {
  const order = await findOrder(ctx, { companyId })
  return order && toOrderRecord(ctx, order)
}

type Invoice = CompanyOrder['invoices'][number]

const stateOf = ({ kind, status }: Invoice): 'open' | 'paid' | 'credit' =>
  kind === 'credit_note' ? 'credit' : status === 'open' ? 'open' : 'paid'

const TONES: Record<ReturnType<typeof stateOf>, ColourTone | undefined> = { open: 'warning', paid: 'success', credit: undefined }

/** The amount that is still to pay, or the credit; undefined without either. */
const balanceText = ({ words: { say, locale } }: EventSite, balance: Money): string | undefined => {
  const open = toMinorUnits(balance.amount, balance.currency)
  if (open > 0) return say('portal.balance', { amount: formatMoney(locale, balance) })
  const credit = () => formatMoney(locale, toMoney(-open, balance.currency))
  return open < 0 ? say('label.value', { label: say('myRegistration.credit'), value: credit() }) : undefined
}

export const CompanyInvoices = ({ at: { site, home }, order }: { at: PortalAccess; order: CompanyOrder | null }) => {
  const { say, locale } = site.words
  if (!order || order.invoices.length === 0)
    return (
      <Card title={say('portal.invoices')}>
        <p class="muted">{say('portal.noInvoices')}</p>
      </Card>
    )
  return (
    <Card title={say('portal.invoices')} pad={false} foot={balanceText(site, order.balance)}>
      <table class="table folds">
        <thead>
          <tr>
            <th scope="col">{say('portal.number')}</th>
            <th scope="col">{say('portal.issued')}</th>
            <th scope="col">{say('portal.state')}</th>
            <th scope="col" class="number">
              {say('portal.total')}
            </th>
          </tr>
        </thead>
        <tbody>
          {order.invoices.map((invoice) => (
            <tr>
              <th scope="row">
                <a class="tap" href={`${home}/invoices/${encodeURIComponent(invoice.number)}.pdf`}>
                  {invoice.number}
                </a>
              </th>
              <td data-label={say('portal.issued')}>{formatLocalDate(locale, new Date(invoice.issuedAt), site.facts.timezone)}</td>
              <td data-label={say('portal.state')}>
                <StatusLabel tone={TONES[stateOf(invoice)]}>{say(`portal.invoiceState.${stateOf(invoice)}`)}</StatusLabel>
              </td>
              <td data-label={say('portal.total')} class="number">
                <span class="money">{formatMoney(locale, invoice.total)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

/** Invoice PDFs of the company's order, for people who manage the company. */
export function portalDocumentPages(web: WebServices) {
  const invoice = async (c: WebContext, { ctx, company }: PortalAccess): Promise<Response> => {
    const number = c.req.param('file')!.replace(/\.pdf$/, '')
    const order = await findOrder(ctx, { companyId: company.id })
    const found = order && (await findOrderInvoice(ctx, order.id, number))
    const pdf = found ? await renderInvoicePdf(ctx, found.id) : null
    return pdf ? sendDocumentFile(c, pdf) : sendNotFoundPage(web, c)
  }
  return createEventRouter(web).get(`${EXHIBITOR_PATH}/invoices/:file{.+\\.pdf}`, withExhibitorManagerAccess(web, invoice))
}
