import { describe, expect, it } from 'vitest'
import { rehearseFlowJob } from '../../../domains/rehearsals/rehearse.ts'
import type { Job } from '../../../kernel/jobs.ts'
import { createJobRunner } from '../../../surfaces/worker/run-jobs.ts'
import { useDraftScenario } from '../../../../test/support/draft-scenario.ts'

const scenario = useDraftScenario({ timezone: 'Europe/Paris', city: 'Paris', country: 'FR' })
const { call, refused, set } = scenario

const run = (jobId: string, job = rehearseFlowJob) =>
  createJobRunner(scenario.world.services)(job as Job, { tenantId: scenario.event.tenantId, jobId })
const query = async (text: string): Promise<any[]> => (await scenario.world.database.pool.query(text, [scenario.event.eventId])).rows

const when = (binding: string, value: unknown) => ({ all: [{ binding, op: 'equals', value }] })
const choices = (...codes: string[]) => codes.map((code) => ({ code, name: code }))
const end = { code: 'end', title: 'Done', widgets: [{ id: 'done', type: 'confirmation', body: '<p>Thanks</p>' }] }

const ABOUT = [
  { id: 'lookup', type: 'membershipLookup', connection: 'crm', inputs: ['email'], memberTags: ['member'] },
  { id: 'name', type: 'name' },
  { id: 'email', type: 'field', binding: '@participant.email', required: true },
  { id: 'diet', type: 'field', binding: '@custom.diet', required: true },
  { id: 'first', type: 'field', binding: '@custom.first-time', required: true },
  { id: 'note', type: 'field', binding: '@participant.dietary', required: true, showWhen: when('@custom.diet', 'other') },
]

/** The specification's example: a lookup, two questions with branches, a product with a member price. */
const EXAMPLE = {
  details: { contactEmail: 'team@example.org' },
  tags: [{ code: 'member', name: 'Member' }],
  customFields: [
    { code: 'diet', name: 'Diet', responseType: 'choice', choices: choices('none', 'vegan', 'other') },
    { code: 'first-time', name: 'First time', responseType: 'boolean' },
  ],
  products: [
    { code: 'adm', name: 'Admission', category: 'admission', prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }] },
  ],
  flows: [
    {
      slug: 'attendee',
      name: 'Attendee',
      pages: [
        { code: 'about', title: 'About you', widgets: ABOUT },
        {
          code: 'welcome',
          title: 'Welcome',
          showWhen: when('@custom.first-time', true),
          widgets: [{ id: 'hello', type: 'text', body: '<p>Hello</p>' }],
        },
        {
          code: 'order',
          title: 'Order',
          widgets: [
            { id: 'buy', type: 'products', products: ['adm'], min: 1 },
            { id: 'pay', type: 'payment', methods: ['bank'] },
          ],
        },
        end,
      ],
    },
  ],
}

async function prepared(sections: object = EXAMPLE) {
  await call('create_directory_connection', { name: 'CRM', code: 'crm', preset: 'generic-rest', baseUrl: 'https://crm.example/api' })
  await call('configure_event', { sections })
}

/** Starts a test run and returns its report. */
async function rehearse(args: object = {}) {
  const started = await call('rehearse_flow', { flowSlug: 'attendee', ...args })
  await run(started.jobId)
  return { started, report: await call('get_flow_rehearsal', { rehearsalId: started.rehearsalId, people: 'all' }) }
}

const left = async () => ({
  people: await query('select id from participants where event_id = $1'),
  orders: await query('select id from orders where event_id = $1'),
  places: await query('select key, held, sold from inventory where event_id = $1'),
  numbers: await query(`select series from number_series where event_id = $1 and series not like 'T-%'`),
  mails: await query('select status from messages where event_id = $1'),
})
const NOTHING = { people: [], orders: [], places: [], numbers: [], mails: [] }

