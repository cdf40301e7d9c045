import { ActionsCard, ExpandableAction } from '../../components/outcome.tsx'
import type { Child } from 'hono/jsx'
import type { RefundOrWriteOff } from '../../../../domains/orders/overview/order-money.ts'
import { formatEnglishDateRange } from '../../components/dates.ts'
import { Card, PrintButton, StatusLabel, TimestampText } from '../../components/parts.tsx'
import {
  MoneyActionForm,
  type MoneyActionFormState,
  CreditFields,
  listReversiblePayments,
  PaymentFields,
  RefundFields,
  ReversalFields,
  WriteOffFields,
} from './act-forms.tsx'
import type { MoneyAction } from './acts.ts'
import { formatAmountWithoutCurrency, formatAmountWithCurrency, isZeroMoney, negateMoney } from './amounts.ts'
import { PAYMENT_METHOD_LABELS } from './methods.ts'
import type { OrderMoneyPageData } from './order-account.ts'

export interface OrderViewProps {
  account: OrderMoneyPageData
  currency: string
  /** Path of this page, to which its forms are submitted. */
  here: string
  csrf: string
  /** Whether the user may record payments, refunds and write-offs (`money`), and issue credit notes (`products`). */
  allowed: { money: boolean; products: boolean }
  /** The expanded action (payment, refund, …) with its state. */
  act: MoneyAction | null
  state: MoneyActionFormState
  /** The URL of a document by its number; null without the permission personal.read. */
  documentPath: ((number: string) => string) | null
  /** Names of users by user id. */
  names: ReadonlyMap<string, string>
}

const NO_STATE: MoneyActionFormState = { form: {}, formErrors: null, checked: null }

/** The open amount or the credit of an order, as a badge beside the name. */
export const BalanceBadge = ({ account: { open, overdue, credit, writtenOff, money } }: { account: OrderMoneyPageData }) => {
  if (!isZeroMoney(overdue)) return <StatusLabel tone="danger">{formatAmountWithCurrency(overdue)} overdue</StatusLabel>
  if (!isZeroMoney(open)) return <StatusLabel tone="warning">{formatAmountWithCurrency(open)} open</StatusLabel>
  if (!isZeroMoney(credit)) return <StatusLabel tone="warning">{formatAmountWithCurrency(credit)} credit</StatusLabel>
  if (!isZeroMoney(writtenOff)) return <StatusLabel>{formatAmountWithCurrency(writtenOff)} written off</StatusLabel>
  return money.record.payments.length > 0 ? <StatusLabel tone="success">Paid</StatusLabel> : null
}

interface ActEntry {
  act: MoneyAction
  title: string
  aside: string
  /** The reason why the action is not available now; undefined if it is available. */
  none?: string | undefined
  fields: (state: MoneyActionFormState) => Child
}

const UNPAID_CREDIT =
  'Nothing to refund: there is no credit on this order. Credit a product first, or cancel the registration. Money can be sent back only from credit.'

function listEntries({ account, currency, allowed }: OrderViewProps): ActEntry[] {
  const { open, credit, writtenOff, today, products, money, name, email } = account
  const of = (state: MoneyActionFormState) => ({ account, currency, state })
  const claim = isZeroMoney(open) ? writtenOff : open
  const payment: ActEntry = {
    act: 'payment',
    title: 'Record a payment',
    aside: isZeroMoney(open)
      ? isZeroMoney(writtenOff)
        ? 'nothing open'
        : `${formatAmountWithoutCurrency(writtenOff)} written off`
      : `${formatAmountWithoutCurrency(open)} open`,
    none: isZeroMoney(claim)
      ? money.record.payments.length > 0
        ? 'This order is paid in full.'
        : 'Nothing is open on this order.'
      : undefined,
    fields: (state) => (
      <PaymentFields
        state={state}
        currency={currency}
        today={today}
        initialAmount={formatAmountWithoutCurrency(claim)}
        receiptFor={email === null ? null : name}
      />
    ),
  }
  const refund: ActEntry = {
    act: 'refund',
    title: 'Refund',
    aside: isZeroMoney(credit) ? 'no credit' : `${formatAmountWithoutCurrency(credit)} credit`,
    none: isZeroMoney(credit) ? UNPAID_CREDIT : undefined,
    fields: (state) => <RefundFields {...of(state)} />,
  }
  const creditNote: ActEntry = {
    act: 'credit',
    title: 'Credit',
    aside: products.length > 0 ? 'issue a credit note' : 'all lines credited',
    none: products.length > 0 ? undefined : 'No product is left to credit.',
    fields: (state) => <CreditFields {...of(state)} />,
  }
  const writeOff: ActEntry = {
    act: 'write-off',
    title: 'Write off',
    aside: isZeroMoney(open) ? 'nothing open' : 'give up a claim',
    none: isZeroMoney(open) ? 'Nothing is open.' : undefined,
    fields: (state) => <WriteOffFields {...of(state)} />,
  }
  const reversible = listReversiblePayments(money)
  const reversal: ActEntry = {
    act: 'reversal',
    title: 'Reverse a payment',
    aside: 'a cheque bounced, a wrong entry',
    fields: (state) => <ReversalFields {...of(state)} />,
  }
  return [
    ...(allowed.money ? [payment, refund] : []),
    ...(allowed.products ? [creditNote] : []),
    ...(allowed.money ? [writeOff] : []),
    ...(allowed.money && reversible.length > 0 ? [reversal] : []),
  ]
}

