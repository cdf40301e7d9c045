import { findOrderOf } from '../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../domains/orders/order-record.ts'
import type { AtEvent } from '../../../domains/registration/scene.ts'
import { bankDetailsOf } from '../../../domains/tenancy/bank-details.ts'
import { invoicePdf } from '../../../domains/orders/invoice-pdf.ts'
import { findInvoiceOn } from '../../../domains/orders/named-invoices.ts'
import { formatDays } from '../../../kernel/language/format.ts'
import { sumMinor, toMinor, toMoney } from '../../../kernel/money.ts'
import { Card } from '../components/parts.tsx'
import { eventPagesOf } from '../event/frame.tsx'
import { showMissing } from '../lost.tsx'
import { hand } from '../registration/documents.ts'
import { isNothing, MoneyRows } from '../registration/money.tsx'
import type { Web, WebContext } from '../web.ts'
import { AT_GROUP, type AtGroup, forManager } from './at.tsx'

type Order = NonNullable<Awaited<ReturnType<typeof readGroupOrder>>>

/** What the group bought for its members, and what it owes. */
export async function readGroupOrder(ctx: AtEvent, groupId: string) {
  const found = await findOrderOf(ctx, { groupId })
  return found ? { ...(await toOrderRecord(ctx, found)), bankDetails: await bankDetailsOf(ctx) } : null
}

/** One row for each thing that was bought, however many members it was bought for. */
function thingsIn({ lines, total }: Order) {
  const { currency } = total
  return [...Map.groupBy(lines, ({ description }) => description)].flatMap(([description, same]) => {
    const count = same.reduce((sum, { quantity }) => sum + quantity, 0)
    const money = toMoney(sumMinor(same.map((line) => toMinor(line.total.amount, currency))), currency)
    return count === 0 && isNothing(money) ? [] : [{ label: description, about: `× ${count}`, money }]
  })
}

/** For admins alone. */
export const GroupOrder = ({ at: { place, home }, order }: { at: AtGroup; order: Order | null }) => {
  const { say, locale } = place.words
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
        <MoneyRows
          place={place}
          rows={[
            ...thingsIn(order),
            { label: say('mine.total'), money: order.total, kind: 'total' },
            { label: say('mine.paid'), money: order.paid, kind: 'quiet' },
            { label: say('mine.balance'), money: order.balance },
          ]}
        />
        {order.invoices.length > 0 ? (
          <div>
            <h3>{say('mine.documents')}</h3>
            <ul class="links">
              {order.invoices.map(({ number, kind, issuedAt }) => (
                <li>
                  <a href={`${home}/invoices/${encodeURIComponent(number)}.pdf`}>
                    {say(kind === 'invoice' ? 'mine.invoice' : 'mine.creditNote', { number })}
                    <span class="muted small">{formatDays(locale, issuedAt.slice(0, 10), issuedAt.slice(0, 10))}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ) : null}
        {open.length === 0 ? null : order.bankDetails ? (
          <div>
            <h3>{say('pay.bank')}</h3>
            <p class="pre">{order.bankDetails}</p>
            <p>{say('pay.reference', { reference: open.map(({ number }) => number).join(', ') })}</p>
          </div>
        ) : (
          <p class="muted">{say('pay.askOrganizer')}</p>
        )}
      </div>
    </Card>
  )
}

/** Invoices of the group's order, for its admins; of no other order, and for nobody who only leads it. */
export function groupDocumentPages(web: Web) {
  const invoice = async (c: WebContext, { ctx, group, manager }: AtGroup): Promise<Response> => {
    const number = c.req.param('file')!.replace(/\.pdf$/, '')
    const order = manager.as === 'admin' ? await findOrderOf(ctx, { groupId: group.id }) : null
    const found = order && (await findInvoiceOn(ctx, order.id, number))
    const pdf = found ? await invoicePdf(ctx, found.id) : null
    return pdf ? hand(c, pdf) : showMissing(web, c)
  }
  return eventPagesOf(web).get(`${AT_GROUP}/invoices/:file{.+\\.pdf}`, forManager(web, invoice))
}
