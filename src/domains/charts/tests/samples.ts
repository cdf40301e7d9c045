import type { ChartColumn, ChartRequest, ChartRow } from '../chart.ts'

const column = (name: string, type: string, label: string): ChartColumn => ({ name, type, label })
const eur = (amount: number) => ({ amount: amount.toFixed(2), currency: 'EUR' })

export const PRODUCT = column('productCode', 'code', 'Product')
export const NET = column('net', 'money', 'Net')
export const COUNT = column('count', 'integer', 'Registrations')
const DAY = column('completedAt:day', 'day', 'Completed on')
const FLOW = column('flowSlug', 'code', 'Flow')
const AVERAGE = column('avg_balance', 'money', 'Average balance')

/** Generates a repeatable sequence of pseudo-random numbers from 0 to 1. */
function* randoms(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

const addDays = (day: string, days: number) => new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

const FLOWS = ['attendee', 'exhibitor', 'press', 'speaker', 'student', 'sponsor']
const COUNTRIES = ['DE', 'FR', 'US', 'GB', 'IT', 'ES', 'NL', 'JP', 'CN', 'AE', 'BR', 'CA']

/** The rows of the revenue example in the specification. */
export const REVENUE_ROWS: ChartRow[] = [
  { productCode: 'pass', net: eur(637.5) },
  { productCode: 'dinner', net: eur(161.82) },
  { productCode: 'workshop', net: eur(127.49) },
]

export const manyProducts = (count: number): ChartRow[] =>
  Array.from({ length: count }, (_, index) => ({ productCode: `product-${index + 1}`, net: eur(((index * 37) % 101) * 12.5 + 3.75) }))

const LONG_NAMES = [
  'Full conference pass with gala dinner and city tour',
  'Workshop: Advanced observability for platform engineering teams in regulated industries',
  'مؤتمر الابتكار في الشرق الأوسط',
  '东京国际会议中心年度技术大会门票',
  'Networking dinner',
  'Straßenbahn- und Übernachtungspaket für Aussteller',
  'Livestream',
]

const CITIES = ['東京 (日本)', '北京市', '서울특별시', 'القاهرة، مصر', 'תל אביב-יפו', 'กรุงเทพมหานคร', 'नई दिल्ली']

function perDay(days: number, flows: readonly string[]): ChartRow[] {
  const random = randoms(7)
  return Array.from({ length: days }, (_, day) =>
    flows.map((flowSlug, index) => ({
      [DAY.name]: addDays('2026-08-03', day),
      flowSlug,
      count: Math.round((40 - index * 6) * (0.4 + day / days) * (0.5 + random.next().value)),
    })),
  ).flat()
}

function amounts(count: number): ChartRow[] {
  const random = randoms(11)
  return Array.from({ length: count }, (_, index) => ({
    flowSlug: FLOWS[index % 4]!,
    balance: eur(Math.round(100 * (40 + (index % 4) * 60 + 300 * random.next().value ** 3)) / 100),
    daysBefore: Math.round(120 * random.next().value ** 2),
  }))
}

const BALANCE = column('balance', 'money', 'Balance')
const DAYS_BEFORE = column('daysBefore', 'integer', 'Days before the event')
const heat = (): ChartRow[] => {
  const random = randoms(3)
  return Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 12 }, (__, hour) => ({
      day: day + 1,
      hour: hour + 8,
      count: Math.round(60 * random.next().value * (day < 5 ? 1 : 0.2)),
    })),
  ).flat()
}

const funnelColumns = [column('page', 'code', 'Page'), column('visits', 'integer', 'Visits')]

