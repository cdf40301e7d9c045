import { AREA_COMPARISONS } from './equal-area-rows.ts'
import { byRow, type Call, type ToolFigureComparison, type Figures, queryRows, reportRows, sameNames } from './compared-figures.ts'

const STATUSES = ['incomplete', 'complete', 'waitlisted', 'cancelled']

/** Reads the number of participants by status for each group of a registration summary. */
const summaryBy = (name: string, key: string) => async (call: Call) =>
  byRow((await call('get_registration_summary', { groupBy: 'country' }))[name], key, sameNames('total', ...STATUSES))
const participantsBy = (field: string) => async (call: Call) => {
  const metrics = ['total', ...STATUSES].map((name) => `registrations.${name}`)
  const names = Object.fromEntries(['total', ...STATUSES].map((name) => [name, `registrations.${name}`]))
  const rows = await queryRows(call, { metrics, groupBy: [field] })
  // The registration summary has no row for people without tags.
  return byRow(field === 'tags' ? rows.filter((row) => row[field] !== null) : rows, field, names)
}

const REGISTRATION: readonly ToolFigureComparison[] = [
  {
    about: 'participants by status',
    tools: {
      get_registration_summary: async (call) => {
        const { participants } = await call('get_registration_summary', {})
        return Object.fromEntries(STATUSES.map((status) => [status, participants[status]]))
      },
      find_participants: async (call) => {
        const counts: Figures = {}
        for (const status of STATUSES) counts[status] = (await call('find_participants', { status: [status], limit: 1 })).total
        return counts
      },
      query_data: async (call) =>
        Object.fromEntries(
          (await queryRows(call, { entity: 'participant', groupBy: ['status'] })).map(({ status, count }) => [status, count]),
        ),
      'run_report participant-list': async (call) => {
        const rows = await reportRows(call, 'participant-list')
        return Object.fromEntries(STATUSES.map((status) => [status, rows.filter((row) => row.status === status).length]))
      },
    },
  },
  {
    about: 'participants by flow',
    tools: {
      get_registration_summary: summaryBy('byFlow', 'flowSlug'),
      query_data: participantsBy('flowSlug'),
      'run_report registrations-by-flow': async (call) =>
        byRow(await reportRows(call, 'registrations-by-flow'), 'flow', sameNames(...STATUSES)),
    },
  },
  {
    about: 'participants by source',
    tools: { get_registration_summary: summaryBy('bySource', 'source'), query_data: participantsBy('source') },
  },
  { about: 'participants by tag', tools: { get_registration_summary: summaryBy('byTag', 'tag'), query_data: participantsBy('tags') } },
  {
    about: 'participants by country',
    tools: { get_registration_summary: summaryBy('byCountry', 'country'), query_data: participantsBy('country') },
  },
  {
    about: 'completions by day',
    tools: {
      get_registration_summary: async (call) =>
        byRow((await call('get_registration_summary', {})).byDay, 'day', sameNames('completed', 'net')),
      query_data: async (call) =>
        byRow(await queryRows(call, { metrics: ['registrations.completed', 'registrations.net'], groupBy: ['date:day as day'] }), 'day', {
          completed: 'registrations.completed',
          net: 'registrations.net',
        }),
      'run_report registrations-by-day': async (call) =>
        byRow(await reportRows(call, 'registrations-by-day'), 'day', sameNames('completed', 'net')),
    },
  },
  {
    about: 'products',
    tools: {
      get_registration_summary: async (call) =>
        byRow(
          (await call('get_registration_summary', {})).products,
          'code',
          sameNames('sold', 'held', 'available', 'waitlisted', 'net', 'total'),
        ),
      query_data: async (call) =>
        byRow(
          await queryRows(call, { entity: 'product', fields: ['code', 'sold', 'held', 'available', 'waitlisted'] }),
          'code',
          sameNames('sold', 'held', 'available', 'waitlisted'),
        ),
      'run_report inventory': async (call) =>
        byRow(await reportRows(call, 'inventory'), 'product', sameNames('sold', 'held', 'available', 'waitlisted')),
      'run_report revenue-by-product': async (call) =>
        byRow(
          (await reportRows(call, 'revenue-by-product')).filter(({ product }) => product !== 'fee' && product !== 'deposit'),
          'product',
          sameNames('net', 'total'),
        ),
    },
  },
  {
    about: 'waiting list',
    tools: {
      get_registration_summary: async (call) => (await call('get_registration_summary', {})).waitlist,
      query_data: async (call) => {
        const rows = await queryRows(call, { entity: 'waitlistEntry', groupBy: ['status'] })
        const countOf = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
        return { waiting: countOf('waiting'), offered: countOf('offered') }
      },
      'run_report waitlists': async (call) => {
        const rows = await reportRows(call, 'waitlists')
        const countOf = (status: string) => rows.filter((row) => row.status === status).length
        return { waiting: countOf('waiting'), offered: countOf('offered') }
      },
    },
  },
  {
    about: 'groups',
    tools: {
      list_managed_groups: async (call) =>
        byRow((await call('list_managed_groups', { limit: 100 })).groups, 'code', { members: 'memberCount', balance: 'balance' }),
      query_data: async (call) =>
        byRow(await queryRows(call, { entity: 'group', fields: ['code', 'memberCount', 'balance'] }), 'code', {
          members: 'memberCount',
          balance: 'balance',
        }),
      'run_report group-balances': async (call) =>
        byRow(await reportRows(call, 'group-balances'), 'group', { members: 'members', balance: 'groupBalance' }),
    },
  },
  {
    about: 'invoices',
    tools: {
      list_order_invoices: async (call) => {
        const { totals } = await call('list_order_invoices', { limit: 1 })
        return { count: totals.count, total: totals.total, balance: totals.balance }
      },
      query_data: async (call) => {
        const aggregates = ['count', 'sum(total) as total', 'sum(balance) as balance']
        const rows = await queryRows(call, { entity: 'invoice', groupBy: ['kind'], aggregates })
        // list_order_invoices counts credit notes as negative amounts.
        const sum = (name: string) => rows.reduce((all, row) => all + (row.kind === 'credit_note' ? -1 : 1) * Math.abs(row[name].amount), 0)
        return {
          count: rows.reduce((all, row) => all + row.count, 0),
          total: Math.round(sum('total') * 100) / 100,
          balance: Math.round(sum('balance') * 100) / 100,
        }
      },
      'run_report invoice-register': async (call) => ({ count: (await reportRows(call, 'invoice-register')).length }),
    },
  },
]

