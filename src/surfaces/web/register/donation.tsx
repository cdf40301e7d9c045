import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { productBinding } from '../../../domains/configuration/flow/collects.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { Group } from './fields.tsx'
import { offersOf } from './products.tsx'
import { errorAt, type View } from './view.ts'

/** Suggested amounts, and any other. Whoever has registered and given can give more; what they gave stays. */
export function Donation({ view, widget }: { view: View; widget: WidgetOf<'donation'> }) {
  const { say, locale } = view.place.words
  const [offer] = offersOf(view, widget)
  if (!offer) return null
  const binding = productBinding(widget.product)
  const { currency } = view.place.facts
  const isOver = view.progress.row.status === 'complete'
  const name = isOver ? FIELDS.more(binding) : binding
  const soFar = isOver ? Number(view.progress.answers[binding] ?? 0) : 0
  const given = view.valueOf(name)[0] ?? ''
  const amount = Number(given) > 0 ? given : ''
  const isOther = given === 'other' || (amount !== '' && !widget.suggested.some((one) => Number(one) === Number(amount)))
  const help =
    soFar > 0
      ? say('edit.gaveSoFar', { amount: formatMoney(locale, { amount: String(view.progress.answers[binding]), currency }) })
      : undefined
  return (
    <Group field={{ name: binding, label: offer.product.name, help, error: errorAt(view, binding) }}>
      <div class="options">
        {widget.suggested.map((one) => (
          <label class="option">
            <input type="radio" name={name} value={one} checked={!isOther && Number(one) === Number(amount)} />
            <span class="name money">{formatMoney(locale, { amount: one, currency })}</span>
          </label>
        ))}
        {widget.allowOther ? <Other view={view} name={name} checked={isOther} typed={isOther ? amount : ''} /> : null}
        <label class="option">
          <input type="radio" name={name} value="" checked={amount === '' && !isOther} />
          <span class="name">{say('register.noDonation')}</span>
        </label>
      </div>
    </Group>
  )
}

function Other({ view, name, checked, typed }: { view: View; name: string; checked: boolean; typed: string }) {
  const { say } = view.place.words
  return (
    <div class="option">
      <input type="radio" id={`${name}-other`} name={name} value="other" checked={checked} />
      <label class="name" for={`${name}-other`}>
        {say('register.otherAmount')}
      </label>
      <span class="about">
        <input
          name={FIELDS.other(name)}
          inputmode="decimal"
          class="quantity"
          aria-label={say('register.otherAmount')}
          value={view.valueOf(FIELDS.other(name))[0] ?? typed}
        />
      </span>
    </div>
  )
}
