import type { OwnCancellationEffects } from '../../../domains/registration/own/cancel-own.ts'
import { sumMinorUnits, toMoney } from '../../../kernel/money.ts'
import { Notice, DataTable } from '../components/parts.tsx'
import type { EventSite } from '../event/event-site.ts'
import { formatMinorAmount } from '../register/view.ts'
import { type MoneyRow, MoneyRows } from './money.tsx'

type Order = NonNullable<OwnCancellationEffects['order']>
type Line = OwnCancellationEffects['lines'][number]

const sumCredits = (lines: readonly Line[]) => sumMinorUnits(lines.map(({ credit }) => credit))

/** Whether the order was paid in full before the cancellation, so that every credited price is a refund. */
const wasPaid = ({ total, paid }: Order, lines: readonly Line[]) => paid > 0 && paid >= total + sumCredits(lines)

/** Describes the refund or the amount still due in one or two sentences. */
export function describeCancellationAmounts(site: EventSite, { order, lines, groupCredit }: OwnCancellationEffects): string {
  const { say } = site.words
  const text = (minor: number) => formatMinorAmount(site, minor)
  const isFree = lines.every(({ price }) => price === 0)
  const byGroup =
    groupCredit === null || isFree
      ? []
      : [groupCredit === 0 ? say('cancel.group') : say('cancel.groupCredit', { amount: text(groupCredit) })]
  if (order === null || (order.total === 0 && order.paid === 0 && lines.every((line) => line.isGroupPaid || line.price === 0)))
    return byGroup[0] ?? say('cancel.free')
  return [...byGroup, describeOrder(order)].join(' ')

  function describeOrder({ paid, refund, balance }: Order): string {
    if (paid === 0) return balance === 0 ? say('cancel.unpaid') : say('cancel.unpaidOwing', { amount: text(balance) })
    if (balance > 0) return say('cancel.keptOwing', { paid: text(paid), amount: text(balance) })
    if (refund === 0) return say('cancel.kept', { paid: text(paid) })
    return refund === paid
      ? say('cancel.refundedAll', { amount: text(refund) })
      : say('cancel.refundedPart', { amount: text(refund), paid: text(paid) })
  }
}

/** The label of the button that cancels the registration, with the refund if there is one. */
export function formatCancelButtonLabel(site: EventSite, { order }: OwnCancellationEffects): string {
  const { say } = site.words
  if (order === null || order.paid === 0) return say('cancel.button')
  return order.refund === 0 ? say('cancel.buttonNoRefund') : say('cancel.buttonRefund', { amount: formatMinorAmount(site, order.refund) })
}

/** The participant's own order: the cost of each item after the cancellation, and the refund or the amount still due. */
export function CancellationAmounts({ site, result }: { site: EventSite; result: OwnCancellationEffects }) {
  const { say } = site.words
  const { order } = result
  const lines = result.lines.filter(({ isGroupPaid }) => !isGroupPaid)
  if (order === null || (order.total === 0 && order.paid === 0 && lines.every(({ price }) => price === 0))) return null
  const isPaid = wasPaid(order, lines)
  const Amount = ({ minor }: { minor: number }) => <span class="money">{formatMinorAmount(site, minor)}</span>
  return (
    <>
      <section class="card">
        <header>
          <h2>{say('cancel.money')}</h2>
        </header>
        {lines.length === 0 ? null : (
          <DataTable
            caption={say('cancel.money')}
            rows={lines}
            columns={[
              { label: say('cancel.item'), cell: ({ description }) => description, lead: true },
              { label: say('cancel.price'), cell: ({ price }) => <Amount minor={price} />, number: true },
              isPaid
                ? { label: say('cancel.refund'), cell: ({ credit }) => <Amount minor={credit} />, number: true }
                : { label: say('cancel.costAfter'), cell: ({ price, credit }) => <Amount minor={price - credit} />, number: true },
            ]}
          />
        )}
        <div class="card-body">
          <MoneyRows site={site} rows={isPaid ? listPaidRows(site, order) : listOwedRows(site, order, lines)} />
        </div>
      </section>
      {order.paid > 0 && order.refund === 0 ? (
        <Notice tone="warning">{say('cancel.lose', { amount: formatMinorAmount(site, order.paid) })}</Notice>
      ) : null}
    </>
  )
}

function listPaidRows({ words: { say }, facts: { currency } }: EventSite, { paid, refund }: Order): MoneyRow[] {
  const money = (minor: number) => toMoney(minor, currency)
  return [
    { label: say('myRegistration.paid'), money: money(paid) },
    ...(paid === refund ? [] : [{ label: say('cancel.notRefunded'), money: money(refund - paid), kind: 'quiet' as const }]),
    { label: say('cancel.refund'), money: money(refund), kind: 'total', about: refund === 0 ? undefined : say('cancel.refundAsCredit') },
  ]
}

/** Lists the amounts of an order that was not paid in full, from the remaining cost to the refund or the amount still due. */
function listOwedRows(site: EventSite, { total, paid, writtenOff, refund, balance }: Order, lines: readonly Line[]): MoneyRow[] {
  const { say } = site.words
  const money = (minor: number) => toMoney(minor, site.facts.currency)
  const credited = sumCredits(lines)
  const other = total - sumMinorUnits(lines.map(({ price, credit }) => price - credit))
  return [
    ...(other === 0 ? [] : [{ label: say('cancel.otherCharges'), money: money(other), kind: 'quiet' as const }]),
    ...(other === 0 && total === 0 && paid === 0 && writtenOff === 0 ? [] : [{ label: say('cancel.costAfter'), money: money(total) }]),
    ...(paid === 0 ? [] : [{ label: say('myRegistration.paid'), money: money(-paid) }]),
    ...(writtenOff === 0 ? [] : [{ label: say('cancel.writtenOff'), money: money(-writtenOff), kind: 'quiet' as const }]),
    {
      ...(balance > 0 ? { label: say('cancel.stillToPay'), money: money(balance) } : { label: say('cancel.refund'), money: money(refund) }),
      kind: 'total',
      about: credited === 0 ? undefined : say('cancel.creditNote', { amount: formatMinorAmount(site, credited) }),
    },
  ]
}
