import {
  byRow,
  type Call,
  type ToolFigureComparison,
  countBy,
  type Figures,
  queryRows,
  reportRows,
  sameNames,
  toCounts,
} from './compared-figures.ts'

const ONSITE: readonly ToolFigureComparison[] = [
  {
    about: 'attendance',
    tools: {
      get_attendance_summary: async (call) => {
        const { expected, attended, enteredNotComplete, noShow, notYet, showRate, onSite } = await call('get_attendance_summary', {})
        return { expected, attended, enteredNotComplete, noShow, notYet, showRate, onSite }
      },
      get_onsite_summary: async (call) => {
        const { expected, checkedIn, enteredNotComplete, noShow, notYet } = await call('get_onsite_summary', {})
        return { expected, attended: checkedIn, enteredNotComplete, noShow, notYet }
      },
      query_data: async (call) => {
        const names = ['expected', 'attended', 'enteredNotComplete', 'noShow', 'notYet', 'showRate', 'onSite']
        const [row] = await queryRows(call, { metrics: names.map((name) => `attendance.${name}`) })
        return Object.fromEntries(names.map((name) => [name, row[`attendance.${name}`]]))
      },
      'run_report no-shows': async (call) => ({ noShow: (await reportRows(call, 'no-shows')).length }),
    },
  },
  {
    about: 'attendance by day',
    tools: {
      get_attendance_summary: async (call) =>
        byRow((await call('get_attendance_summary', { by: 'day' })).groups, 'key', { firstArrivals: 'firstArrivals', scans: 'scans' }),
      'run_report attendance-by-day': async (call) => {
        const days: Figures = {}
        for (const { day, firstArrivals, scans } of await reportRows(call, 'attendance-by-day'))
          for (const [name, value] of Object.entries({ firstArrivals, scans }))
            days[`${day}.${name}`] = Number(days[`${day}.${name}`] ?? 0) + Number(value)
        return days
      },
      query_data: async (call) =>
        byRow(
          await queryRows(call, {
            entity: 'attendance',
            groupBy: ['at:day as day'],
            aggregates: ['count as scans'],
            filter: { field: 'result', op: 'equals', value: 'accepted' },
          }),
          'day',
          { scans: 'scans' },
        ),
    },
  },
  ...(['flow', 'tag'] as const).map((by): ToolFigureComparison => ({
    about: `attendance by ${by}`,
    tools: {
      get_attendance_summary: async (call) =>
        byRow((await call('get_attendance_summary', { by })).groups, 'key', sameNames('expected', 'attended', 'showRate')),
      query_data: async (call) => {
        const path = by === 'flow' ? 'flowSlug' : 'tags'
        const names = ['expected', 'attended', 'showRate']
        const rows = await queryRows(call, { metrics: names.map((name) => `attendance.${name}`), groupBy: [path] })
        return byRow(rows, path, Object.fromEntries(names.map((name) => [name, `attendance.${name}`])))
      },
    },
  })),
  {
    about: 'scans by result',
    tools: {
      get_attendance_summary: async (call) => {
        const { scans, refused, duplicates } = await call('get_attendance_summary', {})
        return { accepted: scans, refused, duplicate: duplicates }
      },
      query_data: async (call) =>
        Object.fromEntries(
          (await queryRows(call, { entity: 'attendance', groupBy: ['result'] })).map(({ result, count }) => [result, count]),
        ),
    },
  },
  {
    about: 'sessions',
    tools: {
      get_onsite_summary: async (call) =>
        byRow((await call('get_onsite_summary', {})).bySession, 'title', sameNames('enrolled', 'attended')),
      get_attendance_summary: async (call) =>
        byRow((await call('get_attendance_summary', { by: 'session' })).groups, 'label', sameNames('enrolled', 'attended')),
      query_data: async (call) =>
        byRow(
          await queryRows(call, { entity: 'session', fields: ['title', 'enrolled', 'attended'] }),
          'title',
          sameNames('enrolled', 'attended'),
        ),
      'run_report session-attendance': async (call) =>
        byRow(await reportRows(call, 'session-attendance'), 'title', sameNames('enrolled', 'attended')),
    },
  },
]

