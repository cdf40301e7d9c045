import type { toOrderRecord } from '../../../../domains/orders/order-record.ts'
import { formatDateRange } from '../../components/dates.ts'
import { Card, PrintButton, Time } from '../../components/parts.tsx'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import type { GroupPageContext } from './group-page.ts'

type Order = Awaited<ReturnType<typeof toOrderRecord>>

/** The invoices and payments of the group's order, newest first. */
export const BillCard = ({ at, order }: { at: GroupPageContext; order: Order }) => {
  const mayOpen = at.permissions.has('personal.read')
  const entries = [
    ...order.invoices.map((one) => ({
      at: one.issuedAt,
      tone: one.kind === 'credit_note' ? '' : Number(one.balance.amount) > 0 ? 'warning' : 'success',
      what: `${one.kind === 'invoice' ? 'Invoice' : 'Credit note'} ${one.number}`,
      href: mayOpen ? `${at.here}/invoices/${encodeURIComponent(one.number)}.pdf` : null,
      more:
        one.kind === 'invoice' && Number(one.balance.amount) > 0
          ? `${formatAmountWithCurrency(one.balance)} open, due ${formatDateRange(one.dueOn, one.dueOn)}`
          : null,
      amount: formatAmountWithCurrency(one.total),
    })),
    ...order.payments.map((one) => ({
      at: one.receivedAt,
      tone: 'success',
      what: `Payment by ${one.method}, receipt ${one.receiptNumber}`,
      href: null,
      more: Number(one.returned.amount) === 0 ? null : `${formatAmountWithCurrency(one.returned)} returned`,
      amount: `−${formatAmountWithCurrency(one.amount)}`,
    })),
  ].toSorted((a, b) => (a.at < b.at ? 1 : -1))
  return (
    <Card
      title={`Bill ${order.number}`}
      actions={
        <>
          <span class="v">{`${formatAmountWithCurrency(order.balance)} open`}</span>
          <PrintButton>Print</PrintButton>
        </>
      }
    >
      <ol class="timeline">
        {entries.slice(0, 50).map(({ at: when, tone, what, href, more, amount }) => (
          <li class={tone || undefined}>
            <div>
              {href === null ? what : <a href={href}>{what}</a>}
              {more === null ? null : <span class="by">{more}</span>}
              <span class="by">
                <Time at={new Date(when)} />
              </span>
            </div>
            <span class="v">{amount}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
