import { readCurrentDayAtEvent } from '../../../../domains/orders/overview/open-invoices.ts'
import { type Money, sumMinorUnits, toMoney } from '../../../../kernel/money.ts'
import { isCalendarDay, startOfDay } from '../../../../kernel/time.ts'
import type { AppError } from '../../../../kernel/errors.ts'
import type { Tool } from '../../../../kernel/tool.ts'
import editParticipantTool from '../../../../toolsets/registration/edit-participant.ts'
import recordManualPaymentTool from '../../../../toolsets/registration/record-manual-payment.ts'
import writeOffInvoicesTool from '../../../../toolsets/registration/write-off-invoices.ts'
import type { FieldErrors } from '../../components/forms.tsx'
import type { FormErrors } from '../../fields.ts'
import type { FormValues } from '../../web.ts'
import type { EventPageContext } from '../event/event-page.ts'
import type { ToolArguments } from '../tool-call.ts'
import { formatAmountWithCurrency, moneyToMinorUnits, parseEnteredAmount } from './amounts.ts'
import { MANUAL_PAYMENT_METHODS } from './methods.ts'
import { type CreditableProduct, findCreditableProduct, type OrderMoneyPageData } from './order-account.ts'

export const MONEY_ACTIONS = ['payment', 'refund', 'credit', 'write-off', 'reversal'] as const
export type MoneyAction = (typeof MONEY_ACTIONS)[number]

export const TOOL_BY_MONEY_ACTION: Record<MoneyAction, Tool> = {
  payment: recordManualPaymentTool,
  refund: recordManualPaymentTool,
  reversal: recordManualPaymentTool,
  credit: editParticipantTool,
  'write-off': writeOffInvoicesTool,
}

/**
 * The visible fields of each action's form. In the HTML, their names start with the name of the action, so that ids are unique on a page
 * with several forms.
 */
const ACT_FIELDS: Record<MoneyAction, readonly string[]> = {
  payment: ['amount', 'date', 'method', 'reference', 'note', 'receipt', 'invoices', 'twice', 'surplus'],
  refund: ['amount', 'method', 'reference', 'receipt'],
  credit: ['product', 'units', 'how', 'amount', 'reason'],
  'write-off': ['invoice', 'reason'],
  reversal: ['payment', 'amount', 'note'],
}

export const getActionFieldName = (act: MoneyAction, name: string) => `${act}-${name}`
export const listActionFieldNames = (act: MoneyAction) => ACT_FIELDS[act].map((name) => getActionFieldName(act, name))

/** The message above a rejected form, by action. It says that nothing was changed. */
export const MONEY_ACTION_REFUSAL_MESSAGES: Record<MoneyAction, string> = {
  payment: 'Nothing was recorded.',
  refund: 'Nothing was refunded.',
  credit: 'Nothing was credited.',
  'write-off': 'Nothing was written off.',
  reversal: 'Nothing was reversed.',
}

export type ParsedActionForm = { args: ToolArguments } | { errors: FieldErrors }

/** Converts the form of a money action to tool arguments and collects the errors. */
class ActReader {
  readonly errors: { path: string; message: string }[] = []
  readonly #act: MoneyAction
  readonly #form: FormValues
  readonly #currency: string

  constructor(act: MoneyAction, form: FormValues, currency: string) {
    this.#act = act
    this.#form = form
    this.#currency = currency
  }

