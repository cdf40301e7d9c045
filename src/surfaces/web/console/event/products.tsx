import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { readDraft, readLive } from '../../../../domains/configuration/read.ts'
import { getRegistrationSummary } from '../../../../domains/registration/summary.ts'
import { sumMinor, toMinor, toMoney } from '../../../../kernel/money.ts'
import { Bar, numberInWords } from '../../components/figures.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card, Empty, Table } from '../../components/parts.tsx'
import type { Web } from '../../web.ts'
import { consolePages, frame } from '../frame.tsx'
import { atEvent, EVENT_PATH } from './at-event.ts'
import { moneyInWords, type Summary } from './figures.tsx'
import { TestDataSwitch, withTestData } from './test-data.tsx'

type Sold = Summary['products'][number]

export interface Named {
  /** What each product is called, also what is no longer in the draft. */
  nameOf: (code: string) => string
  /** The limit that the draft would set, where it differs from the one in force. */
  plannedFor: (code: string) => number | null | undefined
}

export function namedIn(draft: EventConfig, live: EventConfig | null): Named {
  const [now, next] = [live, draft].map((config) => new Map(config?.products.map((product) => [product.code, product])))
  return {
    nameOf: (code) => (now!.get(code) ?? next!.get(code))?.name ?? code,
    plannedFor: (code) => {
      const [was, is] = [now!.get(code), next!.get(code)]
      return was && is && was.capacity !== is.capacity ? is.capacity : undefined
    },
  }
}

const limitInWords = (capacity: number | null) => (capacity === null ? 'no limit' : numberInWords(capacity))

function notesOf({ code, available, held, overage, waitlisted }: Sold, { plannedFor }: Named): string[] {
  const planned = plannedFor(code)
  return [
    ...(available !== null && available <= 0 ? ['sold out'] : []),
    ...(overage > 0 ? [`${numberInWords(overage)} over`] : []),
    ...(held > 0 ? [`${numberInWords(held)} held`] : []),
    ...(waitlisted > 0 ? [`${numberInWords(waitlisted)} waiting`] : []),
    ...(planned === undefined ? [] : [`${limitInWords(planned)} in the draft`]),
  ]
}

const MOST_SHOWN = 6
const MOST_LISTED = 50

/** What sells, each with how much of it is gone. */
export const SoldCard = ({ summary, named, base }: { summary: Summary; named: Named; base: string }) => {
  const total = summary.products.length + (summary.otherProducts?.count ?? 0)
  return (
    <Card
      title="Sold of capacity"
      actions={total > 0 ? <a href={`${base}/products`}>{total === 1 ? 'The product' : `All ${total} products`}</a> : null}
    >
      {total === 0 ? <p class="muted">There is nothing to sell yet.</p> : null}
      <ul class="capacity">
        {summary.products.slice(0, MOST_SHOWN).map((product) => {
          const { code, sold, held, capacity } = product
          const full = product.available !== null && product.available <= 0
          return (
            <li>
              <span dir="auto">{named.nameOf(code)}</span>
              <span class="v">
                <b>{numberInWords(sold)}</b>
                {capacity === null ? ' sold' : ` of ${numberInWords(capacity)}`}
                {notesOf(product, named).map((note) => ` · ${note}`)}
              </span>
              {capacity === null ? null : (
                <Bar
                  whole={Math.max(capacity, sold + held)}
                  parts={[
                    { size: sold, tone: full ? 3 : 1 },
                    { size: held, tone: 2 },
                  ]}
                />
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** `…/products`: every product with what was sold of it and what it brought. */
export function eventProductPages(web: Web) {
  return consolePages(web).get(`${EVENT_PATH}/products`, async (c) => {
    const at = await atEvent(web, c, 'registration.read')
    const test = withTestData(c)
    const draft = await readDraft(at.reading)
    const live = await readLive(at.reading, draft)
    const summary = await getRegistrationSummary(at.reading, { includeTestData: test })
    const named = namedIn(draft.config, live?.config ?? null)
    const others = othersOf(summary, at.event.currency)
    return frame(
      web,
      c,
      { title: `Products of ${at.event.name}`, current: `${at.base}/products`, client: at.client, event: at },
      <>
        <Heading
          title="Products"
          text="What was sold of each, of how many, and what it brought."
          crumbs={[{ href: at.base, label: at.event.name }]}
        >
          <TestDataSwitch test={test} here={`${at.base}/products`} />
        </Heading>
        <Card pad={false}>
          {summary.products.length === 0 ? (
            <Empty title="No products" ask={`Add a conference pass for 450 EUR to ${at.event.name}`} />
          ) : (
            <ProductTable products={summary.products.slice(0, MOST_LISTED)} named={named} />
          )}
        </Card>
        {others.count > 0 ? (
          <p class="muted">{`Shown are the ${MOST_LISTED} that brought most; ${others.count} more brought ${moneyInWords(others.total)}.`}</p>
        ) : null}
      </>,
    )
  })
}

/** What is not listed, added up. */
function othersOf({ products, otherProducts }: Summary, currency: string) {
  const totals = [...products.slice(MOST_LISTED), ...(otherProducts ? [otherProducts] : [])].map(({ total }) =>
    toMinor(total.amount, currency),
  )
  return { count: Math.max(0, products.length - MOST_LISTED) + (otherProducts?.count ?? 0), total: toMoney(sumMinor(totals), currency) }
}

const ProductTable = ({ products, named }: { products: readonly Sold[]; named: Named }) => (
  <Table
    caption="Products"
    rows={products}
    columns={[
      {
        label: 'Product',
        lead: true,
        cell: ({ code }) => (
          <>
            <span dir="auto">{named.nameOf(code)}</span> <code>{code}</code>
          </>
        ),
      },
      { label: 'Sold', number: true, cell: ({ sold }) => numberInWords(sold) },
      {
        label: 'Limit',
        number: true,
        cell: ({ capacity }) => (capacity === null ? <span class="muted">none</span> : numberInWords(capacity)),
      },
      { label: 'Notes', cell: (product) => notesOf(product, named).join(', ') },
      { label: 'Net', number: true, cell: ({ net }) => moneyInWords(net) },
      { label: 'Tax', number: true, cell: ({ tax }) => moneyInWords(tax) },
      { label: 'Total', number: true, cell: ({ total }) => moneyInWords(total) },
    ]}
  />
)