/** The actions about an order's money. One is expanded at a time. */
const Acts = (props: OrderViewProps) => {
  const entries = listEntries(props)
  if (entries.length === 0) return null
  return (
    <ActionsCard id="acts" title="What do you want to do?">
      {entries.map(({ act, title, aside, none, fields }) => {
        const state = act === props.act ? props.state : NO_STATE
        return (
          <ExpandableAction name="act" title={title} note={aside} open={act === props.act} id={`act-${act}`}>
            {none ? (
              <p class="muted">{none}</p>
            ) : (
              <MoneyActionForm act={act} action={props.here} csrf={props.csrf} state={state}>
                {fields(state)}
              </MoneyActionForm>
            )}
          </ExpandableAction>
        )
      })}
    </ActionsCard>
  )
}

interface Happening {
  at: Date
  tone: 'success' | 'warning' | 'danger' | ''
  what: Child
  by: string
  amount: string
}

const MOVEMENT_TEXTS: Record<RefundOrWriteOff['kind'], string> = {
  refund: 'Refunded',
  reversal: 'Payment reversed',
  writeOff: 'Written off',
  writeOffReversal: 'Write-off reversed',
}

function listHappenings({ account: { money, today }, documentPath, names, here, allowed }: OrderViewProps): Happening[] {
  const document = (number: string) => (documentPath ? <a href={documentPath(number)}>{number}</a> : number)
  const by = (id: string | undefined) => (id ? (names.get(id) ?? '') : '')
  const reversible = new Set(listReversiblePayments(money).map(({ id }) => id))
  const day = (text: string) => formatEnglishDateRange(text, text)
  const invoices = money.record.invoices.map((invoice): Happening => {
    const { number, kind, issuedAt, dueOn, total, balance } = invoice
    if (kind === 'credit_note') {
      const reason = money.reasons.get(number)
      return {
        at: new Date(issuedAt),
        tone: '',
        what: (
          <>
            Credit note {document(number)}
            {reason ? <bdi>, {reason}</bdi> : ''}
          </>
        ),
        by: '',
        amount: `−${formatAmountWithoutCurrency(total)}`,
      }
    }
    const isOpen = !isZeroMoney(balance)
    return {
      at: new Date(issuedAt),
      tone: isOpen ? (dueOn < today ? 'danger' : 'warning') : '',
      what: (
        <>
          Invoice {document(number)} issued, {dueOn < today ? 'was due' : 'due'} {day(dueOn)}
        </>
      ),
      by: isOpen ? `${formatAmountWithoutCurrency(balance)} open` : '',
      amount: formatAmountWithoutCurrency(total),
    }
  })
  const payments = money.record.payments.map((payment): Happening => {
    const details = money.payments.get(payment.id)
    return {
      at: new Date(payment.receivedAt),
      tone: 'success',
      what: (
        <>
          {payment.method === 'card' ? 'Paid by card' : PAYMENT_METHOD_LABELS[payment.method]}
          {payment.reference ? <bdi> {payment.reference}</bdi> : ''} · {document(payment.receiptNumber)}
          {allowed.money && reversible.has(payment.id) ? (
            <>
              {' '}
              ·{' '}
              <a href={`${here}?act=reversal&payment=${payment.id}`}>
                Reverse<span class="hidden"> {payment.receiptNumber}</span>
              </a>
            </>
          ) : null}
        </>
      ),
      by: details?.provider ? details.provider : by(details?.recordedBy) ? `recorded by ${by(details?.recordedBy)}` : '',
      amount: `−${formatAmountWithoutCurrency(payment.amount)}`,
    }
  })
  const others = money.movements.map((movement): Happening => {
    const { kind, at, amount, receiptNumber, method, invoiceNumber, note, recordedBy } = movement
    const isCredit = kind === 'writeOff'
    return {
      at,
      tone: kind === 'reversal' ? 'danger' : '',
      what: (
        <>
          {MOVEMENT_TEXTS[kind]}
          {method && kind === 'refund' ? ` by ${PAYMENT_METHOD_LABELS[method].toLowerCase()}` : ''}
          {receiptNumber ? <> · {document(receiptNumber)}</> : ''}
          {invoiceNumber ? <>, {invoiceNumber}</> : ''}
          {note ? <bdi>: {note}</bdi> : ''}
        </>
      ),
      by: by(recordedBy),
      amount: `${isCredit ? '−' : ''}${formatAmountWithoutCurrency(amount)}`,
    }
  })
  // The newest entry (invoice, payment or refund) comes first. Of entries at the same time, a payment counts as later than its invoice.
  return [...invoices, ...payments, ...others].toReversed().toSorted((a, b) => b.at.getTime() - a.at.getTime())
}

