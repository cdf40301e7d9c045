import { METRICS } from '../../src/domains/figures/metrics/index.ts'

type Call = (tool: string, args: object) => Promise<any>
type Figures = Record<string, unknown>

const METRICS_PER_QUERY = 8

/** Reads the values of the given metrics of the whole event. */
async function readMetrics(call: Call, codes: readonly string[]): Promise<Figures> {
  const values: Figures = {}
  for (let from = 0; from < codes.length; from += METRICS_PER_QUERY) {
    const { rows } = await call('query_data', { metrics: codes.slice(from, from + METRICS_PER_QUERY) })
    Object.assign(values, rows[0])
  }
  return values
}

const prefixed = (prefix: string, figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}.${name}`, value]))

async function readRegistrations(call: Call): Promise<Figures> {
  const summary = await call('get_registration_summary', {})
  const days: { completed: number; cancelled: number }[] = summary.byDay
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0)
  const ofProducts = (name: string) => sum(summary.products.map((product: any) => product[name]))
  return {
    ...prefixed('registrations', { ...summary.participants, attendees: summary.attendees, guests: summary.guests }),
    'registrations.completed': sum(days.map(({ completed }) => completed)),
    'registrations.dropped': sum(days.map(({ cancelled }) => cancelled)),
    'registrations.net': sum(days.map(({ completed, cancelled }) => completed - cancelled)),
    ...prefixed('money', summary.money),
    'inventory.sold': ofProducts('sold'),
    'inventory.held': ofProducts('held'),
    'inventory.waitlisted': ofProducts('waitlisted'),
    'attendance.expected': summary.participants.complete,
  }
}

const readOnsite = async (call: Call): Promise<Figures> => {
  const { expected, checkedIn, enteredNotComplete, noShow, notYet } = await call('get_onsite_summary', {})
  return prefixed('attendance', { expected, attended: checkedIn, enteredNotComplete, noShow, notYet })
}

const readAttendance = async (call: Call): Promise<Figures> => {
  const { expected, attended, enteredNotComplete, noShow = 0, notYet = 0, showRate, onSite } = await call('get_attendance_summary', {})
  return prefixed('attendance', { expected, attended, enteredNotComplete, noShow, notYet, showRate, onSite })
}

const readHousing = async (call: Call): Promise<Figures> => {
  const { totals } = await call('get_housing_summary', {})
  return prefixed('housing', { contracted: totals.contracted, pickup: totals.pickup, pickupPercent: totals.pickupPercent })
}

const readExhibition = async (call: Call): Promise<Figures> => {
  const { totals } = await call('list_floor_plans', {})
  const { stats } = await call('manage_lead', { action: 'stats', by: 'day' })
  return {
    'exhibitors.boothsSold': totals.booths.assigned,
    'exhibitors.netArea': totals.netM2,
    ...prefixed('leads', stats.totals),
  }
}

/** Compares debts by age in list_order_invoices with the debts by age in query_data. */
async function compareAges(call: Call): Promise<string[]> {
  const { totals } = await call('list_order_invoices', { limit: 1 })
  const { rows } = await call('query_data', { metrics: ['money.aging'], groupBy: ['ageBucket'] })
  const { 'money.owed': owed } = await readMetrics(call, ['money.owed'])
  const differences = compare({ owed: totals.balance }, { owed }, 'list_order_invoices')
  for (const [age, amount] of Object.entries<any>(totals.aging)) {
    const found = rows.find((row: any) => row.ageBucket === age)?.['money.aging'].amount ?? '0'
    if (Number(found) !== Number(amount.amount)) differences.push(`aging ${age}: ${amount.amount} and ${found}`)
  }
  return differences
}

/** Compares started visits and conversion of each flow in get_flow_summary and query_data. */
async function compareFlows(call: Call): Promise<string[]> {
  const { rows } = await call('query_data', { metrics: ['flow.started', 'flow.conversion'], groupBy: ['flowSlug'] })
  const differences: string[] = []
  for (const row of rows) {
    const shown = await call('get_flow_summary', { flowSlug: row.flowSlug })
    differences.push(
      ...compare(
        { started: shown.started, conversion: shown.conversion },
        { started: row['flow.started'], conversion: row['flow.conversion'] },
        `get_flow_summary ${row.flowSlug}`,
      ),
    )
  }
  return differences
}

const SOURCING_ENTITIES = { rfps: 'rfp', recipients: 'rfpRecipient', contracts: 'contract', milestones: 'milestone' }

/** Compares the number of RFPs, contracts and other sourcing records by status in get_sourcing_summary and query_data. */
async function compareSourcing(call: Call): Promise<string[]> {
  const { counts } = await call('get_sourcing_summary', {})
  const differences: string[] = []
  for (const [part, entity] of Object.entries(SOURCING_ENTITIES)) {
    const { rows } = await call('query_data', { entity, groupBy: ['status'], aggregates: ['count'] })
    const queried = Object.fromEntries(rows.map(({ status, count }: any) => [status, count]))
    const statuses = { ...counts[part], ...queried }
    const shown = Object.fromEntries(Object.keys(statuses).map((status) => [status, counts[part][status] ?? 0]))
    const expected = Object.fromEntries(Object.keys(statuses).map((status) => [status, queried[status] ?? 0]))
    differences.push(...compare(shown, expected, `get_sourcing_summary ${part}`))
  }
  return differences
}

/** Compares responses and scores of each survey in get_survey_aggregate_data and query_data. */
async function compareSurveys(call: Call): Promise<string[]> {
  const { surveys } = await call('get_survey_aggregate_data', {})
  const differences: string[] = []
  for (const { code } of surveys) {
    const { complete, delivered, responseRate, questions } = await call('get_survey_aggregate_data', { surveyCode: code })
    const ofSurvey = (field: string) => ({ field, op: 'equals', value: code })
    const names = ['survey.complete', 'survey.delivered', 'survey.responseRate']
    const { rows } = await call('query_data', { metrics: names, filter: ofSurvey('surveyCode') })
    differences.push(...compare(prefixed('survey', { complete, delivered, responseRate }), rows[0], `get_survey_aggregate_data ${code}`))
    const scores = await call('query_data', { metrics: ['survey.nps'], groupBy: ['questionCode'], filter: ofSurvey('response.surveyCode') })
    const npsOf = Object.fromEntries(scores.rows.map((row: any) => [row.questionCode, row['survey.nps']]))
    const asked = questions.filter(({ type, answered }: any) => type === 'nps' && answered > 0)
    const shown = Object.fromEntries(asked.map((question: any) => [question.code, question.nps]))
    differences.push(...compare(shown, npsOf, `get_survey_aggregate_data ${code}`))
  }
  return differences
}

/** Rounds a value of query_data to four decimals, with which the other tools show areas. */
const toShownDigits = (value: unknown) => (typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value)

function compare(shown: Figures, queried: Figures, tool: string): string[] {
  return Object.entries(shown).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(toShownDigits(queried[name]))
      ? []
      : [`${name}: ${tool} ${JSON.stringify(value)}, query_data ${JSON.stringify(queried[name])}`],
  )
}

const TOOLS: Readonly<Record<string, (call: Call) => Promise<Figures>>> = {
  get_registration_summary: readRegistrations,
  get_onsite_summary: readOnsite,
  get_attendance_summary: readAttendance,
  get_housing_summary: readHousing,
  list_floor_plans: readExhibition,
}

/** The figures that query_data and another tool show with different values. */
export async function listUnequalFigures(call: Call): Promise<string[]> {
  const differences: string[] = []
  for (const [tool, read] of Object.entries(TOOLS)) {
    const shown = await read(call)
    const codes = Object.keys(shown)
    const unknown = codes.filter((code) => !METRICS.has(code))
    if (unknown.length > 0) throw new Error(`No metric ${unknown.join(', ')}`)
    differences.push(...compare(shown, await readMetrics(call, codes), tool))
  }
  for (const compareTool of [compareAges, compareFlows, compareSourcing, compareSurveys]) differences.push(...(await compareTool(call)))
  return differences
}