/** Rounds averages to one decimal, because the summary returns one and query_data returns four. */
const roundMinutes = (figures: Figures): Figures =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, typeof value === 'number' ? Math.round(value * 10 + 1e-6) / 10 : value]),
  )

const STAYS: ToolFigureComparison = {
  about: 'minutes in sessions',
  tools: {
    get_attendance_summary: async (call) =>
      byRow((await call('get_attendance_summary', { by: 'session' })).groups, 'label', { minutes: 'minutesAverage', peak: 'peak' }),
    query_data: async (call) =>
      roundMinutes(
        byRow(await queryRows(call, { metrics: ['session.minutes', 'session.peak'], groupBy: ['title'] }), 'title', {
          minutes: 'session.minutes',
          peak: 'session.peak',
        }),
      ),
    'run_report session-attendance': async (call) =>
      byRow(await reportRows(call, 'session-attendance'), 'title', { minutes: 'minutesAverage' }),
  },
}

const FUNNEL: ToolFigureComparison = {
  about: 'pages of flows',
  tools: Object.fromEntries(
    (['get_flow_summary', 'run_report flow-funnel'] as const).map((tool) => [
      tool,
      async (call: Call) => {
        const figures: Figures = {}
        for (const { flowSlug } of await queryRows(call, { entity: 'flowVisit', groupBy: ['flowSlug'] })) {
          const pages =
            tool === 'get_flow_summary'
              ? (await call('get_flow_summary', { flowSlug })).pages.map((page: any) => ({ ...page, page: page.code }))
              : (await call('run_report', { report: 'flow-funnel', parameters: { flowSlug } })).rows
          const names = sameNames('entered', 'skipped', 'advanced', 'stoppedHere', 'dropRate')
          for (const [name, value] of Object.entries(byRow(pages, 'page', names))) figures[`${flowSlug}.${name}`] = value
        }
        return figures
      },
    ]),
  ),
}

