import { createFractionGenerator } from './seeded-fraction.ts'

type Json = unknown

export interface HostileCall {
  tool:
    | 'query_data'
    | 'describe_data'
    | 'plot_data'
    | 'query_across_events'
    | 'design_report'
    | 'run_report'
    | 'export_event'
    | 'rebuild_audience_profiles'
  args: Record<string, Json>
}

const QUOTES = ["'", '"', '`', "''", "\\'", '%27', '\u02bc', '\u2019', '$$', '$q$', "E'\\'", '/*', '--', ';']
const STATEMENTS = [
  "'; update participants set last_name = 'changed'; --",
  "x'; delete from order_lines; --",
  '"; drop table participants; --',
  "') or true --",
  "' union select last_name from participants --",
  '(select last_name from participants limit 1)',
  "a' || (select string_agg(last_name, ',') from participants) || '",
  'id) from participants r where true --',
  'r.tenant_id = r.tenant_id or true',
  '$1',
  '$1::text',
  '$99999::text',
  "set_config('lanyard.report_tenant', '2', false)",
  'reset role',
  'commit; select 1',
  'pg_sleep(30)',
  'count(*) filter (where true)',
  'status)::text, (select email from users limit 1',
]
const PROPERTIES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'constructor.name',
  '@constructor',
  '@__proto__.x',
]
const CHARACTERS = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202e',
  '\ufeff',
  '\u0000\u0001',
  '💥'.repeat(20),
  'ﷺ'.repeat(50),
  '\n',
  '\r\n',
  ' ',
  '',
]
const PATHS = [
  'order.participant.order.participant.order.total',
  'event.participants.event.participants.email',
  'participant.participant.participant.email',
  'lines.order.lines.order.lines.net',
  'guests.guests.guests.guests.lastName',
  '.',
  '..',
  'status.',
  '.status',
  'custom.',
  'custom.constructor',
  'sharing.__proto__',
  `${'host.'.repeat(30)}id`,
  'status:step(1)',
  'completedAt:step(0)',
  'completedAt:day:day',
  'completedAt:day as select',
  'count(count(id))',
  'sum()',
  'percentile(balance, 1e308)',
  'percentile(balance, -1)',
]
const NUMBERS = [
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.MIN_VALUE,
  1e21,
  -1e21,
  2 ** 53,
  -0,
  1e-9,
  0.1 + 0.2,
  '1e400',
  'NaN',
  'Infinity',
  '-Infinity',
  '0x10',
  '9'.repeat(400),
  `0.${'0'.repeat(300)}1`,
  '١٢٣',
]
const DATES = [
  '0000-00-00',
  '0000-01-01',
  '9999-12-31',
  '10000-01-01',
  '-0001-01-01',
  '2026-02-30',
  '2026-13-01',
  '2026-10-25T25:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '1000-01-01T00:00:00+23:59',
  '2026-10-25T02:30:00+99:99',
  'infinity',
  'now()',
  'tomorrow',
  { today: 1e9 },
  { today: 0.5 },
  { start: -36_500 },
  { start: 36_500 },
  { end: '1' },
  { today: 1, start: 2 },
  { yesterday: 1 },
]
const deep = (depth: number, key: string): Json => (depth === 0 ? { field: 'status', op: 'isSet' } : { [key]: [deep(depth - 1, key)] })
const wide = (count: number, build: (n: number) => Json): Json[] => Array.from({ length: count }, (_, n) => build(n))
const multiplying = (depth: number): Json =>
  depth === 0
    ? { field: 'status', op: 'isSet' }
    : { relation: depth % 2 === 0 ? 'event' : 'participants', has: 'any', where: multiplying(depth - 1) }

const STRUCTURES: readonly Json[] = [
  null,
  true,
  [],
  {},
  [[]],
  [[['status']]],
  { all: null },
  { all: 'status' },
  { all: {} },
  { any: [null] },
  { all: [{ all: [] }], any: [] },
  { field: 'status' },
  { field: ['status'], op: 'equals', value: 'complete' },
  { field: 'status', op: 'between', value: 5 },
  { field: 'status', op: ['equals'], value: 'complete' },
  { field: 'status', op: '__proto__', value: 'complete' },
  { field: 'status', op: 'equals', value: { toString: 'x' } },
  { field: 'status', op: 'equals', value: [[['complete']]] },
  { relation: 'constructor', has: 'any' },
  { relation: 'foo.bar.baz', has: 'any' },
  { relation: 'lines.order', has: 'any' },
  { relation: 'order.lines.order.lines', has: 'none' },
  { relation: ['lines'], has: 'any' },
  { relation: 'lines', has: 'most' },
  { relation: 'lines', has: 'any', where: null },
  { relation: 'event', has: 'any', where: multiplying(4) },
  multiplying(9),
  deep(5, 'all'),
  deep(12, 'any'),
  deep(20, 'all'),
  { any: wide(51, () => ({ field: 'status', op: 'equals', value: 'complete' })) },
  { all: wide(20_000, () => ({ all: [] })) },
  { field: 'lastName', op: 'in', value: wide(1001, String) },
  { field: 'balance', op: 'in', value: wide(1000, (n) => n) },
  { any: wide(49, () => ({ field: 'completedAt', op: 'in', value: wide(1000, () => '2026-10-25') })) },
  {
    any: wide(8, (n) => ({
      relation: ['lines', 'guests', 'attendances', 'messages', 'leads', 'visits', 'enrolments', 'agreements'][n],
      has: 'any',
    })),
  },
]

