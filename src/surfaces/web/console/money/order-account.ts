import { findReceiptEmailAddress, listOrderParticipants } from '../../../../domains/registration/find/order-participants.ts'
import { type OrderWithPayments, readOrderWithPayments } from '../../../../domains/orders/overview/order-money.ts'
import { readCurrentDayAtEvent } from '../../../../domains/orders/overview/open-invoices.ts'
import type { OrderRow } from '../../../../domains/orders/orders.ts'
import { type Money, sumMinorUnits, toMoney } from '../../../../kernel/money.ts'
import { daysBetween } from '../../../../kernel/time.ts'
import type { EventPageContext } from '../event/event-page.ts'
import { sumMoney, moneyToMinorUnits } from './amounts.ts'

/** A product of the order that can be removed and credited. */
export interface CreditableProduct {
  participantId: string
  participantName: string
  isTestData: boolean
  revision: number
  code: string
  description: string
  /** Number of units of the product in this order. */
  quantity: number
  /** Number of units that the participant holds, including those in other orders, such as the order of a group. */
  held: number
  /** The price of the remaining units: the invoiced price less the credited amount. */
  worth: Money
}

/** An order with all data that the money pages need to show it, and to decide which actions are available. */
export interface OrderMoneyPageData {
  order: OrderRow
  money: OrderWithPayments
  /** The name of the participant, group or company that pays. */
  name: string
  /** The email address of receipts; null if none is known. */
  email: string | null
  today: string
  openInvoices: OrderWithPayments['record']['invoices']
  open: Money
  overdue: Money
  /** Days since the earliest due date of an open invoice; 0 if nothing is overdue. */
  daysOverdue: number
  credit: Money
  /** The sum of written-off amounts, which later payments reduce. */
  writtenOff: Money
  /** The amount that can be refunded to cards through the processor. */
  refundableToCard: Money
  products: CreditableProduct[]
}

export async function readOrderMoneyPageData(at: EventPageContext, order: OrderRow, name: string): Promise<OrderMoneyPageData> {
  const { reading, event } = at
  const [money, today, email] = await Promise.all([
    readOrderWithPayments(reading, order),
    readCurrentDayAtEvent(reading),
    findReceiptEmailAddress(reading, order),
  ])
  const inCurrency = (minor: number) => toMoney(minor, event.currency)
  const sum = (list: readonly Money[]) => sumMoney(list, event.currency)
  const openInvoices = money.record.invoices.filter(({ balance }) => moneyToMinorUnits(balance) > 0)
  const late = openInvoices.filter(({ dueOn }) => dueOn < today)
  return {
    order,
    money,
    name,
    email,
    today,
    openInvoices,
    open: sum(openInvoices.map(({ balance }) => balance)),
    overdue: sum(late.map(({ balance }) => balance)),
    daysOverdue: Math.max(0, ...late.map(({ dueOn }) => daysBetween(dueOn, today))),
    credit: inCurrency(-moneyToMinorUnits(money.record.unapplied) + 0),
    writtenOff: sum([...money.writtenOff.values()]),
    refundableToCard: sum([...money.payments.values()].map(({ refundable }) => refundable)),
    products: await listProducts(at, money.record.lines),
  }
}

type OrderLines = OrderWithPayments['record']['lines']

/** Lists the products of the order by participant, with the number of units that are not credited. */
async function listProducts(at: EventPageContext, lines: OrderLines): Promise<CreditableProduct[]> {
  const people = await listOrderParticipants(at.reading, [
    ...new Set(lines.flatMap(({ participantId }) => (participantId === null ? [] : [participantId]))),
  ])
  const products = Map.groupBy(
    lines.filter(({ productCode, participantId }) => productCode !== null && participantId !== null),
    ({ productCode, participantId }) => `${participantId}/${productCode}`,
  )
  return [...products.values()].flatMap((same) => {
    const first = same[0]!
    const person = people.get(first.participantId!)
    const quantity = same.reduce((units, line) => units + line.quantity, 0)
    const worth = sumMinorUnits(same.map(({ total }) => moneyToMinorUnits(total)))
    if (!person || quantity <= 0 || worth <= 0) return []
    return [
      {
        participantId: person.id,
        participantName: person.name,
        isTestData: person.isTestData,
        revision: person.revision,
        code: first.productCode!,
        description: first.description,
        quantity,
        held: person.held.get(first.productCode!) ?? quantity,
        worth: toMoney(worth, at.event.currency),
      },
    ]
  })
}

export const buildCreditableProductKey = ({ participantId, code }: CreditableProduct) => `${participantId}/${code}`
export const findCreditableProduct = (products: readonly CreditableProduct[], key: string) =>
  products.find((one) => buildCreditableProductKey(one) === key)
