import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { toProductAnswerKey } from '../../../domains/configuration/flow/collected-answers.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { FieldGroup } from './fields.tsx'
import { listProductsOfWidget } from './products.tsx'
import { findErrorMessage, type RegistrationPageView } from './view.ts'

/** The choice of a donation: a suggested amount or any other. After registering, participants can only add to their donation. */
export function DonationWidget({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'donation'> }) {
  const { say, locale } = view.site.words
  const [offer] = listProductsOfWidget(view, widget)
  if (!offer) return null
  const binding = toProductAnswerKey(widget.product)
  const { currency } = view.site.facts
  const isOver = view.progress.row.status === 'complete'
  const name = isOver ? NON_ANSWER_FORM_FIELDS.more(binding) : binding
  const soFar = isOver ? Number(view.progress.answers[binding] ?? 0) : 0
  const typedAmount = view.valueOf(name)[0] ?? ''
  const amount = Number(typedAmount) > 0 ? typedAmount : ''
  const isOther = typedAmount === 'other' || (amount !== '' && !widget.suggested.some((one) => Number(one) === Number(amount)))
  const help =
    soFar > 0
      ? say('edit.donatedSoFar', { amount: formatMoney(locale, { amount: String(view.progress.answers[binding]), currency }) })
      : undefined
  return (
    <FieldGroup field={{ name: binding, label: offer.product.name, help, error: findErrorMessage(view, binding) }} helpFirst>
      <div class="options amounts">
        <label class="option whole">
          <input type="radio" name={name} value="" checked={amount === '' && !isOther} />
          <span class="name">{say('register.noDonation')}</span>
        </label>
        {widget.suggested.map((one) => (
          <label class="option">
            <input type="radio" name={name} value={one} checked={!isOther && Number(one) === Number(amount)} />
            <span class="name money">{formatMoney(locale, { amount: one, currency })}</span>
          </label>
        ))}
        {widget.allowOther ? <Other view={view} name={name} checked={isOther} typed={isOther ? amount : ''} /> : null}
      </div>
    </FieldGroup>
  )
}

function Other({ view, name, checked, typed }: { view: RegistrationPageView; name: string; checked: boolean; typed: string }) {
  const { say } = view.site.words
  return (
    <div class="option whole">
      <input type="radio" id={`${name}-other`} name={name} value="other" checked={checked} />
      <label class="name" for={`${name}-other`}>
        {say('register.otherAmount')}
      </label>
      <span class="about opens">
        <input
          name={NON_ANSWER_FORM_FIELDS.other(name)}
          inputmode="decimal"
          class="quantity"
          aria-label={say('register.otherAmount')}
          value={view.valueOf(NON_ANSWER_FORM_FIELDS.other(name))[0] ?? typed}
        />
      </span>
    </div>
  )
}