const Timeline = (props: OrderViewProps) => (
  <Card title="Invoices and payments" actions={<PrintButton>Print statement</PrintButton>}>
    <ol class="timeline">
      {listHappenings(props).map(({ at, tone, what, by, amount }) => (
        <li class={tone || undefined}>
          <span>
            {what}
            <span class="by">
              <TimestampText at={at} />
              {by ? <bdi> · {by}</bdi> : ''}
            </span>
          </span>
          <span class="sum">{amount}</span>
        </li>
      ))}
    </ol>
  </Card>
)

const OrderLines = ({ account: { money, open, credit, writtenOff, daysOverdue }, currency }: OrderViewProps) => {
  const { record } = money
  const rows: [label: Child, value: string, strong?: boolean][] = [
    ...record.lines.map(({ kind, description, quantity, total }): [Child, string] => [
      <bdi>{`${kind === 'credit' ? 'Credited: ' : ''}${description}${Math.abs(quantity) > 1 ? `, ${Math.abs(quantity)} units` : ''}`}</bdi>,
      formatAmountWithoutCurrency(total),
    ]),
    ['Total', formatAmountWithoutCurrency(record.total), true],
    ...(isZeroMoney(record.paid) && isZeroMoney(open) ? [] : [['Paid', formatAmountWithoutCurrency(negateMoney(record.paid))] as const]),
    ...(isZeroMoney(writtenOff) ? [] : [['Written off', formatAmountWithoutCurrency(negateMoney(writtenOff))] as const]),
    ...(isZeroMoney(open)
      ? []
      : [
          [
            daysOverdue > 0 ? `Open, ${daysOverdue} ${daysOverdue === 1 ? 'day' : 'days'} overdue` : 'Open',
            formatAmountWithoutCurrency(open),
            true,
          ] as const,
        ]),
    ...(isZeroMoney(credit) ? [] : [['Credit', formatAmountWithoutCurrency(credit), true] as const]),
  ].map(([label, value, strong]) => [label as Child, value as string, Boolean(strong)])
  return (
    <Card title={`Order ${record.number}`} actions={<span class="v">{currency}</span>} pad={false}>
      <table class="sums">
        <caption class="hidden">Order {record.number}</caption>
        <tbody>
          {rows.map(([label, value, strong]) => (
            <tr class={strong ? 'strong' : undefined}>
              <th scope="row">{label}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

const Documents = ({ account: { money }, documentPath }: OrderViewProps) => {
  if (!documentPath) return null
  const receipts = [
    ...money.record.payments.map(({ receiptNumber }) => receiptNumber),
    ...money.movements.flatMap(({ receiptNumber }) => (receiptNumber === null ? [] : [receiptNumber])),
  ]
  const documents: [number: string, aside: string][] = [
    ...money.record.invoices.map(({ number, kind, total }): [string, string] => [
      number,
      formatAmountWithoutCurrency(kind === 'invoice' ? total : negateMoney(total)),
    ]),
    ...[...new Set(receipts)].map((number): [string, string] => [number, 'receipt']),
  ]
  return (
    <Card title="Documents">
      {documents.length === 0 ? <p class="muted">No documents yet.</p> : null}
      <ul class="documents">
        {documents.map(([number, aside]) => (
          <li>
            <a href={documentPath(number)}>{number}.pdf</a>
            <span class="v">{aside}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The page content of an order: actions, history, lines and documents. */
export const OrderView = (props: OrderViewProps) => (
  <div class="grid wide-left">
    <div class="grid">
      <Acts {...props} />
      <Timeline {...props} />
    </div>
    <div class="grid">
      <OrderLines {...props} />
      <Documents {...props} />
    </div>
  </div>
)