const MONEY: readonly ToolFigureComparison[] = [
  {
    about: 'money',
    tools: {
      get_registration_summary: async (call) => {
        const { money } = await call('get_registration_summary', {})
        const { net, tax, total, discount, paid, refunded, credited, writtenOff, owed, balance } = money
        // The summary has no overdue amount. The overdue amounts of the other tools are compared with the sum of the overdue invoices.
        const { aging } = (await call('list_order_invoices', { limit: 1 })).totals
        const ages = Object.entries<any>(aging).filter(([age]) => age !== 'current')
        const overdue = { amount: ages.reduce((sum, [, { amount }]) => sum + Math.round(Number(amount) * 100), 0) / 100 }
        return { net, tax, total, discount, paid, refunded, credited, writtenOff, owed, balance, overdue }
      },
      ...Object.fromEntries(
        [
          ['revenue-by-product', ['net', 'tax', 'total', 'discount']],
          ['revenue-by-day', ['paid', 'refunded', 'credited', 'writtenOff']],
          ['tax-report', ['tax']],
        ].map(([report, names]) => [
          `run_report ${report as string}`,
          async (call: Call) => {
            const { totals } = await call('run_report', { report, limit: 1 })
            return Object.fromEntries((names as string[]).filter((name) => name in totals).map((name) => [name, totals[name]]))
          },
        ]),
      ),
      'list_order_invoices overdueOnly': async (call) => ({
        overdue: (await call('list_order_invoices', { overdueOnly: true, limit: 1 })).totals.balance,
      }),
      query_data: async (call) => {
        const names = ['net', 'paid', 'refunded', 'owed', 'overdue', 'received', 'creditHeld']
        const [row] = await queryRows(call, { metrics: names.map((name) => `money.${name}`) })
        return Object.fromEntries(names.map((name) => [name, row[`money.${name}`]]))
      },
      'run_report payments-received': async (call) => ({
        paid: (await call('run_report', { report: 'payments-received', limit: 1 })).totals.amount,
      }),
      'run_report balance-due': async (call) => ({ owed: (await call('run_report', { report: 'balance-due', limit: 1 })).totals.balance }),
    },
  },
]