const PLACES: readonly ToolFigureComparison[] = [
  {
    about: 'assigned booths',
    tools: {
      list_floor_plans: async (call) => ({ sold: (await call('list_floor_plans', {})).totals.booths.assigned }),
      query_data: async (call) => {
        const [row] = await queryRows(call, { metrics: ['exhibitors.boothsSold', 'exhibitors.areaSold'] })
        return { sold: row['exhibitors.boothsSold'], areaSold: Math.round(row['exhibitors.areaSold'] * 1e4) / 1e4 }
      },
      'run_report booth-sales': async (call) => {
        const { totals } = await call('run_report', { report: 'booth-sales', limit: 1 })
        return { sold: totals.sold, areaSold: totals.areaSold }
      },
    },
  },
  {
    about: 'booths by status',
    tools: {
      list_floor_plans: async (call) => (await call('list_floor_plans', {})).totals.booths,
      query_data: async (call) =>
        Object.fromEntries((await queryRows(call, { entity: 'booth', groupBy: ['status'] })).map(({ status, count }) => [status, count])),
    },
  },
  {
    about: 'all booths',
    tools: {
      list_booths: async (call) => {
        const { totals } = await call('list_booths', { limit: 1 })
        return { count: totals.count, areaM2: totals.areaM2 }
      },
      query_data: async (call) => {
        const [row] = await queryRows(call, { entity: 'booth', aggregates: ['count', 'sum(areaM2) as areaM2'] })
        return { count: row.count, areaM2: Math.round(row.areaM2 * 1e4) / 1e4 }
      },
    },
  },
  {
    about: 'booths by type',
    tools: {
      list_booths: async (call) => {
        const types = ['inline', 'corner', 'peninsula', 'island', 'perimeter']
        const found = await Promise.all(types.map(async (type) => [type, (await call('list_booths', { type, limit: 1 })).totals.count]))
        return toCounts(Object.fromEntries(found.filter(([, count]) => count > 0)))
      },
      query_data: (call) => countBy(call, 'booth', 'type'),
    },
  },
  {
    about: 'leads by company',
    tools: {
      'manage_lead stats': async (call) => {
        const figures: Figures = {}
        for (const { id, name } of await queryRows(call, { entity: 'company', fields: ['name'] })) {
          const { totals } = (await call('manage_lead', { action: 'stats', by: 'day', companyId: id })).stats
          Object.assign(figures, { [`${name}.leads`]: totals.leads, [`${name}.captures`]: totals.captures })
        }
        return figures
      },
      query_data: async (call) =>
        byRow(await queryRows(call, { entity: 'company', fields: ['name', 'leads', 'captures'] }), 'name', sameNames('leads', 'captures')),
      'run_report lead-counts': async (call) => byRow(await reportRows(call, 'lead-counts'), 'name', sameNames('leads', 'captures')),
    },
  },
  {
    about: 'companies',
    tools: {
      'manage_company list': async (call) => ({ total: (await call('manage_company', { action: 'list', limit: 1 })).total }),
      query_data: async (call) => ({ total: (await queryRows(call, { entity: 'company' }))[0].count }),
      'run_report exhibitor-list': async (call) => ({ total: (await reportRows(call, 'exhibitor-list')).length }),
    },
  },
  {
    about: 'hotels',
    tools: {
      get_housing_summary: async (call) => {
        const { totals } = await call('get_housing_summary', {})
        const { contracted, returned, allocated, held, pickup, freeSell } = totals
        return { contracted, returned, allocated, held, pickup, freeSell }
      },
      query_data: async (call) => {
        const names = ['contracted', 'returned', 'allocated', 'held', 'pickup', 'freeSell']
        return (await queryRows(call, { entity: 'roomNight', aggregates: names.map((name) => `sum(${name}) as ${name}`) }))[0]!
      },
      'run_report housing-pickup': async (call) => {
        const { totals } = await call('run_report', { report: 'housing-pickup', limit: 1 })
        return totals
      },
    },
  },
  {
    about: 'block requests',
    tools: {
      list_block_requests: async (call) => {
        const { totals } = await call('list_block_requests', { limit: 1 })
        return { requests: totals.requests, roomNights: totals.roomNights, granted: totals.granted }
      },
      query_data: async (call) => {
        const aggregates = ['count', 'sum(requested) as roomNights', 'sum(granted) as granted']
        const [row] = await queryRows(call, { entity: 'blockRequest', aggregates })
        return { requests: row.count, roomNights: row.roomNights, granted: row.granted }
      },
    },
  },
  {
    about: 'priority points of block requests',
    tools: {
      list_block_requests: async (call) =>
        byRow((await call('list_block_requests', { limit: 100 })).requests, 'number', sameNames('priorityPoints')),
      query_data: async (call) =>
        byRow(
          await queryRows(call, { entity: 'blockRequest', fields: ['number', 'priorityPoints'] }),
          'number',
          sameNames('priorityPoints'),
        ),
    },
  },
]

const PROGRAM: readonly ToolFigureComparison[] = [
  {
    about: 'submissions by status',
    tools: {
      list_submissions: async (call) => toCounts((await call('list_submissions', { limit: 1 })).counts),
      query_data: (call) => countBy(call, 'submission', 'status'),
    },
  },
  {
    about: 'speakers by status',
    tools: {
      list_speakers: async (call) => toCounts((await call('list_speakers', { limit: 1 })).counts),
      query_data: (call) => countBy(call, 'speaker', 'status'),
    },
  },
]

/** Compares the number of records by status in get_sourcing_summary with the records of that kind in query_data. */
const sourcingCounts = (name: string, entity: string): ToolFigureComparison => ({
  about: `${name} by status`,
  tools: {
    get_sourcing_summary: async (call) => toCounts((await call('get_sourcing_summary', {})).counts[name]),
    query_data: (call) => countBy(call, entity, 'status'),
  },
})

