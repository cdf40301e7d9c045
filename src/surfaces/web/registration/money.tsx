import type { Money as Amount } from '../../../kernel/money.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import type { EventSite } from '../event/event-site.ts'

export const MoneyText = ({ site, money }: { site: EventSite; money: Amount }) => (
  <span class="money">{formatMoney(site.words.locale, money)}</span>
)

export const isZeroAmount = ({ amount }: Amount) => Number(amount) === 0

export interface MoneyRow {
  label: string
  about?: string | undefined
  money: Amount
  kind?: 'less' | 'quiet' | 'total'
}

/** Rows of labels with amounts. The total comes last. */
export const MoneyRows = ({ site, rows }: { site: EventSite; rows: readonly MoneyRow[] }) => (
  <dl class="lines">
    {rows.map(({ label, about, money, kind }) => (
      <div class={kind}>
        <dt>
          {label}
          {about ? <small>{about}</small> : null}
        </dt>
        <dd>
          <MoneyText site={site} money={money} />
        </dd>
      </div>
    ))}
  </dl>
)
