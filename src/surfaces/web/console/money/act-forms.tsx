import type { Child } from 'hono/jsx'
import { toMoney } from '../../../../kernel/money.ts'
import {
  Checkbox,
  buildAriaDescribedBy,
  LabelledField,
  type FieldErrors,
  type FieldProps,
  findFieldError,
  Form,
  Input,
  Select,
} from '../../components/forms.tsx'
import type { FormErrors } from '../../fields.ts'
import type { FormValues } from '../../web.ts'
import { DRY_RUN_BUTTON, CONFIRM_BUTTON } from '../tool-call.ts'
import { type MoneyAction, getActionFieldName } from './acts.ts'
import { formatAmountWithoutCurrency, formatAmountWithCurrency, isZeroMoney, moneyToMinorUnits } from './amounts.ts'
import type { DryRunEffects } from './effects.tsx'
import { PAYMENT_METHOD_LABELS, MANUAL_PAYMENT_METHODS } from './methods.ts'
import { type OrderMoneyPageData, buildCreditableProductKey } from './order-account.ts'

/** The state of the form for a payment, refund or similar action: typed values, errors, and the dry run to confirm. */
export interface MoneyActionFormState {
  form: FormValues
  formErrors: FormErrors | null
  checked: { shown: DryRunEffects; hidden: Record<string, string>; isStale: boolean } | null
}

/** An input for an amount, with the currency beside it. */
const AmountInput = ({ currency, value, ...field }: FieldProps & { currency: string; value: string | undefined }) => (
  <LabelledField field={field}>
    <div class="amount">
      <input
        id={field.name}
        name={field.name}
        type="text"
        inputmode="decimal"
        autocomplete="off"
        value={value}
        aria-invalid={field.error ? 'true' : undefined}
        aria-describedby={buildAriaDescribedBy(field)}
      />
      <span>{currency}</span>
    </div>
  </LabelledField>
)

interface PicksProps {
  name: string
  legend: string
  options: readonly { value: string; label: string }[]
  value: string | undefined
  error?: string | undefined
}

/** A choice between a few options, shown side by side. The first option has the id that an error links to. */
const Picks = ({ name, legend, options, value, error }: PicksProps) => (
  <fieldset class="field">
    <legend class="legend">{legend}</legend>
    <div class="picks">
      {options.map((option, index) => (
        <label class="pick">
          <input
            type="radio"
            name={name}
            id={index === 0 ? name : undefined}
            value={option.value}
            checked={option.value === value}
            aria-describedby={error ? `${name}-error` : undefined}
          />
          {option.label}
        </label>
      ))}
    </div>
    {error ? (
      <span class="error" id={`${name}-error`}>
        {error}
      </span>
    ) : null}
  </fieldset>
)

/** Returns a function that looks up full name, value and error of a form field by its short name. */
const fieldsOfAct =
  (act: MoneyAction, form: FormValues, errors: FieldErrors | undefined) =>
  (name: string, initial = '') => {
    const full = getActionFieldName(act, name)
    return { name: full, value: form[full] ?? initial, error: findFieldError(errors, full) }
  }

/** The effects of an action in words, from its dry run, directly above the button that saves the action. */
export const MoneyActionEffects = ({ shown: { effects, isDestructive }, isStale }: { shown: DryRunEffects; isStale: boolean }) => (
  // The result of the dry run is focused when the page opens, so that it is in view and screen readers read it out.
  <div class={isDestructive ? 'result danger' : 'result'} role="status" tabindex={-1} autofocus>
    <h3>What will happen</h3>
    {isStale ? <p>Nothing was saved yet: something changed since your check. This is what would happen now.</p> : null}
    <ul>
      {effects.map((effect) => (
        <li>{effect}</li>
      ))}
    </ul>
  </div>
)

