import { choices, configOf, field, flowOf, type PageInput, when, type WidgetInput } from './fixtures.ts'

const FIELDS = 500
const PRODUCTS = 300
const PAGES = 40
const PER_PAGE = 50

const code = (n: number) => `f${n}`

/** Builds the largest possible flow: 2,000 widgets on 40 pages, every other widget with a condition on an earlier page. */
export function largeConfig() {
  const customFields = Array.from({ length: FIELDS }, (_, n) => ({
    code: code(n),
    name: code(n),
    responseType: 'choice' as const,
    choices: choices('a', 'b', 'c'),
  }))
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({
    code: `p${n}`,
    name: `p${n}`,
    category: 'other' as const,
    prices: [{ amount: '10.00' }, { amount: '8.00', from: '2026-01-01', tags: [`t${n % 20}`] }],
  }))
  const pages = Array.from({ length: PAGES }, (_, page): PageInput => ({
    code: `page${page}`,
    title: `Page ${page}`,
    widgets: widgetsOf(page),
  }))
  return configOf({
    tags: Array.from({ length: 20 }, (_, n) => ({ code: `t${n}`, name: `t${n}` })),
    customFields,
    products,
    flows: [flowOf(pages)],
  })
}

const widgetsOf = (page: number) =>
  Array.from({ length: PER_PAGE }, (_, at): WidgetInput => {
    const n = page * PER_PAGE + at
    const widget: WidgetInput =
      at === 0
        ? { id: `w${n}`, type: 'products', products: Array.from({ length: 7 }, (_item, index) => `p${(page * 7 + index) % PRODUCTS}`) }
        : field(`w${n}`, `@custom.${code(n % FIELDS)}`, { required: at % 3 === 0 })
    return at % 2 === 1 && page > 0 ? { ...widget, showWhen: when(`@custom.${code((n - 49) % FIELDS)}`, 'equals', 'b') } : widget
  })
