import type { toOrderRecord } from '../../../../domains/orders/order-record.ts'
import { formatDateRange } from '../../components/dates.ts'
import { Card, Time } from '../../components/parts.tsx'
import { formatAmount } from '../event/figures.tsx'
import type { GroupPageContext } from './group-page.ts'

type Order = Awaited<ReturnType<typeof toOrderRecord>>

/** The invoices and payments of the group's order, newest first. */
export const BillCard = ({ at, order }: { at: GroupPageContext; order: Order }) => {
  const mayOpen = at.permissions.has('personal.read')
  const entries = [
    ...order.invoices.map((one) => ({
      at: one.issuedAt,
      tone: one.kind === 'credit_note' ? '' : Number(one.balance.amount) > 0 ? 'warning' : 'success',
      what: (
        <>
          {one.kind === 'invoice' ? 'Invoice' : 'Credit note'}{' '}
          {mayOpen ? <a href={`${at.here}/invoices/${encodeURIComponent(one.number)}.pdf`}>{one.number}</a> : one.number}
          {one.kind === 'invoice' && Number(one.balance.amount) > 0
            ? `, ${formatAmount(one.balance)} open, due ${formatDateRange(one.dueOn, one.dueOn)}`
            : ''}
        </>
      ),
      amount: formatAmount(one.total),
    })),
    ...order.payments.map((one) => ({
      at: one.receivedAt,
      tone: 'success',
      what: `Payment by ${one.method}, receipt ${one.receiptNumber}${Number(one.returned.amount) === 0 ? '' : `, ${formatAmount(one.returned)} returned`}`,
      amount: `−${formatAmount(one.amount)}`,
    })),
  ].toSorted((a, b) => (a.at < b.at ? 1 : -1))
  return (
    <Card title={`Bill ${order.number}`} actions={<span class="v">{`${formatAmount(order.balance)} open`}</span>}>
      <ol class="timeline">
        {entries.slice(0, 50).map(({ at: when, tone, what, amount }) => (
          <li class={tone || undefined}>
            <div>
              {what}
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
