import type { Child } from 'hono/jsx'
import type { OrderStatement } from '../../../domains/orders/order-statement.ts'
import type { PriceStatement, PriceStatementItem, PriceStatementLine, PriceStatementTax } from '../../../domains/pricing/statement.ts'
import { formatLocalDate } from '../../../kernel/language/format.ts'
import type { EventSite } from '../event/event-site.ts'
import { formatMinorAmount } from '../register/view.ts'

/** An order line for display. Its name is translated if the event still has the product. */
type ShownLine = PriceStatementLine & { productCode?: string | null }

/** An item that is part of the registration but not of the total, such as a room that is paid at the hotel. */
export interface UnpricedItem {
  label: string
  about: string
}

interface Props<Line extends ShownLine> {
  site: EventSite
  statement: PriceStatement<Line> & Partial<Pick<OrderStatement, 'settled'>>
  discountCode: string | null
  /** Returns a small text below the name of an item, such as the guest that it is for. */
  aboutItem?: (item: PriceStatementItem<Line>) => string | null
  unpriced?: readonly UnpricedItem[]
}

/**
 * The amounts of an order: items, discount, taxes, total and, after the sale, the paid and the open amount. Every page shows an order
 * with this component, so that the printed amounts always add up.
 */
export function OrderRows<Line extends ShownLine>({ site, statement, discountCode, aboutItem, unpriced = [] }: Props<Line>) {
  const { say } = site.words
  const names = new Map(site.config.products.map(({ code, name }) => [code, name]))
  const { items, discount, addedTaxes, includedTaxes, total, settled } = statement
  return (
    <dl class="lines">
      {items.map((item) => {
        const about = aboutItem?.(item)
        return (
          <AmountRow site={site} label={names.get(item.line.productCode ?? '') ?? item.line.description} amount={item.amount}>
            {item.quantity > 1 ? (
              <small>{say('register.each', { count: item.quantity, price: formatMinorAmount(site, item.line.unitPrice) })}</small>
            ) : null}
            {item.quantity === 0 ? <small>{say('order.keptAmount')}</small> : null}
            {about ? <small>{about}</small> : null}
          </AmountRow>
        )
      })}
      {unpriced.map(({ label, about }) => (
        <div>
          <dt>
            {label}
            <small>{about}</small>
          </dt>
          <dd>–</dd>
        </div>
      ))}
      {discount === 0 ? null : (
        <AmountRow
          site={site}
          kind="less"
          label={discountCode === null ? say('order.discount') : say('register.discount', { code: discountCode })}
          amount={-discount}
        />
      )}
      {addedTaxes.map((tax) => (
        <AmountRow site={site} kind="quiet" label={say('register.addedTax', toTaxWords(site, tax))} amount={tax.amount} />
      ))}
      <AmountRow site={site} kind="total" label={say('register.total')} amount={total} />
      {includedTaxes.map((tax) => (
        <AmountRow site={site} kind="quiet" label={say('register.includedTax', toTaxWords(site, tax))} amount={tax.amount} />
      ))}
      {settled ? <SettledRows site={site} settled={settled} /> : null}
    </dl>
  )
}

/** Rows for the paid and written-off amounts, and for the amount to pay or the credit, if one remains. */
function SettledRows({ site, settled: { paid, writtenOff, balance } }: { site: EventSite; settled: OrderStatement['settled'] }) {
  const { say } = site.words
  return (
    <>
      {paid === 0 && balance === 0 ? null : <AmountRow site={site} kind="quiet" label={say('myRegistration.paid')} amount={paid} />}
      {writtenOff === 0 ? null : <AmountRow site={site} kind="quiet" label={say('cancel.writtenOff')} amount={writtenOff} />}
      {balance < 0 ? (
        <AmountRow site={site} kind="less" label={say('myRegistration.credit')} amount={-balance} />
      ) : balance > 0 ? (
        <AmountRow site={site} kind="open" label={say('myRegistration.balance')} amount={balance} />
      ) : null}
    </>
  )
}

const toTaxWords = ({ config }: EventSite, { taxCode, percent }: PriceStatementTax) => ({
  name: config.taxes.find(({ code }) => code === taxCode)?.name ?? taxCode ?? '',
  percent,
})

interface AmountRowProps {
  site: EventSite
  label: string
  amount: number
  kind?: 'less' | 'quiet' | 'total' | 'open'
  children?: Child
}

const AmountRow = ({ site, label, amount, kind, children }: AmountRowProps) => (
  <div class={kind}>
    <dt>
      {label}
      {children}
    </dt>
    <dd>
      <span class="money">{formatMinorAmount(site, amount)}</span>
    </dd>
  </div>
)

interface InvoiceLinksProps {
  site: EventSite
  /** The beginning of the URL paths of the invoices' PDF files. */
  base: string
  invoices: readonly { number: string; kind: 'invoice' | 'credit_note'; issuedAt: string }[]
}

/** Links to the PDF files of invoices and credit notes; nothing without any. */
export function InvoiceLinks({ site: { words, facts }, base, invoices }: InvoiceLinksProps) {
  if (invoices.length === 0) return null
  return (
    <div>
      <h3>{words.say('myRegistration.documents')}</h3>
      <ul class="links">
        {invoices.map(({ number, kind, issuedAt }) => (
          <li>
            <a href={`${base}/invoices/${encodeURIComponent(number)}.pdf`}>
              <span>
                {words.say(kind === 'invoice' ? 'myRegistration.invoice' : 'myRegistration.creditNote', { number })} (PDF){' '}
                <span class="muted small">{formatLocalDate(words.locale, new Date(issuedAt), facts.timezone)}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