/** Compares an event in a query across events with the same query at the event. */
const toAcrossComparison = (account: Call, eventCode: string): ToolFigureComparison => {
  const query = { metrics: ['registrations.complete', 'registrations.cancelled', 'money.net', 'money.paid', 'attendance.attended'] }
  const names = Object.fromEntries(query.metrics.map((code) => [code.split('.')[1]!, code]))
  return {
    about: 'the event in a query across events',
    tools: {
      query_across_events: async () =>
        byRow(
          (await account('query_across_events', { ...query, eventCodes: [eventCode], status: ['draft', 'published', 'archived'] })).rows,
          '',
          names,
        ),
      query_data: async (call) => byRow(await queryRows(call, query), '', names),
    },
  }
}

/** Compares the row of an event in the list of all events with the metrics of the event. */
const toStatsComparison = (account: Call, eventCode: string): ToolFigureComparison => ({
  about: 'the event among all events',
  tools: {
    get_my_events_stats: async () => {
      const { events } = await account('get_my_events_stats', { status: ['draft', 'published', 'archived'], limit: 100 })
      const { complete, incomplete, waitlisted, cancelled, fill, net, total, owed, attended, showRate } = events.find(
        (row: any) => row.eventCode === eventCode,
      )
      return { complete, incomplete, waitlisted, cancelled, fill, net, total, owed, attended, showRate }
    },
    query_data: async (call) => {
      const codes: Record<string, string> = {
        ...Object.fromEntries(STATUSES.map((status) => [status, `registrations.${status}`])),
        fill: 'registrations.fill',
        net: 'money.net',
        total: 'money.total',
        owed: 'money.owed',
      }
      const [first] = await queryRows(call, { metrics: Object.values(codes) })
      const [second] = await queryRows(call, { metrics: ['attendance.attended', 'attendance.showRate'] })
      return {
        ...Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, first[code]])),
        attended: second['attendance.attended'],
        showRate: second['attendance.showRate'],
      }
    },
  },
})

const toComparable = (value: any): string => {
  if (value === undefined || value === null || value === 0) return '0'
  if (typeof value === 'object' && 'amount' in value) return String(Number(value.amount))
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

/**
 * Compares lists and groups of figures of several tools with each other. Returns the figures that differ, and for each comparison how many
 * figures were compared.
 */
export async function compareRows(
  call: Call,
  { account, eventCode }: { account: Call; eventCode: string },
): Promise<{ differences: string[]; compared: Record<string, number> }> {
  const differences: string[] = []
  const compared: Record<string, number> = {}
  for (const { about, tools } of [
    ...REGISTRATION,
    ...AREA_COMPARISONS,
    ...MONEY,
    toStatsComparison(account, eventCode),
    toAcrossComparison(account, eventCode),
  ]) {
    const shown: [tool: string, figures: Figures][] = []
    for (const [tool, read] of Object.entries(tools)) shown.push([tool, await read(call)])
    const [first, ...others] = shown as [(typeof shown)[0], ...typeof shown]
    for (const [tool, figures] of others) {
      // Only kinds of figures that both tools show are compared, such as `sold`. Both must show such a kind for the same rows.
      const kinds = new Set(Object.keys(figures).map(kindOf))
      for (const name of new Set([...Object.keys(first[1]).filter((key) => kinds.has(kindOf(key))), ...Object.keys(figures)])) {
        if (!(name in first[1]) && !Object.keys(first[1]).some((key) => kindOf(key) === kindOf(name))) continue
        compared[about] = (compared[about] ?? 0) + 1
        const [one, other] = [toComparable(first[1][name]), toComparable(figures[name])]
        if (one !== other) differences.push(`${about}, ${name}: ${first[0]} ${one}, ${tool} ${other}`)
      }
    }
  }
  return { differences, compared }
}

/** Returns the kind of a figure: `sold` for `pass.sold`. */
const kindOf = (name: string) => name.slice(name.lastIndexOf('.') + 1)