const HiddenValues = ({ values }: { values: Record<string, string> }) => (
  <>
    {Object.entries(values).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
)

const submit = (tone: string, as: { name: string; value: string }, label: Child) => (
  <button type="submit" name={as.name} value={as.value} class={`button ${tone}`}>
    {label}
  </button>
)

const REVIEW_LABELS: Record<MoneyAction, string> = {
  payment: 'Review payment',
  refund: 'Review refund',
  credit: 'Review credit',
  'write-off': 'Review write-off',
  reversal: 'Review reversal',
}

/** After the dry run: its effects and the button that saves the action. Before: the button that makes the dry run. */
const ActButtons = ({ act, checked }: Pick<MoneyActionFormState, 'checked'> & { act: MoneyAction }) =>
  checked ? (
    <>
      <HiddenValues values={checked.hidden} />
      <MoneyActionEffects shown={checked.shown} isStale={checked.isStale} />
      <div class="actions">
        {submit(checked.shown.isDestructive ? 'danger primary' : 'primary', CONFIRM_BUTTON, checked.shown.button)}
        {submit('quiet', DRY_RUN_BUTTON, 'Review again')}
      </div>
    </>
  ) : (
    <div class="actions">{submit('primary', DRY_RUN_BUTTON, REVIEW_LABELS[act])}</div>
  )

interface ActFormProps {
  act: MoneyAction
  action: string
  csrf: string
  state: MoneyActionFormState
  children: Child
}

export const MoneyActionForm = ({ act, action, csrf, state, children }: ActFormProps) => (
  <Form action={action} csrf={csrf} class="act-form">
    <input type="hidden" name="act" value={act} />
    {children}
    <ActButtons act={act} checked={state.checked} />
  </Form>
)

export interface MoneyActionFieldsProps {
  account: OrderMoneyPageData
  state: MoneyActionFormState
  currency: string
}

const methodOptions = MANUAL_PAYMENT_METHODS.map((value) => ({ value, label: value === 'bank' ? 'Bank' : PAYMENT_METHOD_LABELS[value] }))

/** Whether a checkbox is ticked. All are ticked when the form is first shown; a rejected form keeps the submitted state. */
const isTicked = (form: FormValues, name: string) => form[name] === 'on' || form['act'] === undefined

interface PaymentFieldsProps {
  currency: string
  state: MoneyActionFormState
  today: string
  initialAmount: string
  /** The email address that gets the receipt; null if no address is known. */
  receiptFor: string | null
}

/** The fields of a payment, for an order and for named invoices. */
export const PaymentFields = ({ currency, state: { form, formErrors }, today, initialAmount, receiptFor }: PaymentFieldsProps) => {
  const field = fieldsOfAct('payment', form, formErrors?.errors)
  const [twice, surplus] = [getActionFieldName('payment', 'twice'), getActionFieldName('payment', 'surplus')]
  return (
    <>
      <div class="form-grid">
        <AmountInput {...field('amount', initialAmount)} label="Amount received" currency={currency} />
        <Input {...field('date', today)} type="date" label="Received on" max={today} />
        <Picks {...field('method', 'bank')} legend="Method" options={methodOptions} />
        <Input
          {...field('reference')}
          label="Reference"
          help="The bank reference, or the number of the cheque"
          autocomplete="off"
          maxlength={200}
        />
      </div>
      <Input {...field('note')} label="Note" optional="(optional)" autocomplete="off" maxlength={1000} />
      {receiptFor === null ? null : (
        <Checkbox
          name={getActionFieldName('payment', 'receipt')}
          label={`Email the receipt to ${receiptFor}`}
          checked={isTicked(form, getActionFieldName('payment', 'receipt'))}
        />
      )}
      {formErrors?.reason === 'alreadyRecorded' || form[twice] === 'on' ? (
        <Checkbox name={twice} label="This is a second payment with the same reference" checked={form[twice] === 'on'} />
      ) : null}
      {formErrors?.reason === 'overpaid' || form[surplus] === 'on' ? (
        <Checkbox name={surplus} label="Keep the surplus as credit on the order" checked={form[surplus] === 'on'} />
      ) : null}
    </>
  )
}

export const RefundFields = ({ account, state: { form, formErrors }, currency }: MoneyActionFieldsProps) => {
  const field = fieldsOfAct('refund', form, formErrors?.errors)
  const byCard = isZeroMoney(account.refundableToCard)
    ? []
    : [{ value: 'original', label: `Original card, up to ${formatAmountWithoutCurrency(account.refundableToCard)}` }]
  const options = [...byCard, ...methodOptions.map(({ value, label }) => ({ value, label: `${label}, by hand` }))]
  return (
    <>
      <div class="form-grid">
        <AmountInput {...field('amount', formatAmountWithoutCurrency(account.credit))} label="Amount to refund" currency={currency} />
        <Input {...field('reference')} label="Reference" help="For a refund by bank or cheque" autocomplete="off" maxlength={200} />
      </div>
      <Picks {...field('method', options[0]!.value)} legend="Refund to" options={options} />
      {account.email === null ? null : (
        <Checkbox
          name={getActionFieldName('refund', 'receipt')}
          label={`Email ${account.name} about the refund`}
          checked={isTicked(form, getActionFieldName('refund', 'receipt'))}
        />
      )}
    </>
  )
}

const MAX_PRODUCTS = 100

export const CreditFields = ({ account, state: { form, formErrors }, currency }: MoneyActionFieldsProps) => {
  const field = fieldsOfAct('credit', form, formErrors?.errors)
  const products = account.products.slice(0, MAX_PRODUCTS)
  const severalPeople = new Set(products.map(({ participantId }) => participantId)).size > 1
  return (
    <>
      <div class="form-grid">
        <Select
          {...field('product')}
          label="Product"
          options={products.map((product) => ({
            value: buildCreditableProductKey(product),
            label: `${product.description}${severalPeople ? `, ${product.participantName}` : ''}, ${formatAmountWithoutCurrency(product.worth)}`,
          }))}
        />
        {products.some(({ quantity }) => quantity > 1) ? (
          <Input {...field('units', '1')} label="Number of units" inputmode="numeric" autocomplete="off" />
        ) : null}
        <Select
          {...field('how', 'full')}
          label="Credit"
          options={[
            { value: 'full', label: 'The full price' },
            { value: 'policy', label: 'By the refund terms' },
            { value: 'amount', label: 'Another amount' },
          ]}
        />
        <AmountInput {...field('amount')} label="Another amount" optional="(if chosen)" currency={currency} />
        <Input {...field('reason')} label="Reason" autocomplete="off" maxlength={500} />
      </div>
      <p class="hint">The product is removed from the registration, and its seat becomes free.</p>
    </>
  )
}

export const WriteOffFields = ({ account: { openInvoices }, state: { form, formErrors } }: MoneyActionFieldsProps) => {
  const field = fieldsOfAct('write-off', form, formErrors?.errors)
  return (
    <div class="form-grid">
      {openInvoices.length > 1 ? (
        <Select
          {...field('invoice')}
          label="Invoice"
          options={[
            { value: '', label: `All ${openInvoices.length} open invoices` },
            ...openInvoices.map(({ number, balance }) => ({ value: number, label: `${number}, ${formatAmountWithCurrency(balance)}` })),
          ]}
        />
      ) : null}
      <Input {...field('reason')} label="Reason" autocomplete="off" maxlength={500} />
    </div>
  )
}

export const ReversalFields = ({ account: { money }, state: { form, formErrors }, currency }: MoneyActionFieldsProps) => {
  const field = fieldsOfAct('reversal', form, formErrors?.errors)
  const payments = listReversiblePayments(money)
  const chosen = payments.find(({ id }) => id === form[getActionFieldName('reversal', 'payment')]) ?? payments[0]
  return (
    <div class="form-grid">
      <Select
        {...field('payment')}
        label="Payment"
        options={payments.map(({ id, receiptNumber, method, left }) => ({
          value: id,
          label: `${receiptNumber}, ${PAYMENT_METHOD_LABELS[method]}, ${formatAmountWithoutCurrency(left)}`,
        }))}
      />
      <AmountInput
        {...field('amount', chosen ? formatAmountWithoutCurrency(chosen.left) : '')}
        label="Amount to reverse"
        currency={currency}
      />
      <Input {...field('note')} label="Reason" help="For example: cheque bounced, recorded by mistake" autocomplete="off" maxlength={500} />
    </div>
  )
}

/** Payments that are not yet refunded or reversed in full, newest first. */
export const listReversiblePayments = ({ record }: OrderMoneyPageData['money']) =>
  record.payments
    .map((payment) => {
      const left = toMoney(moneyToMinorUnits(payment.amount) - moneyToMinorUnits(payment.returned), payment.amount.currency)
      return { ...payment, left }
    })
    .filter(({ left }) => !isZeroMoney(left))
    .toReversed()