const LEAF = (field: string, op: string, value?: Json) => ({ field, op, ...(value === undefined ? {} : { value }) })

/** Valid tool calls that together contain every argument that can be replaced by a hostile value. */
const BASES: readonly HostileCall[] = [
  {
    tool: 'query_data',
    args: {
      entity: 'participant',
      fields: ['lastName', 'order.total', 'custom.shirt', '@participant.city'],
      filter: {
        all: [
          LEAF('status', 'equals', 'complete'),
          { any: [LEAF('completedAt', 'gte', '2026-01-01'), LEAF('balance', 'between', [0, 10])] },
        ],
      },
      orderBy: ['-completedAt', 'order.total'],
      limit: 10,
      total: true,
    },
  },
  {
    tool: 'query_data',
    args: {
      entity: 'participant',
      groupBy: ['completedAt:day as day', 'tags', 'custom.years:step(5)'],
      aggregates: ['count', 'countDistinct(lastName) as people', 'avg(balance) as mean', 'percentile(custom.years, 0.5) as median'],
      aggregateFilters: { people: { all: [LEAF('country', 'in', ['DE', 'FR'])] } },
      calculate: ['share = 100 * people / count', 'more = share + median'],
      filter: { relation: 'lines', has: 'none', where: LEAF('net', 'gt', '10.00') },
      having: { all: [LEAF('count', 'gte', 1), LEAF('day', 'onDay', '2027-01-10')] },
      orderBy: ['-count', 'day'],
      fill: 'zero',
      includeTestData: true,
    },
  },
  {
    tool: 'query_data',
    args: {
      metrics: ['registrations.complete', 'money.net', 'attendance.showRate'],
      groupBy: ['date:month'],
      calculate: ['each = money.net / registrations.complete'],
      having: LEAF('money.net', 'notEquals', 0),
      orderBy: ['-money.net'],
      explain: true,
    },
  },
  {
    tool: 'query_data',
    args: {
      entity: 'orderLine',
      groupBy: ['productCode', 'participant.country'],
      aggregates: ['sum(net)'],
      cursor: 'abc',
      filter: LEAF('order.participant.guests.lastName', 'contains', 'x'),
    },
  },
  { tool: 'describe_data', args: { entity: 'participant', field: 'order.total' } },
  { tool: 'describe_data', args: { search: 'turnover', entity: 'orderLine' } },
  { tool: 'describe_data', args: { field: 'participant.city' } },
  {
    tool: 'plot_data',
    args: {
      entity: 'participant',
      groupBy: ['status', 'country'],
      aggregates: ['count'],
      chart: 'bar',
      x: 'status',
      y: 'count',
      series: 'country',
      title: 'People',
      format: 'svg',
      filter: LEAF('status', 'isSet'),
    },
  },
  { tool: 'plot_data', args: { entity: 'participant', chart: 'histogram', field: 'balance', format: 'svg' } },
  {
    tool: 'query_across_events',
    args: {
      entity: 'participant',
      groupBy: ['event.code as event', 'completedAt:hour'],
      aggregates: ['count', 'max(balance) as most'],
      filter: LEAF('contact.name', 'contains', 'a'),
      eventCodes: ['desk/fair'],
      clientCode: 'acme',
      from: '2026-01-01',
      until: '2028-01-01',
      currency: 'per',
      rateOn: 'row',
    },
  },
  {
    tool: 'query_across_events',
    args: {
      metrics: ['money.net'],
      groupBy: ['event.currency'],
      currency: 'convert',
      reportingCurrency: 'EUR',
      rateOn: '2026-10-01',
      status: ['draft', 'published'],
    },
  },
  {
    tool: 'query_across_events',
    args: {
      entity: 'contact',
      fields: ['name', 'eventsCount', 'spend'],
      orderBy: ['-eventsCount'],
      filter: LEAF('participants.lastName', 'startsWith', 'A'),
    },
  },
  {
    tool: 'design_report',
    args: {
      name: 'Overview',
      parameters: [{ name: 'country', type: 'code', label: 'Country', required: false, default: 'DE' }],
      filter: LEAF('status', 'equals', 'complete'),
      widgets: [
        {
          type: 'table',
          query: { entity: 'participant', fields: ['status', 'order.total'], filter: LEAF('country', 'equals', { param: 'country' }) },
          columns: [{ name: 'status', label: 'State', format: 'plain' }],
          totals: ['order.total'],
        },
        {
          type: 'pivot',
          query: { entity: 'participant', groupBy: ['status', 'country as land'], aggregates: ['count as people'] },
          rows: ['status'],
          columns: ['land'],
          values: ['people'],
        },
        { type: 'chart', query: { chart: 'donut', entity: 'participant', groupBy: ['status'], aggregates: ['count as people'] } },
        { type: 'figure', query: { entity: 'orderLine', aggregates: ['sum(net) as net'], calculate: ['half = net / 2'] } },
        { type: 'text', markdown: 'Of **{{event.name}}** [all](https://example.org)' },
        { type: 'standard', standard: 'registrations-by-day', parameters: { from: '2026-01-01' } },
      ],
    },
  },
  { tool: 'run_report', args: { report: 'participant-list', parameters: { from: '2026-01-01', tags: ['vip'] }, limit: 5 } },
  { tool: 'run_report', args: { report: 'group-roster', parameters: { groupCode: 'team' }, locale: 'de' } },
  { tool: 'export_event', args: { entities: ['participant', 'orderLine'], formats: ['csv'], personalData: 'none' } },
  {
    tool: 'rebuild_audience_profiles',
    args: { rules: [{ name: 'VIP', filter: LEAF('tags', 'contains', 'vip') }], useFields: ['shirt'], weights: { spend: 2 }, k: 3 },
  },
]

