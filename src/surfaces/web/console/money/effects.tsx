import type { Child } from 'hono/jsx'
import type { Money } from '../../../../kernel/money.ts'
import { type MoneyAction, getActionFieldName } from './acts.ts'
import { formatAmountWithoutCurrency, formatAmountWithCurrency, isZeroMoney, moneyToMinorUnits } from './amounts.ts'
import { findCreditableProduct, type OrderMoneyPageData } from './order-account.ts'
import type { FormValues } from '../../web.ts'

/** The result of `record_manual_payment`. */
export interface PaymentResult {
  receiptNumber: string
  payments: { id: string; amount: Money }[]
  allocations: { invoiceNumber: string; amount: Money; balanceAfter: Money }[]
  unapplied: Money
  order: { balance: Money }
  queued?: number
}

/** The result of `write_off_invoices`. */
interface WriteOffResult {
  writtenOff: { number: string; amount: Money }[]
  total: Money
  skipped: { number: string; reason: string }[]
}

/** The part of the result of `edit_participant` that is about money. */
export interface EditParticipantMoneyResult {
  money: { creditNote?: { number: string; total: Money }; balanceBefore: Money; balanceAfter: Money; creditHeld: Money }
}

/** The effects that the page shows after the dry run of an action, and the label of the button that saves the action. */
export interface DryRunEffects {
  effects: Child[]
  button: string
  /** Whether the action pays money out or gives up money that is owed. */
  isDestructive: boolean
}

const Amount = ({ of }: { of: Money }) => <b>{formatAmountWithoutCurrency(of)}</b>

const absolute = (money: Money): Money => ({ ...money, amount: money.amount.replace('-', '') })

/** Describes what recording a payment changes: the balances of invoices and of the order, and the credit. */
export function describePaymentEffects(
  result: PaymentResult,
  amount: Money,
  { payerOf }: { payerOf?: (invoice: string) => string } = {},
): DryRunEffects {
  const { allocations, unapplied, receiptNumber, order, queued } = result
  const isPaid = moneyToMinorUnits(order.balance) <= 0
  return {
    effects: [
      ...allocations.map(({ invoiceNumber, amount: paid, balanceAfter }, index) => (
        <>
          {invoiceNumber}
          {payerOf ? <bdi>, {payerOf(invoiceNumber)}</bdi> : ''}: <Amount of={paid} /> paid, <Amount of={balanceAfter} />{' '}
          {isZeroMoney(balanceAfter) ? 'open' : 'stay open'}.
          {isPaid && !payerOf && index === allocations.length - 1 ? ' The order is paid in full.' : ''}
        </>
      )),
      ...(isZeroMoney(unapplied)
        ? []
        : [
            <>
              <Amount of={absolute(unapplied)} /> stay as credit on the order.
            </>,
          ]),
      <>
        Receipt <b>{receiptNumber}</b> is issued{allocations.length > 1 ? ' and covers all of them' : ''}.
      </>,
      ...(queued === undefined ? [] : [queued === 1 ? '1 email is sent.' : `${queued} emails are sent.`]),
    ],
    button: `Record ${formatAmountWithCurrency(amount)}`,
    isDestructive: false,
  }
}

function describeRefund(
  { unapplied, queued }: PaymentResult,
  amount: Money,
  { credit }: OrderMoneyPageData,
  form: FormValues,
): DryRunEffects {
  const byProcessor = form[getActionFieldName('refund', 'method')] === 'original'
  return {
    effects: [
      byProcessor ? (
        <>
          <Amount of={amount} /> go back to the card that was charged. Banks usually need 5 to 10 days.
        </>
      ) : (
        <>
          <Amount of={amount} /> are recorded as sent back. Send the money yourself: nothing is transferred.
        </>
      ),
      <>
        Credit on this order: <Amount of={credit} /> now, <Amount of={absolute(unapplied)} /> after.
      </>,
      ...(queued ? ['1 email is sent.'] : []),
      byProcessor ? 'A refund that has been sent cannot be called back.' : 'A recorded refund cannot be removed.',
    ],
    button: `Refund ${formatAmountWithCurrency(amount)}`,
    isDestructive: true,
  }
}

const describeReversal = ({ allocations, receiptNumber }: PaymentResult, amount: Money): DryRunEffects => ({
  effects: [
    ...allocations.map(({ invoiceNumber, balanceAfter }) => (
      <>
        {invoiceNumber} is open again: <Amount of={balanceAfter} />.
      </>
    )),
    <>
      Receipt <b>{receiptNumber}</b> documents the reversal. The payment stays visible in the history.
    </>,
  ],
  button: `Reverse ${formatAmountWithCurrency(amount)}`,
  isDestructive: true,
})

function describeWriteOff({ writtenOff, total, skipped }: WriteOffResult, { name }: OrderMoneyPageData): DryRunEffects {
  return {
    effects: [
      ...writtenOff.map(({ number, amount }) => (
        <>
          {number}: <Amount of={amount} /> are written off, <b>{formatAmountWithoutCurrency({ ...amount, amount: '0' })}</b> open.
        </>
      )),
      ...skipped.map(({ number, reason }) => `${number} is left out: it ${reason}.`),
      <>
        If <bdi>{name}</bdi> pays later, the write-off is reversed by the amount received.
      </>,
    ],
    button: `Write off ${formatAmountWithCurrency(total)}`,
    isDestructive: true,
  }
}

function describeCredit({ money }: EditParticipantMoneyResult, account: OrderMoneyPageData, form: FormValues): DryRunEffects {
  const { creditNote, balanceAfter, creditHeld } = money
  const product = findCreditableProduct(account.products, form[getActionFieldName('credit', 'product')] ?? '')
  const units = Number(form[getActionFieldName('credit', 'units')] || '1')
  const zero = { amount: '0', currency: balanceAfter.currency }
  const open = moneyToMinorUnits(balanceAfter) > 0 ? balanceAfter : zero
  return {
    effects: [
      creditNote ? (
        <>
          Credit note <b>{creditNote.number}</b> over <Amount of={creditNote.total} /> is issued.
        </>
      ) : (
        'No credit note is issued: nothing is credited.'
      ),
      <>
        <bdi>{product?.description ?? 'The product'}</bdi>
        {product && product.quantity > 1 ? `, ${units} of ${product.quantity},` : ''} is removed from the registration
        {product ? (
          <>
            {' '}
            of <bdi>{product.participantName || account.name}</bdi>
          </>
        ) : (
          ''
        )}
        .
      </>,
      isZeroMoney(creditHeld) ? (
        <>
          <Amount of={open} /> stay open. No money is sent back.
        </>
      ) : (
        <>
          Credit on this order: <Amount of={creditHeld} />. No money is sent back until you refund it.
        </>
      ),
    ],
    button: creditNote ? `Credit ${formatAmountWithCurrency(creditNote.total)}` : 'Remove without credit',
    isDestructive: false,
  }
}

/** Describes the effects of an action about one order, from the result of its dry run. */
export function describeMoneyActionEffects(
  act: MoneyAction,
  result: unknown,
  args: Readonly<Record<string, unknown>>,
  account: OrderMoneyPageData,
  form: FormValues,
): DryRunEffects {
  const amount = args['amount'] as Money
  if (act === 'payment') return describePaymentEffects(result as PaymentResult, amount)
  if (act === 'refund') return describeRefund(result as PaymentResult, amount, account, form)
  if (act === 'reversal') return describeReversal(result as PaymentResult, amount)
  if (act === 'write-off') return describeWriteOff(result as WriteOffResult, account)
  return describeCredit(result as EditParticipantMoneyResult, account, form)
}
