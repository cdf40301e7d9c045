import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { leastNow, payNow } from '../../../domains/checkout/part.ts'
import { toMoney } from '../../../kernel/money.ts'
import { Input } from '../components/forms.tsx'
import { Group } from './fields.tsx'
import { errorAt, moneyText, type View } from './view.ts'

/** How somebody can pay here. */
export function Methods({ view, chosen }: { view: View; chosen: string }) {
  const { say } = view.place.words
  return (
    <Group field={{ name: FIELDS.method, label: say('register.payHow'), error: errorAt(view, FIELDS.method) }}>
      <div class="options">
        {view.methods.map((method) => (
          <label class="option">
            <input type="radio" name={FIELDS.method} value={method} checked={method === chosen} />
            <span class="name">{say(`register.${method}`)}</span>
            <span class="about">{say(`register.${method}Help`)}</span>
          </label>
        ))}
      </div>
      <Part view={view} />
    </Group>
  )
}

/** All now, or a part by card and the rest on the invoice. */
function Part({ view }: { view: View }) {
  const { place, progress, quote } = view
  const { say } = place.words
  const least = view.methods.includes('card') ? leastNow(progress, quote.due) : null
  if (least === null) return null
  const now = payNow(progress, quote.due)
  const isPart = (view.valueOf(FIELDS.part)[0] ?? (now < quote.due ? 'part' : 'all')) === 'part'
  const typed = view.valueOf(FIELDS.partAmount)[0] ?? (now < quote.due ? toMoney(now, place.facts.currency).amount : '')
  return (
    <fieldset class="question part">
      <legend class="legend">{say('part.title')}</legend>
      <div class="options">
        <label class="option">
          <input type="radio" name={FIELDS.part} value="all" checked={!isPart} />
          <span class="name">{say('part.all')}</span>
          <span class="price money">{moneyText(place, quote.due)}</span>
        </label>
        <div class="option">
          <input type="radio" id="part-some" name={FIELDS.part} value="part" checked={isPart} />
          <label class="name" for="part-some">
            {say('part.some')}
          </label>
          <div class="about">
            <Input
              name={FIELDS.partAmount}
              label={say('part.amount', { least: moneyText(place, least), most: moneyText(place, quote.due) })}
              inputmode="decimal"
              class="quantity"
              value={typed}
              error={errorAt(view, FIELDS.partAmount)}
            />
          </div>
        </div>
      </div>
    </fieldset>
  )
}
