import { readCurrentDayAtEvent } from '../../../../domains/orders/overview/open-invoices.ts'
import { listInvoicePayers, type InvoiceWithPayer } from '../../../../domains/orders/overview/named-payers.ts'
import type { Money } from '../../../../kernel/money.ts'
import { ErrorSummary, findFieldError, Form, Input } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card, Notice } from '../../components/parts.tsx'
import type { FieldErrors } from '../../components/forms.tsx'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { type EventPageContext, CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { DRY_RUN_BUTTON, CONFIRM_BUTTON, runFormToolCall, type ToolArguments } from '../tool-call.ts'
import { type MoneyActionFormState, MoneyActionEffects, PaymentFields } from './act-forms.tsx'
import {
  TOOL_BY_MONEY_ACTION,
  explainMoneyActionRefusal,
  getActionFieldName,
  listActionFieldNames,
  MONEY_ACTION_REFUSAL_MESSAGES,
  readPaymentForm,
} from './acts.ts'
import { sumMoney } from './amounts.ts'
import { describePaymentEffects, type PaymentResult } from './effects.tsx'
import { createDocumentPathBuilder } from './order-pages.tsx'

const PATH = `${CONSOLE_EVENT_PATH}/money/record`
const INVOICES = getActionFieldName('payment', 'invoices')
const FORM_ID = 'payment'

/** Reads the invoice numbers or the order number that the user typed. */
function readTarget(typed: string): { target: ToolArguments; numbers: string[] } | { errors: FieldErrors } {
  const numbers = typed
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter(Boolean)
  const orders = numbers.filter((number) => /^(T-|IMP-)?R-/.test(number))
  const error = (message: string) => ({ errors: [{ path: INVOICES, message }] })
  if (numbers.length === 0) return error('Enter the invoice numbers, or one order number.')
  if (orders.length > 1 || (orders.length === 1 && numbers.length > 1))
    return error('Enter invoice numbers, or one order number, not both.')
  return { target: orders.length === 1 ? { orderNumber: numbers[0] } : { invoiceNumbers: numbers }, numbers }
}

/** `…/money/record`: records a payment of several invoices, or of an order. */
export function paymentRecordingPages(web: WebServices) {
  async function page(c: WebContext, at: EventPageContext, state: MoneyActionFormState) {
    const today = await readCurrentDayAtEvent(at.reading)
    const { form, formErrors, checked } = state
    const csrf = getCsrfToken(web, c)
    const content = (
      <>
        <Heading
          title="Record a payment"
          text="For money that arrived by bank transfer, cheque or cash. Card payments are recorded automatically."
          crumbs={[{ href: `${at.base}/money`, label: 'Money' }]}
        />
        <RecordedNotice c={c} at={at} />
        <ErrorSummary {...formErrors} />
        <div class="grid wide-left">
          <Card title="Payment">
            <Form action={`${at.base}/money/record`} csrf={csrf} class="act-form" id={FORM_ID}>
              <input type="hidden" name="act" value="payment" />
              {Object.entries(checked?.hidden ?? {}).map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <Input
                name={INVOICES}
                label="Invoices or order"
                value={form[INVOICES] ?? c.req.query('for') ?? ''}
                error={findFieldError(formErrors?.errors, INVOICES)}
                help="Invoice numbers, or one order number. Several invoices are paid in the order you type them."
                autocomplete="off"
              />
              <PaymentFields state={state} currency={at.event.currency} today={today} initialAmount="" receiptFor="the payers" />
              <div class="actions">
                <button type="submit" name={DRY_RUN_BUTTON.name} value={DRY_RUN_BUTTON.value} class={checked ? 'button' : 'button primary'}>
                  {checked || formErrors ? 'Review again' : 'Review payment'}
                </button>
              </div>
            </Form>
          </Card>
          <CheckCard state={state} />
        </div>
      </>
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'money'), {
      title: 'Record a payment',
      status: formErrors ? 400 : 200,
      content,
    })
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => page(c, await getEventPageContext(web, c, 'money.write'), { form: {}, formErrors: null, checked: null }))
    .post(PATH, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'money.write')
      const refused = (errors: FieldErrors) =>
        page(c, at, { form, checked: null, formErrors: { message: MONEY_ACTION_REFUSAL_MESSAGES.payment, errors } })
      const read = readTarget(form[INVOICES] ?? '')
      const payment = 'errors' in read ? read : await readPaymentForm(at, form, read.target)
      if ('errors' in payment) return refused([...payment.errors])
      const call = await runFormToolCall<PaymentResult>(web, at, {
        tool: TOOL_BY_MONEY_ACTION.payment,
        args: payment.args,
        form,
        fields: listActionFieldNames('payment'),
      })
      if ('done' in call) return c.redirect(`${at.base}/money/record?receipt=${encodeURIComponent(call.done.receiptNumber)}`, 303)
      const named = await listInvoicePayers(at.reading, 'numbers' in read ? read.numbers : [])
      if ('refused' in call) {
        const open = sumMoney(
          named.map(({ claim }) => claim),
          at.event.currency,
        )
        const formErrors = explainMoneyActionRefusal('payment', call.refused, { open, credit: open })
        return page(c, at, { form, checked: null, formErrors })
      }
      if ('unread' in call) return refused([])
      const { result, hidden, isStale } = call.checked
      const shown = describePaymentEffects(result, payment.args['amount'] as Money, { payerOf: (number) => payerOf(named, number) })
      return page(c, at, { form, formErrors: null, checked: { shown, hidden, isStale } })
    })
}

const payerOf = (named: readonly InvoiceWithPayer[], number: string) => named.find((one) => one.number === number)?.payer ?? ''

/** The card beside the form with the dry run of the payment and the button that saves it. */
const CheckCard = ({ state: { checked, formErrors } }: { state: MoneyActionFormState }) => (
  <Card title={formErrors ? 'Nothing was recorded' : 'Before you record it'}>
    {checked ? (
      <>
        <MoneyActionEffects shown={checked.shown} isStale={checked.isStale} />
        <div class="actions">
          <button type="submit" form={FORM_ID} name={CONFIRM_BUTTON.name} value={CONFIRM_BUTTON.value} class="button primary wide">
            {checked.shown.button}
          </button>
        </div>
        <p class="hint">A wrong entry can be reversed later. It stays visible in the history.</p>
      </>
    ) : (
      <p class="hint">
        {formErrors ? 'Correct the payment and review it again.' : 'What the payment will change appears here before anything is saved.'}
      </p>
    )}
  </Card>
)

/** The notice about the payment that was just recorded. */
const RecordedNotice = ({ c, at }: { c: WebContext; at: EventPageContext }) => {
  const number = c.req.query('receipt') ?? ''
  if (!/^[A-Z0-9-]{4,40}$/.test(number)) return null
  const path = createDocumentPathBuilder(at)
  return (
    <Notice tone="success">
      <p>
        <strong>Payment recorded.</strong> Receipt {path ? <a href={path(number)}>{number}</a> : number} was issued.
      </p>
    </Notice>
  )
}
