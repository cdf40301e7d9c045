import type { Money as Amount } from '../../../kernel/money.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import type { Place } from '../event/place.ts'

export const Money = ({ place, money }: { place: Place; money: Amount }) => (
  <span class="money">{formatMoney(place.words.locale, money)}</span>
)

export const isNothing = ({ amount }: Amount) => Number(amount) === 0

export interface MoneyRow {
  label: string
  about?: string | undefined
  money: Amount
  kind?: 'less' | 'quiet' | 'total'
}

/** What it is, what it costs; the total closes them. */
export const MoneyRows = ({ place, rows }: { place: Place; rows: readonly MoneyRow[] }) => (
  <dl class="lines">
    {rows.map(({ label, about, money, kind }) => (
      <div class={kind}>
        <dt>
          {label}
          {about ? <small>{about}</small> : null}
        </dt>
        <dd>
          <Money place={place} money={money} />
        </dd>
      </div>
    ))}
  </dl>
)
