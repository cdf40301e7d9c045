import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { computeMinimumPayment, computeAmountDueNow } from '../../../domains/checkout/partial-payment.ts'
import { toMoney } from '../../../kernel/money.ts'
import { Input } from '../components/forms.tsx'
import { FieldGroup } from './fields.tsx'
import { findErrorMessage, formatMinorAmount, type RegistrationPageView } from './view.ts'

/** The available payment methods. */
export function PaymentMethods({ view, chosen }: { view: RegistrationPageView; chosen: string }) {
  const { say } = view.site.words
  return (
    <FieldGroup
      field={{
        name: NON_ANSWER_FORM_FIELDS.method,
        label: say('register.payHow'),
        error: findErrorMessage(view, NON_ANSWER_FORM_FIELDS.method),
      }}
    >
      <div class="options">
        {view.methods.map((method) => (
          <label class="option">
            <input type="radio" name={NON_ANSWER_FORM_FIELDS.method} value={method} checked={method === chosen} />
            <span class="name">{say(`register.${method}`)}</span>
            <span class="about">{say(`register.${method}Help`)}</span>
          </label>
        ))}
      </div>
      <PartialPayment view={view} />
    </FieldGroup>
  )
}

/** The choice between paying the full amount now, and paying a part by card and the rest by invoice. */
function PartialPayment({ view }: { view: RegistrationPageView }) {
  const { site, progress, quote } = view
  const { say } = site.words
  const least = view.methods.includes('card') ? computeMinimumPayment(progress, quote.due) : null
  if (least === null) return null
  const now = computeAmountDueNow(progress, quote.due)
  const isPart = (view.valueOf(NON_ANSWER_FORM_FIELDS.part)[0] ?? (now < quote.due ? 'part' : 'all')) === 'part'
  const typed = view.valueOf(NON_ANSWER_FORM_FIELDS.partAmount)[0] ?? (now < quote.due ? toMoney(now, site.facts.currency).amount : '')
  return (
    <fieldset class="question part">
      <legend class="legend">{say('part.title')}</legend>
      <div class="options">
        <label class="option">
          <input type="radio" name={NON_ANSWER_FORM_FIELDS.part} value="all" checked={!isPart} />
          <span class="name">{say('part.all')}</span>
          <span class="price money">{formatMinorAmount(site, quote.due)}</span>
        </label>
        <div class="option">
          <input type="radio" id="part-some" name={NON_ANSWER_FORM_FIELDS.part} value="part" checked={isPart} />
          <label class="name" for="part-some">
            {say('part.some')}
          </label>
          <div class="about">
            <Input
              name={NON_ANSWER_FORM_FIELDS.partAmount}
              label={say('part.amount', { least: formatMinorAmount(site, least), most: formatMinorAmount(site, quote.due) })}
              inputmode="decimal"
              class="quantity"
              value={typed}
              error={findErrorMessage(view, NON_ANSWER_FORM_FIELDS.partAmount)}
            />
          </div>
        </div>
      </div>
    </fieldset>
  )
}