const SOURCING: readonly ToolFigureComparison[] = [
  sourcingCounts('rfps', 'rfp'),
  sourcingCounts('recipients', 'rfpRecipient'),
  sourcingCounts('contracts', 'contract'),
  sourcingCounts('milestones', 'milestone'),
  {
    about: 'lists of sourcing',
    tools: {
      lists: async (call) => ({
        requests: (await call('list_rfps', { limit: 100 })).rfps.length,
        contracts: (await call('list_contracts', { limit: 100 })).contracts.length,
        milestones: (await call('list_milestones', { limit: 1 })).total,
      }),
      query_data: async (call) => ({
        requests: (await queryRows(call, { entity: 'rfp' }))[0].count,
        contracts: (await queryRows(call, { entity: 'contract' }))[0].count,
        milestones: (await queryRows(call, { entity: 'milestone' }))[0].count,
      }),
    },
  },
  {
    about: 'total cost of responses',
    tools: {
      list_rfp_responses: async (call) => {
        const { rfps } = await call('list_rfps', { limit: 100 })
        const lists = await Promise.all(rfps.map(({ id }: any) => call('list_rfp_responses', { rfpId: id, allRounds: true, limit: 100 })))
        return byRow(
          lists.flatMap(({ responses }) => responses.filter(({ id }: any) => id !== undefined)),
          'id',
          sameNames('total'),
        )
      },
      query_data: async (call) =>
        byRow(await queryRows(call, { entity: 'rfpResponse', fields: ['id', 'total'], limit: 200 }), 'id', sameNames('total')),
    },
  },
  {
    about: 'scores of responses',
    tools: {
      list_scoring_rubrics: async (call) => {
        const { rfps } = await call('list_rfps', { limit: 100 })
        const lists = await Promise.all(rfps.map(({ id }: any) => call('list_scoring_rubrics', { rfpId: id })))
        return byRow(
          lists.flatMap(({ scores = [] }) => scores),
          'responseId',
          { score: 'total' },
        )
      },
      query_data: async (call) =>
        byRow(
          await queryRows(call, { entity: 'rfpResponse', fields: ['id', 'score'], filter: { field: 'score', op: 'isSet' } }),
          'id',
          sameNames('score'),
        ),
    },
  },
  {
    about: 'committed amounts of contracts',
    tools: {
      list_contracts: async (call) => byRow((await call('list_contracts', { limit: 100 })).contracts, 'number', sameNames('committed')),
      query_data: async (call) =>
        byRow(await queryRows(call, { entity: 'contract', fields: ['number', 'committed'], limit: 200 }), 'number', sameNames('committed')),
    },
  },
  {
    about: 'booth applications by status',
    tools: {
      list_booth_applications: async (call) => toCounts((await call('list_booth_applications', { limit: 1 })).counts),
      query_data: (call) => countBy(call, 'boothApplication', 'status'),
    },
  },
]

const SURVEYS: readonly ToolFigureComparison[] = [
  {
    about: 'surveys',
    tools: {
      get_survey_aggregate_data: async (call) => {
        const figures: Figures = {}
        for (const { code } of (await call('get_survey_aggregate_data', {})).surveys) {
          const { delivered, complete, responseRate, questions } = await call('get_survey_aggregate_data', { surveyCode: code })
          Object.assign(figures, {
            [`${code}.delivered`]: delivered,
            [`${code}.complete`]: complete,
            [`${code}.responseRate`]: responseRate,
          })
          const [nps, ...more] = questions.filter(({ type }: any) => type === 'nps')
          if (nps && more.length === 0) figures[`${code}.nps`] = nps.nps ?? null
        }
        return figures
      },
      'list of surveys': async (call) =>
        byRow((await call('get_survey_aggregate_data', {})).surveys, 'code', sameNames('delivered', 'complete', 'responseRate')),
      query_data: async (call) =>
        byRow(await queryRows(call, { metrics: ['survey.responseRate', 'survey.nps'], groupBy: ['surveyCode'] }), 'surveyCode', {
          responseRate: 'survey.responseRate',
          nps: 'survey.nps',
        }),
      get_survey_responses_data: async (call) => {
        const figures: Figures = {}
        for (const { code } of (await call('get_survey_aggregate_data', {})).surveys)
          figures[`${code}.complete`] = (await call('get_survey_responses_data', { surveyCode: code, limit: 1 })).total
        return figures
      },
    },
  },
]

/** Comparisons of attendance, registration funnel, floor plans, leads, program, sourcing and surveys. */
export const AREA_COMPARISONS: readonly ToolFigureComparison[] = [...ONSITE, STAYS, FUNNEL, ...PLACES, ...PROGRAM, ...SOURCING, ...SURVEYS]
