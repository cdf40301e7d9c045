import type { Quote } from '../../../domains/checkout/quote.ts'
import { readGuests } from '../../../domains/registration/guests.ts'
import { sumMinorUnits } from '../../../kernel/money.ts'
import { formatMinorAmount, type PageView } from './view.ts'

const Amount = ({ view, minor }: { view: PageView; minor: number }) => <span class="money">{formatMinorAmount(view.site, minor)}</span>

type Line = Quote['lines'][number]

/** Groups taxes by name and rate, as on the invoice. */
function groupTaxes(lines: readonly Line[]): { name: string; rate: string; included: boolean; amount: number }[] {
  const taxed = lines.filter(({ tax }) => tax !== 0)
  return [...Map.groupBy(taxed, ({ taxCode, taxRate, taxInclusive }) => `${taxCode} ${taxRate} ${taxInclusive}`).values()].map((same) => ({
    name: same[0]!.taxCode ?? '',
    rate: same[0]!.taxRate,
    included: same[0]!.taxInclusive,
    amount: sumMinorUnits(same.map(({ tax }) => tax)),
  }))
}

/** All amounts of the order, as they will appear on the invoice. */
export function OrderLines({ view }: { view: PageView }) {
  const { site, config, quote, progress } = view
  const { say } = site.words
  const names = new Map(config.products.map(({ code, name }) => [code, name]))
  const taxNames = new Map(config.taxes.map(({ code, name }) => [code, name]))
  const guests = quote.lines.some(({ guest }) => guest !== null) ? readGuests(progress.flow, progress.answers) : []
  const waiting = progress.stored.waits.flatMap((key) => (key.startsWith('product:') ? [key.slice('product:'.length)] : []))
  if (quote.lines.length === 0 && waiting.length === 0) return <p class="muted">{say('register.orderEmpty')}</p>
  const discount = sumMinorUnits(quote.lines.map((line) => line.discount))
  return (
    <dl class="lines">
      {quote.lines.map((line) => (
        <div>
          <dt>
            {names.get(line.productCode ?? '') ?? line.description}
            {line.quantity > 1 ? (
              <small>{say('register.each', { count: line.quantity, price: formatMinorAmount(site, line.unitPrice) })}</small>
            ) : null}
            {line.guest === null ? null : <small>{say('register.forGuest', { name: nameOf(guests[line.guest]?.answers) })}</small>}
          </dt>
          <dd>
            <Amount view={view} minor={line.listAmount} />
          </dd>
        </div>
      ))}
      {waiting.map((code) => (
        <div>
          <dt>
            {names.get(code) ?? code}
            <small>{say('register.onWaitlist')}</small>
          </dt>
          <dd>–</dd>
        </div>
      ))}
      {discount > 0 ? (
        <div class="less">
          <dt>{say('register.discount', { code: quote.discountCode ?? '' })}</dt>
          <dd>
            <Amount view={view} minor={-discount} />
          </dd>
        </div>
      ) : null}
      {groupTaxes(quote.lines)
        .filter(({ included }) => !included)
        .map(({ name, rate, amount }) => (
          <div class="quiet">
            <dt>{say('register.addedTax', { name: taxNames.get(name) ?? name, percent: Number(rate) })}</dt>
            <dd>
              <Amount view={view} minor={amount} />
            </dd>
          </div>
        ))}
      <div class="total">
        <dt>{say('register.total')}</dt>
        <dd>
          <Amount view={view} minor={quote.total} />
        </dd>
      </div>
      {groupTaxes(quote.lines)
        .filter(({ included }) => included)
        .map(({ name, rate, amount }) => (
          <div class="quiet">
            <dt>{say('register.includedTax', { name: taxNames.get(name) ?? name, percent: Number(rate) })}</dt>
            <dd>
              <Amount view={view} minor={amount} />
            </dd>
          </div>
        ))}
    </dl>
  )
}

const nameOf = (answers: Readonly<Record<string, unknown>> = {}) =>
  [answers['@participant.firstName'], answers['@participant.lastName']].filter(Boolean).join(' ')

/** The order summary beside the form. */
export const OrderAside = ({ view, update }: { view: PageView; update: boolean }) => {
  const { say } = view.site.words
  return (
    <aside class="order" id="order" aria-labelledby="order-title">
      <section class="card">
        <div class="card-body stack">
          <h2 id="order-title">{say('register.order')}</h2>
          <div class="order-lines" aria-live="polite">
            <OrderLines view={view} />
            {view.progress.group?.payBy === 'group' ? <p class="small muted">{say('register.groupPays')}</p> : null}
          </div>
          {update ? (
            <button type="submit" form="page" name="do" value="update" class="button wide small no-script">
              {say('register.updateTotal')}
            </button>
          ) : null}
        </div>
      </section>
    </aside>
  )
}
