import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import { getRegistrationSummary } from '../../../../domains/registration/summary/summary.ts'
import { sumMinorUnits, toMinorUnits, toMoney } from '../../../../kernel/money.ts'
import { SegmentedBar, formatInteger } from '../../components/figures.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { AssistantPrompt, Card, type TableColumn } from '../../components/parts.tsx'
import type { WebServices } from '../../web.ts'
import { readQueryFilter } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { getEventPageContext, CONSOLE_EVENT_PATH } from './event-page.ts'
import { formatAmountWithCurrency, formatAmountWithoutCurrency } from '../money/amounts.ts'
import type { RegistrationSummary } from './figures.tsx'
import { TestDataSwitch, includesTestData } from './test-data.tsx'

type Sold = RegistrationSummary['products'][number]

export interface ProductNameLookup {
  /** The name of a product, including products that were removed from the draft. */
  nameOf: (code: string) => string
  /** The capacity in the draft if it differs from the published one; otherwise undefined. */
  plannedFor: (code: string) => number | null | undefined
}

export function createProductNameLookup(draft: EventConfig, live: EventConfig | null): ProductNameLookup {
  const [now, next] = [live, draft].map((config) => new Map(config?.products.map((product) => [product.code, product])))
  return {
    nameOf: (code) => (now!.get(code) ?? next!.get(code))?.name ?? code,
    plannedFor: (code) => {
      const [was, is] = [now!.get(code), next!.get(code)]
      return was && is && was.capacity !== is.capacity ? is.capacity : undefined
    },
  }
}

const formatLimit = (capacity: number | null) => (capacity === null ? 'unlimited' : formatInteger(capacity))

function notesOf({ code, available, held, overage, waitlisted }: Sold, { plannedFor }: ProductNameLookup): string[] {
  const planned = plannedFor(code)
  return [
    ...(available !== null && available <= 0 ? ['sold out'] : []),
    ...(overage > 0 ? [`${formatInteger(overage)} over capacity`] : []),
    ...(held > 0 ? [`${formatInteger(held)} held`] : []),
    ...(waitlisted > 0 ? [`${formatInteger(waitlisted)} on the waiting list`] : []),
    ...(planned === undefined ? [] : [`${formatLimit(planned)} in the draft`]),
  ]
}

const MAX_SHOWN = 6
const MAX_LISTED = 50

/** The best-selling products with their remaining capacity. */
export const SalesCard = ({ summary, named, base }: { summary: RegistrationSummary; named: ProductNameLookup; base: string }) => {
  const total = summary.products.length + (summary.otherProducts?.count ?? 0)
  return (
    <Card title="Sales" actions={total > 0 ? <a href={`${base}/products`}>{total === 1 ? '1 product' : `All ${total} products`}</a> : null}>
      {total === 0 ? <p class="muted">No products yet.</p> : null}
      <ul class="capacity">
        {summary.products.slice(0, MAX_SHOWN).map((product) => {
          const { code, sold, held, capacity } = product
          const full = product.available !== null && product.available <= 0
          return (
            <li>
              <span dir="auto">{named.nameOf(code)}</span>
              <span class="v">
                <b>{formatInteger(sold)}</b>
                {capacity === null ? ' sold' : ` of ${formatInteger(capacity)}`}
                {notesOf(product, named).map((note) => ` · ${note}`)}
              </span>
              {capacity === null ? null : (
                <SegmentedBar
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

/** `…/products`: sales and revenue of each product of the event. */
export function eventProductPages(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/products`, async (c) => {
    const at = await getEventPageContext(web, c, 'registration.read')
    const test = includesTestData(c)
    const here = `${at.base}/products`
    const { search } = readQueryFilter(c, ['search'])
    const draft = await readDraftConfiguration(at.reading)
    const live = await readLiveConfiguration(at.reading, draft)
    const summary = await getRegistrationSummary(at.reading, { includeTestData: test })
    const named = createProductNameLookup(draft.config, live?.config ?? null)
    const words = (search ?? '').toLowerCase().split(' ')
    const found = summary.products.filter(({ code }) => words.every((word) => named.nameOf(code).toLowerCase().includes(word)))
    const others = sumUnlisted(summary, at.event.currency)
    const isLong = others.count > 0
    const page = renderListPage({
      title: `Products of ${at.event.name}`,
      heading: 'Products',
      text: 'Sales, capacity and revenue of each product.',
      crumbs: [{ href: at.base, label: at.event.name }],
      actions: <TestDataSwitch test={test} here={here} />,
      ...(isLong
        ? {
            search: {
              action: here,
              search: { label: 'Search products', placeholder: 'Name', value: search },
              kept: { test: test ? 'yes' : undefined },
            },
          }
        : {}),
      caption: 'Products',
      columns: productColumns(named, at.event.currency),
      rows: found.slice(0, MAX_LISTED),
      empty: search
        ? { title: 'No products found', text: 'Change your search.' }
        : {
            title: 'No products yet',
            text: 'Products are what participants buy: tickets, dinners, tours.',
            ask: `Add a conference pass for 450 EUR to ${at.event.name}.`,
          },
      after:
        isLong && search === undefined ? (
          <>
            <p class="muted">{`Showing ${MAX_LISTED} of ${MAX_LISTED + others.count} products. The other ${others.count} earned ${formatAmountWithCurrency(others.total)}.`}</p>
            <AssistantPrompt id="ask-products" text={`List sales, capacity and revenue of all products of ${at.event.name}.`} />
          </>
        ) : null,
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'products'), page)
  })
}

/** Sums the count and revenue of the products that are not listed. */
function sumUnlisted({ products, otherProducts }: RegistrationSummary, currency: string) {
  const totals = [...products.slice(MAX_LISTED), ...(otherProducts ? [otherProducts] : [])].map(({ total }) =>
    toMinorUnits(total.amount, currency),
  )
  return { count: Math.max(0, products.length - MAX_LISTED) + (otherProducts?.count ?? 0), total: toMoney(sumMinorUnits(totals), currency) }
}

const productColumns = (named: ProductNameLookup, currency: string): TableColumn<Sold>[] => [
  {
    label: 'Product',
    lead: true,
    cell: ({ code }) => (
      <span dir="auto" title={code}>
        {named.nameOf(code)}
      </span>
    ),
  },
  {
    label: 'Sold',
    number: true,
    twoLine: 'mark',
    cell: ({ sold, capacity }) => (
      <>
        {formatInteger(sold)}
        <span class="narrow-only">{capacity === null ? ' sold' : ` of ${formatInteger(capacity)}`}</span>
      </>
    ),
  },
  {
    label: 'Capacity',
    number: true,
    cell: ({ capacity }) => (capacity === null ? <span class="muted">unlimited</span> : formatInteger(capacity)),
  },
  { label: 'Notes', twoLine: 'detail', cell: (product) => notesOf(product, named).join(', ') },
  { label: `Net, ${currency}`, number: true, cell: ({ net }) => formatAmountWithoutCurrency(net) },
  { label: `Tax, ${currency}`, number: true, cell: ({ tax }) => formatAmountWithoutCurrency(tax) },
  {
    label: `Total, ${currency}`,
    number: true,
    twoLine: 'figure',
    cell: ({ total }) => (
      <>
        {formatAmountWithoutCurrency(total)}
        <span class="narrow-only"> {currency}</span>
      </>
    ),
  },
]
