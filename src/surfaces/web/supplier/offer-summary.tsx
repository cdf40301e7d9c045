import type { TotalCost } from '../../../domains/bids/cost.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatNumber } from '../../../kernel/language/format.ts'
import { listOfferFields } from './offer-fields.ts'
import { listOfferSections, type OfferView, getOfferSectionTitle } from './offer-page.tsx'
import { formatMinorUnits } from './rfp.ts'

interface OfferSummaryProps {
  view: OfferView
  cost: TotalCost
  minimum: number
  /** The errors that must be fixed before the offer can be sent, such as missing values. */
  missing: readonly FieldError[]
}

/** The total cost of the offer as typed so far, calculated as in the organizer's comparison, and the state of each part of the form. */
export const OfferSummary = ({ view, cost, minimum, missing }: OfferSummaryProps) => {
  const { at, rfp, form, values, errors } = view
  const { say, locale } = at.site.words
  const money = (minor: number) => formatMinorUnits(at, minor, rfp.currency)
  const lines: { label: string; small?: string; minor: number }[] = [
    {
      label: say('bid.rooms'),
      small: say('bid.sum.rooms', { nights: formatNumber(locale, cost.roomNights) }),
      minor: cost.parts.rooms,
    },
    { label: say('bid.sum.space'), minor: cost.parts.space },
    { label: say('bid.sum.food'), small: say('bid.sum.foodText', { amount: money(minimum) }), minor: cost.parts.food },
    { label: say('bid.sum.av'), minor: cost.parts.av },
    { label: say('bid.sum.fees'), minor: cost.parts.fees },
  ]
  const stateOf = (section: string) => {
    const fields = listOfferFields(form).filter((field) => field.section === section)
    const isOfSection = ({ path }: FieldError) => fields.some(({ name }) => name === path)
    const wrong = errors.filter(isOfSection).length
    if (wrong > 0) return { text: say('bid.toFix', { count: wrong }), isWrong: true }
    if (missing.some(isOfSection)) return { text: say('bid.required'), isWrong: false }
    const filled = fields.filter(({ name }) => (values[name] ?? '').trim() !== '').length
    return { text: filled === fields.length ? say('bid.complete') : say('bid.filled', { count: filled }), isWrong: false }
  }
  return (
    <aside class="order" aria-label={say('bid.soFar')}>
      <div class="card">
        <div class="card-body stack">
          <h2>{say('bid.soFar')}</h2>
          <dl class="lines">
            {lines
              .filter(({ minor }, index) => minor > 0 || index < 3)
              .map(({ label, small, minor }) => (
                <div>
                  <dt>
                    {label}
                    {small && minor > 0 ? <small>{small}</small> : null}
                  </dt>
                  <dd>
                    <span class="money">{money(minor)}</span>
                  </dd>
                </div>
              ))}
            {cost.concessions > 0 ? (
              <div class="less">
                <dt>{say('bid.sum.included')}</dt>
                <dd>
                  <span class="money">−{money(cost.concessions)}</span>
                </dd>
              </div>
            ) : null}
            <div class="total">
              <dt>{say('bid.sum.net')}</dt>
              <dd>
                <span class="money">{money(cost.net)}</span>
              </dd>
            </div>
          </dl>
          {view.isOpen ? (
            <button type="submit" class="button wide" name="do" value="update">
              {say('bid.update')}
            </button>
          ) : null}
        </div>
        <footer>
          <ul class="section-nav">
            {listOfferSections(view).map((section) => {
              const { text, isWrong } = stateOf(section)
              return (
                <li>
                  <a href={`#${section}`}>
                    <span>{getOfferSectionTitle(view, section)}</span>
                    <span class={isWrong ? 'state wrong' : 'state'}>{text}</span>
                  </a>
                </li>
              )
            })}
          </ul>
        </footer>
      </div>
    </aside>
  )
}
