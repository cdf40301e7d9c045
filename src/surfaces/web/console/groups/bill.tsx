import type { toOrderRecord } from '../../../../domains/orders/order-record.ts'
import { formatDate } from '../../components/dates.ts'
import { LinkButton } from '../../components/forms.tsx'
import { Card, PrintButton, TimestampText } from '../../components/parts.tsx'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { PAYMENT_METHOD_LABELS } from '../money/methods.ts'
import type { GroupPageContext } from './group-page.ts'

type Order = Awaited<ReturnType<typeof toOrderRecord>>

/** The kind and number of a document. Lines never break within the number. */
const NumberedDocument = ({ kind, number }: { kind: string; number: string }) => (
  <>
    {kind} <span class="nowrap">{number}</span>
  </>
)

/** The invoices and payments of the group's order, newest first. */
export const BillCard = ({ at, order }: { at: GroupPageContext; order: Order }) => {
  const mayOpen = at.permissions.has('personal.read')
  const entries = [
    ...order.invoices.map((one) => ({
      at: one.issuedAt,
      tone: one.kind === 'credit_note' ? '' : Number(one.balance.amount) > 0 ? 'warning' : 'success',
      what: <NumberedDocument kind={one.kind === 'invoice' ? 'Invoice' : 'Credit note'} number={one.number} />,
      href: mayOpen ? `${at.here}/invoices/${encodeURIComponent(one.number)}.pdf` : null,
      more:
        one.kind === 'invoice' && Number(one.balance.amount) > 0
          ? `${formatAmountWithCurrency(one.balance)} open, due ${formatDate(one.dueOn)}`
          : null,
      amount: formatAmountWithCurrency(one.total),
    })),
    ...order.payments.map((one) => ({
      at: one.receivedAt,
      tone: 'success',
      what: <NumberedDocument kind={`Payment by ${PAYMENT_METHOD_LABELS[one.method].toLowerCase()}, receipt`} number={one.receiptNumber} />,
      href: null,
      more: Number(one.returned.amount) === 0 ? null : `${formatAmountWithCurrency(one.returned)} returned`,
      amount: `−${formatAmountWithCurrency(one.amount)}`,
    })),
  ].toSorted((a, b) => (a.at < b.at ? 1 : -1))
  const path = `${at.base}/money/orders/${encodeURIComponent(order.number)}`
  return (
    <Card
      title={`Bill ${order.number}`}
      actions={<PrintButton>Print</PrintButton>}
      foot={
        <div class="row">
          {at.permissions.has('money.write') && Number(order.balance.amount) > 0 ? (
            <LinkButton href={`${path}?act=payment`}>Record a payment</LinkButton>
          ) : null}
          <LinkButton href={path}>Open order</LinkButton>
        </div>
      }
    >
      <ol class="timeline">
        {entries.slice(0, 50).map(({ at: when, tone, what, href, more, amount }) => (
          <li class={tone || undefined}>
            <div>
              {href === null ? what : <a href={href}>{what}</a>}
              {more === null ? null : <span class="by">{more}</span>}
              <span class="by">
                <TimestampText at={new Date(when)} />
              </span>
            </div>
            <span class="v">{amount}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