/** Chart requests whose images are compared with the committed ones, in light and dark mode. */
export const SAMPLES: Readonly<Record<string, ChartRequest>> = {
  'bar-revenue': { kind: 'bar', columns: [PRODUCT, NET], rows: REVENUE_ROWS, additive: true },
  'bar-merged': { kind: 'bar', columns: [PRODUCT, NET], rows: manyProducts(40), additive: true, title: 'Net revenue of 40 products' },
  'bar-long-names': {
    kind: 'bar',
    columns: [PRODUCT, COUNT],
    rows: LONG_NAMES.map((productCode, index) => ({ productCode, count: 420 - index * 55 })),
    additive: true,
    title:
      'Tickets sold by product, including partner packages, student discounts and the livestream, compared over all registration flows of the event',
  },
  'bar-scripts': {
    kind: 'groupedBar',
    columns: [PRODUCT, column('ticket', 'text', 'チケット'), COUNT],
    rows: grouped(CITIES, ['一般', 'دعوة', 'Student'], 'productCode', 'ticket'),
    additive: true,
    title: '都市別の登録者数 · المسجلون حسب المدينة · 도시별 등록',
  },
  'bar-negative': {
    kind: 'bar',
    columns: [PRODUCT, NET],
    rows: ['pass', 'dinner', 'refunds', 'workshop', 'credit'].map((productCode, index) => ({
      productCode,
      net: eur([420, 80.5, -189, 60, -310][index]!),
    })),
    additive: true,
  },
  'grouped-bar': {
    kind: 'groupedBar',
    columns: [FLOW, column('status', 'enum', 'Status'), COUNT],
    additive: true,
    rows: grouped(FLOWS.slice(0, 4), ['complete', 'incomplete', 'cancelled']),
  },
  'stacked-bar': { kind: 'stackedBar', columns: [column('week', 'day', 'Week'), FLOW, COUNT], additive: true, rows: stacked() },
  'stacked-bar-long': {
    kind: 'stackedBar',
    columns: [PRODUCT, FLOW, COUNT],
    additive: true,
    rows: grouped(LONG_NAMES, FLOWS, 'productCode', 'flowSlug'),
  },
  'line-one': { kind: 'line', columns: [DAY, COUNT], rows: perDay(60, ['attendee']).filter((_, day) => day % 9 !== 4), additive: true },
  'line-six-series': { kind: 'line', columns: [DAY, FLOW, COUNT], rows: perDay(28, FLOWS), additive: true },
  'line-average': {
    kind: 'line',
    columns: [column('month', 'day', 'Month'), AVERAGE],
    rows: ['2025-11', '2025-12', '2026-01', '2026-03', '2026-04', '2026-07', '2026-08', '2026-09'].map((month, index) => ({
      month,
      avg_balance: eur(120 + ((index * 53) % 71)),
    })),
    additive: false,
  },
  area: { kind: 'area', columns: [DAY, COUNT], rows: perDay(90, ['attendee']), additive: true },
  'stacked-area': { kind: 'stackedArea', columns: [DAY, FLOW, COUNT], rows: perDay(42, FLOWS), additive: true },
  donut: {
    kind: 'donut',
    columns: [column('country', 'country', 'Country'), COUNT],
    rows: COUNTRIES.map((country, index) => ({ country, count: [312, 205, 160, 90, 77, 41, 20, 12, 8, 5, 3, 1][index]! })),
    additive: true,
  },
  'donut-nps': {
    kind: 'donut',
    columns: [column('group', 'enum', 'Answer'), COUNT],
    rows: ['Promoters', 'Passives', 'Detractors'].map((group, index) => ({ group, count: [3, 1, 2][index]! })),
    additive: true,
  },
  histogram: { kind: 'histogram', columns: [BALANCE], rows: amounts(800), additive: false },
  boxplot: { kind: 'boxplot', columns: [FLOW, BALANCE], rows: amounts(800), additive: false },
  scatter: { kind: 'scatter', columns: [DAYS_BEFORE, BALANCE], rows: amounts(400), additive: false },
  'scatter-binned': { kind: 'scatter', columns: [DAYS_BEFORE, BALANCE], rows: amounts(6000), additive: false },
  heatmap: {
    kind: 'heatmap',
    columns: [column('hour', 'integer', 'Hour'), column('day', 'integer', 'Weekday'), COUNT],
    rows: heat(),
    x: 'hour',
    series: 'day',
    y: 'count',
    additive: true,
  },
  funnel: {
    kind: 'funnel',
    columns: funnelColumns,
    rows: ['Welcome', 'Your details', 'Tickets and workshops', 'Hotel', 'Payment', 'Done'].map((page, index) => ({
      page,
      visits: [1840, 1512, 1203, 1190, 801, 760][index]!,
    })),
    additive: true,
  },
  figure: {
    kind: 'figure',
    columns: [COUNT],
    rows: [{ count: 1284 }],
    comparison: { label: 'last week', value: 1102 },
    additive: true,
  },
  'empty-bar': { kind: 'bar', columns: [PRODUCT, NET], rows: [], additive: true },
  'single-row-line': { kind: 'line', columns: [DAY, COUNT], rows: perDay(1, ['attendee']), additive: true },
  'zero-bar': {
    kind: 'bar',
    columns: [PRODUCT, COUNT],
    rows: ['pass', 'dinner', 'tour'].map((productCode) => ({ productCode, count: 0 })),
    additive: true,
  },
}

function grouped(keys: readonly string[], series: readonly string[], keyName = 'flowSlug', seriesName = 'status'): ChartRow[] {
  const random = randoms(5)
  return keys.flatMap((key, row) =>
    series.map((one, index) => ({
      [keyName]: key,
      [seriesName]: one,
      count: Math.round((300 / (row + 1) / (index + 1)) * (0.6 + random.next().value)),
    })),
  )
}

function stacked(): ChartRow[] {
  const random = randoms(9)
  return Array.from({ length: 10 }, (_, week) =>
    FLOWS.slice(0, 4).map((flowSlug, index) => ({
      week: addDays('2026-08-03', week * 7),
      flowSlug,
      count: Math.round((60 - index * 13) * (0.5 + random.next().value)),
    })),
  ).flat()
}