/** Arguments that no hostile call replaces, so that calls of tools with an effect write nothing. */
const FIXED: Partial<Record<HostileCall['tool'], Record<string, Json>>> = {
  design_report: { dryRun: true, delivery: undefined },
  run_report: { format: 'json', recipients: undefined },
  export_event: { dryRun: true },
  rebuild_audience_profiles: { dryRun: true },
}

type Place = readonly (string | number)[]

/** Lists the paths of all values inside a JSON value. */
function listPlaces(value: Json, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at]
  const entries: [string | number, Json][] = Array.isArray(value) ? value.map((one, n) => [n, one]) : Object.entries(value)
  return [...(at.length > 0 ? [at] : []), ...entries.flatMap(([key, inner]) => listPlaces(inner, [...at, key]))]
}

function replaceAt(value: any, [key, ...rest]: Place, by: (old: Json) => Json): any {
  if (key === undefined) return by(value)
  const copy = Array.isArray(value) ? [...value] : { ...value }
  copy[key] = replaceAt(copy[key], rest, by)
  return copy
}

/** Creates calls in which one or two values of a valid call are replaced by hostile ones. */
export function createHostileCalls(seed: number): () => HostileCall {
  const fraction = createFractionGenerator(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(fraction() * list.length)]!
  const hostileText = (): string => {
    const text = pick([pick(STATEMENTS), pick(STATEMENTS), pick(PROPERTIES), pick(CHARACTERS), pick(PATHS), pick(QUOTES)])
    return fraction() < 0.05 ? text.padEnd(5000, 'x') : text
  }
  const replace = (old: Json): Json => {
    const kind = fraction()
    if (typeof old === 'string' && kind < 0.7) return fraction() < 0.35 ? `${old}${hostileText()}` : hostileText()
    if (kind < 0.8) return pick<Json>(NUMBERS)
    if (kind < 0.87) return pick<Json>(DATES)
    return Array.isArray(old) && fraction() < 0.4 ? wide(pick([0, 41, 2000]), () => pick<Json>(old)) : pick(STRUCTURES)
  }
  const rename = (args: Record<string, Json>): Record<string, Json> => {
    const filters = args['aggregateFilters'] as Record<string, Json> | undefined
    if (!filters || fraction() > 0.2) return args
    return { ...args, aggregateFilters: Object.fromEntries(Object.values(filters).map((tree) => [hostileText().slice(0, 40), tree])) }
  }
  return () => {
    const { tool, args } = pick(BASES)
    let hostile: Record<string, Json> = rename(args)
    for (let n = 0; n < pick([1, 1, 2]); n++) hostile = replaceAt(hostile, pick(listPlaces(hostile)), replace)
    if (tool === 'query_data' && fraction() < 0.5) delete hostile['explain']
    return { tool, args: { ...hostile, ...FIXED[tool] } }
  }
}