describe('rehearse_flow', () => {
  it("completes a test run of the specification's flow with 4 people, 6 branches and 1650.00, and keeps no data", async () => {
    await prepared()
    const { started, report } = await rehearse()
    expect(started).toMatchObject({ status: 'queued', plannedPeople: 4 })
    expect(report).toMatchObject({
      status: 'done',
      progress: { done: 4, total: 4 },
      source: 'draft',
      stale: false,
      coverage: {
        branches: 6,
        reached: 6,
        unreached: [],
        pages: { reached: 4, total: 4 },
        widgets: { reached: 10, total: 10 },
        priceRows: { reached: 2, total: 2 },
      },
      outcomes: { completed: 4, blocked: 0, waitlisted: 0, failed: 0 },
      findings: [],
      negative: { wronglyAccepted: [] },
      totals: { orders: 4, amount: { amount: '1650.00', currency: 'EUR' } },
    })
    expect(report.negative.tried).toBeGreaterThanOrEqual(6)
    expect(report.negative.refused).toBe(report.negative.tried)
    expect(
      report.people.map(({ answers, outcome, total }: any) => [answers['@custom.diet'], answers['@lookup.lookup'], outcome, total.amount]),
    ).toEqual([
      ['other', 'found', 'completed', '300.00'],
      ['none', 'notFound', 'completed', '450.00'],
      ['vegan', 'many', 'completed', '450.00'],
      ['none', 'error', 'completed', '450.00'],
    ])
    expect(report.emails).toMatchObject([{ rendered: 4 }])
    expect(await left()).toEqual(NOTHING)

    const again = (await rehearse()).report
    const withoutTimings = ({ rehearsalId: _id, timings: _times, ...rest }: any) => rest
    expect(withoutTimings(again)).toEqual(withoutTimings(report))

    // The totals keep the currency of the rehearsal, also if the event's next currency has other decimals.
    for (const currency of ['KWD', 'JPY']) {
      await call('update_event', { currency })
      const read = await call('get_flow_rehearsal', { rehearsalId: report.rehearsalId, people: 'all' })
      expect([read.totals.amount, read.people[0].total]).toEqual([report.totals.amount, report.people[0].total])
    }
    await call('update_event', { currency: 'EUR' })

    await set([{ op: 'set', path: '/flows/attendee/pages/welcome/title', value: 'Hello' }])
    expect(await call('get_flow_rehearsal')).toMatchObject({ stale: true, people: [] })
  })

  it('keeps the data of a test run on request, and uses the tax rates of the simulated day', async () => {
    await prepared({
      ...EXAMPLE,
      taxes: [{ code: 'vat', name: 'VAT', rate: '19' }],
      products: [
        {
          ...EXAMPLE.products[0],
          taxCode: 'vat',
          prices: [
            { amount: '450.00', until: '2027-01-31' },
            { amount: '500.05', from: '2027-02-01' },
            { amount: '300.00', tags: ['member'] },
          ],
        },
      ],
    })
    const { report } = await rehearse({ keepTestData: true, asOf: '2027-02-01T12:00:00.000Z', negative: false })
    // The total is 300.00 and three times 500.05, with 19 % tax: 357.00 + 3 × 595.06.
    expect(report).toMatchObject({ findings: [], totals: { amount: { amount: '2142.18' } }, negative: { tried: 0 } })
    expect(report.coverage.unreached).toEqual([{ path: '/products/adm/prices/0', outcome: 'used', reason: 'notInForce' }])
    expect(
      await query(`select status, source, is_test_data, count(*)::int from participants where event_id = $1 group by 1, 2, 3`),
    ).toEqual([{ status: 'complete', source: 'rehearsal', is_test_data: true, count: 4 }])
    expect(await query('select distinct status from messages where event_id = $1')).toEqual([{ status: 'kept' }])
    expect(await query('select distinct status from orders where event_id = $1')).toEqual([{ status: 'paid' }])
    // Participants of a test run are not removed by create_test_registrations with clear.
    expect(await call('create_test_registrations', { clear: true })).toEqual({ removed: 0 })
  })

  it('reports an unreachable page of a flow and a question that no participant of a test run can answer', async () => {
    const [about, welcome, order, done] = EXAMPLE.flows[0]!.pages
    const secret = {
      code: 'secret',
      title: 'Secret',
      showWhen: { all: [when('@custom.diet', 'none'), when('@custom.diet', 'vegan')] },
      widgets: [{ id: 's', type: 'text', body: '<p>S</p>' }],
    }
    await prepared({ ...EXAMPLE, flows: [{ ...EXAMPLE.flows[0], pages: [about, welcome, secret, order, done] }] })
    const { report } = await rehearse()
    expect(report.coverage).toMatchObject({
      branches: 8,
      reached: 7,
      unreached: [{ path: '/flows/attendee/pages/secret', outcome: 'shown', reason: 'unsatisfiable' }],
    })
    await set([
      {
        op: 'insert',
        path: '/customFields/track',
        value: { name: 'Track', responseType: 'choice', choices: choices('one') },
      },
      {
        op: 'insert',
        path: '/flows/attendee/pages/order/widgets/track',
        value: { type: 'field', binding: '@custom.track', required: true, choices: [] },
      },
    ])
    const { report: stuck } = await rehearse()
    expect(stuck.outcomes).toMatchObject({ completed: 0 })
    expect(stuck.findings[0]).toMatchObject({ code: 'R03', level: 'error', path: '/flows/attendee/pages/order', evidence: '@custom.track' })
    expect(await left()).toEqual(NOTHING)
  })

  it('resumes an interrupted test run of a flow with the next person', async () => {
    await prepared()
    const { jobId, rehearsalId } = await call('rehearse_flow', { flowSlug: 'attendee' })
    let steps = 0
    const stopped: typeof rehearseFlowJob = {
      ...rehearseFlowJob,
      run: (job, input) =>
        rehearseFlowJob.run({ ...job, step: (step) => (++steps > 3 ? Promise.reject(new Error('stopped')) : job.step(step)) }, input),
    }
    await expect(run(jobId, stopped)).rejects.toThrow('stopped')
    expect(await call('get_flow_rehearsal')).toMatchObject({ status: 'running', progress: { done: 2, total: 4 } })
    expect(await refused('rehearse_flow', { flowSlug: 'attendee' })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(rehearsalId),
    })
    await run(jobId)
    expect(await call('get_flow_rehearsal')).toMatchObject({
      rehearsalId,
      status: 'done',
      totals: { orders: 4, amount: { amount: '1650.00' } },
    })
    expect(await left()).toEqual(NOTHING)
  })

  it('ends a test run of a flow that was changed before the run started', async () => {
    await prepared()
    const { jobId } = await call('rehearse_flow', { flowSlug: 'attendee' })
    await set([{ op: 'set', path: '/flows/attendee/pages/welcome/title', value: 'Hello' }])
    await run(jobId)
    expect(await call('get_flow_rehearsal')).toMatchObject({ status: 'cancelled', stale: true, progress: { done: 0 } })
    await rehearse()
  })

  it('rejects a test run of a broken or unknown flow, and reports that no test run exists yet', async () => {
    expect(await refused('get_flow_rehearsal')).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('start one with rehearse_flow'),
    })
    expect(await refused('get_flow_rehearsal', { rehearsalId: '0'.repeat(24) })).toMatchObject({ code: 'not_found' })
    await prepared()
    await query('delete from directory_connections where event_id = $1')
    expect(await refused('rehearse_flow', { flowSlug: 'attendee' })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('crm'),
    })
    expect(await refused('rehearse_flow', { flowSlug: 'nowhere' })).toMatchObject({ code: 'invalid_arguments' })
    expect(await refused('rehearse_flow', { flowSlug: 'attendee', maxPeople: 501 })).toMatchObject({ code: 'invalid_arguments' })
  })
})