  value(name: string): string {
    return (this.#form[getActionFieldName(this.#act, name)] ?? '').trim()
  }

  isTicked(name: string): boolean {
    return this.value(name) === 'on'
  }

  addError(name: string, message: string): void {
    this.errors.push({ path: getActionFieldName(this.#act, name), message })
  }

  text(name: string, missing: string): string {
    const value = this.value(name)
    if (value === '') this.addError(name, missing)
    return value
  }

  amount(name: string): Money {
    return parseEnteredAmount(this.text(name, 'Enter the amount.'), this.#currency)
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[], missing: string): Choice | undefined {
    const found = choices.find((choice) => choice === this.value(name))
    if (found === undefined) this.addError(name, missing)
    return found
  }

  done(args: ToolArguments): ParsedActionForm {
    return this.errors.length > 0 ? { errors: this.errors } : { args }
  }
}

const requireReference = (reader: ActReader, method: string | undefined) => {
  const reference = reader.value('reference')
  if (reference === '' && (method === 'bank' || method === 'cheque'))
    reader.addError('reference', method === 'bank' ? 'Enter the bank reference.' : 'Enter the number of the cheque.')
  return reference === '' ? {} : { reference }
}

/** Reads the form of a payment on an order, or on invoices if `target` lists them. */
export async function readPaymentForm(at: EventPageContext, form: FormValues, target: ToolArguments): Promise<ParsedActionForm> {
  const reader = new ActReader('payment', form, at.event.currency)
  const amount = reader.amount('amount')
  const method = reader.choice('method', MANUAL_PAYMENT_METHODS, 'Choose how the money arrived.')
  const reference = requireReference(reader, method)
  const [day, today] = [reader.value('date'), await readCurrentDayAtEvent(at.reading)]
  if (!isCalendarDay(day)) reader.addError('date', 'Enter the day on which the money arrived.')
  else if (day > today) reader.addError('date', 'Enter a day that is not in the future.')
  const note = reader.value('note')
  return reader.done({
    kind: 'payment',
    ...target,
    amount,
    method,
    ...reference,
    // The time of day is unknown, so a payment of an earlier day counts from the start of that day.
    ...(isCalendarDay(day) && day < today ? { receivedAt: startOfDay(at.event.timezone, day).toISOString() } : {}),
    ...(note === '' ? {} : { note }),
    ...(reader.isTicked('twice') ? { allowDuplicate: true } : {}),
    ...(reader.isTicked('surplus') ? { allowOverpayment: true } : {}),
    ...(reader.isTicked('receipt') ? { sendReceipt: true } : {}),
  })
}

function readRefund(at: EventPageContext, form: FormValues, { order }: OrderMoneyPageData): ParsedActionForm {
  const reader = new ActReader('refund', form, at.event.currency)
  const amount = reader.amount('amount')
  const method = reader.choice('method', ['original', ...MANUAL_PAYMENT_METHODS], 'Choose how the money is sent back.')
  return reader.done({
    kind: 'refund',
    orderNumber: order.number,
    amount,
    method,
    ...requireReference(reader, method),
    ...(reader.isTicked('receipt') ? { sendReceipt: true } : {}),
  })
}

function readReversal(at: EventPageContext, form: FormValues, { money }: OrderMoneyPageData): ParsedActionForm {
  const reader = new ActReader('reversal', form, at.event.currency)
  const payment = money.record.payments.find(({ id }) => id === reader.value('payment'))
  if (!payment) reader.addError('payment', 'Choose the payment to reverse.')
  const amount = reader.amount('amount')
  return reader.done({ kind: 'reversal', paymentId: payment?.id, amount, note: reader.text('note', 'Enter the reason.') })
}

export const CREDIT_AMOUNT_RULES = ['full', 'policy', 'amount'] as const

function readCredit(at: EventPageContext, form: FormValues, account: OrderMoneyPageData): ParsedActionForm {
  const reader = new ActReader('credit', form, at.event.currency)
  const product = findCreditableProduct(account.products, reader.value('product'))
  if (!product) reader.addError('product', 'Choose the product to credit.')
  const units = Number(reader.value('units') || '1')
  if (product && !(Number.isInteger(units) && units >= 1 && units <= product.quantity))
    reader.addError('units', product.quantity === 1 ? 'Enter 1.' : `Enter a number from 1 to ${product.quantity}.`)
  const credit = reader.choice('how', CREDIT_AMOUNT_RULES, 'Choose how much is credited.')
  const creditAmount = credit === 'amount' ? { creditAmount: reader.amount('amount') } : {}
  const reason = reader.text('reason', 'Enter the reason.')
  return reader.done(product ? { ...toRemoval(product, units), credit, ...creditAmount, reason } : {})
}

const toRemoval = ({ participantId, code, held, revision, isTestData }: CreditableProduct, units: number) => ({
  participantId,
  data: { [`@product.${code}`]: held - units },
  ifRevision: revision,
  includeTestData: isTestData,
})

function readWriteOff(at: EventPageContext, form: FormValues, { openInvoices }: OrderMoneyPageData): ParsedActionForm {
  const reader = new ActReader('write-off', form, at.event.currency)
  const wanted = reader.value('invoice')
  const invoices = openInvoices.filter(({ number }) => wanted === '' || number === wanted)
  if (invoices.length === 0) reader.addError('invoice', 'Choose an open invoice.')
  const total = toMoney(sumMinorUnits(invoices.map(({ balance }) => moneyToMinorUnits(balance))), at.event.currency)
  return reader.done({
    invoiceNumbers: invoices.map(({ number }) => number),
    reason: reader.text('reason', 'Enter the reason.'),
    expectedTotal: total,
  })
}

/** Reads the form of a payment, refund, reversal, credit or write-off on an order. */
export async function readMoneyActionForm(
  at: EventPageContext,
  act: MoneyAction,
  form: FormValues,
  account: OrderMoneyPageData,
): Promise<ParsedActionForm> {
  if (act === 'payment') return readPaymentForm(at, form, { orderNumber: account.order.number })
  const read = { refund: readRefund, reversal: readReversal, credit: readCredit, 'write-off': readWriteOff }[act]
  return read(at, form, account)
}

/** The form field for each argument of the tools that record payments, refunds and credits, to show their errors at the field. */
const ARGUMENT_FIELDS: Record<string, string> = {
  amount: 'amount',
  'amount/amount': 'amount',
  'amount.amount': 'amount',
  'creditAmount.amount': 'amount',
  creditAmount: 'amount',
  receivedAt: 'date',
  reference: 'reference',
  method: 'method',
  reason: 'reason',
  note: 'note',
  invoiceNumbers: 'invoices',
}

/** Converts an error of the tool to an error of the form, with the page's own wording and at the field that caused it. */
export function explainMoneyActionRefusal(
  act: MoneyAction,
  { message, details }: AppError,
  { open, credit }: { open: Money; credit: Money },
): FormErrors {
  const atField = (name: string, text: string): FormErrors => ({
    message: MONEY_ACTION_REFUSAL_MESSAGES[act],
    errors: [{ path: getActionFieldName(act, name), message: text }],
    ...(details.reason ? { reason: details.reason } : {}),
  })
  if (details.reason === 'alreadyRecorded') {
    const receipt = /receipt (\S+?)\./.exec(message)?.[1] ?? ''
    return { ...atField('reference', `Already recorded as ${receipt}.`), message: 'This payment is already recorded.' }
  }
  if (details.reason === 'overpaid') return atField('amount', `${formatAmountWithCurrency(open)} is open. Enter that or less.`)
  if (details.reason === 'aboveCredit') return atField('amount', `The credit is ${formatAmountWithCurrency(credit)}. Enter that or less.`)
  if (!details.fields) return { message: `${MONEY_ACTION_REFUSAL_MESSAGES[act]} ${message}` }
  return {
    message: MONEY_ACTION_REFUSAL_MESSAGES[act],
    errors: details.fields.map(({ path, message: text }) => {
      const field = ARGUMENT_FIELDS[path]
      return field ? { path: getActionFieldName(act, field), message: text } : { path: '', message: path ? `${path}: ${text}` : text }
    }),
  }
}
