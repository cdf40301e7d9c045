import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectAppWithoutSignInPage, getUserByEmail } from '../../src/domains/access/users.ts'
import { createFxRateUpdater } from '../../src/domains/bids/fx/updates.ts'
import { JOB_DEFINITIONS } from '../../src/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { createTestFolder } from '../support/folder.ts'
import { waitForReplay } from '../support/replica.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../support/sales-scenario.ts'
import { createUploadFixtures } from '../support/uploads.ts'
import { type EventHandle, type OrganizerHandle, RESOURCE } from '../support/world.ts'

const PAST = '2026-02-01T00:00:00Z'
const TIERS = [
  { until: PAST, percent: 100 },
  { until: '2026-08-01T00:00:00Z', percent: 50 },
]
const EVENT = {
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => ({
    ...product,
    ...(product.code === 'dinner' ? { refundUntil: PAST } : { refundTiers: TIERS }),
  })),
}
const IMPORTED = 974
/** Every fiftieth person of the imported event had cancelled. */
const COMPLETE = IMPORTED - Math.ceil(IMPORTED / 50)
const money = (amount: string, currency = 'EUR') => ({ amount, currency })

/** Last year's event in dollars: 974 people, of whom 100 paid 25.00. */
const SHEETS = {
  'people.csv': [
    'Registration ID,First name,Last name,Email,Status,Registered on,Completed on',
    ...Array.from(
      { length: IMPORTED },
      (_, n) => `R${n},Ada,Person ${n},p${n}@example.org,${n % 50 ? 'Confirmed' : 'Cancelled'},2025-02-01,2025-02-01`,
    ),
  ].join('\n'),
  'payments.csv': [
    'Registration ID,Amount,Payment method,Payment date,Transaction ID',
    ...Array.from({ length: 100 }, (_, n) => `R${n + 1},25.00,Visa,2025-03-04,tx-${n}`),
  ].join('\n'),
}

describe('two editions of an event in two currencies', () => {
  let sales: SalesScenario
  let last: EventHandle
  let abroad: EventHandle
  let analyst: OrganizerHandle

  beforeAll(async () => {
    sales = await openSalesScenario(EVENT)
    const { world, event } = sales
    await world.database.pool.query(`update events set code = 'summit-2026' where id = $1`, [event.eventId])
    event.eventCode = 'summit-2026'
    await playFirstStory()
    last = await world.event({ at: event, code: 'summit-2025', status: 'draft', timezone: 'America/New_York', startsOn: '2025-09-02' })
    await importLastYear()
    const second = await world.client()
    abroad = await world.event({ at: second, code: 'forum-2026', status: 'published', startsOn: '2026-10-01' })
    analyst = await world.organizer({ at: [event, second], role: 'admin' })
    // The analyst reads changes of others, which a replica may show a few seconds later.
    await waitForReplay(world.database)
  })
  afterAll(() => sales.world.end())

  /** Story 1 of the registration specification: one order, its whole life. */
  async function playFirstStory() {
    const pay = (args: object) => sales.call('record_manual_payment', { kind: 'payment', method: 'bank', ...args })
    const { participant, order } = await sales.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'save15' } })
    const orderNumber = order.number
    await pay({ orderNumber, reference: 'TR-1', amount: money('600.00') })
    await sales.call('edit_participant', { participantId: participant.id, data: { '@product.dinner': 1 }, credit: 'full' })
    await pay({ orderNumber, reference: 'TR-2', amount: money('406.99') })
    await sales.call('edit_participant', { participantId: participant.id, status: 'cancelled', fee: money('50.00') })
    await sales.call('record_manual_payment', { kind: 'refund', orderNumber, method: 'bank', reference: 'back', amount: money('409.00') })
    // Registrations of this year, so that its pace is not zero.
    for (let n = 0; n < 3; n++) await sales.register({})
  }

  async function importLastYear() {
    const { world, olga, event } = sales
    const at = (args: object = {}) => ({ eventCode: last.eventCode, ...args })
    await olga.call('update_event', at({ currency: 'USD' }))
    await olga.call('configure_event', at({ sections: { details: WORKED_EXAMPLE.details } }))
    const fileIds: string[] = []
    for (const [name, text] of Object.entries(SHEETS))
      fileIds.push((await createUploadFixtures(world, event).file(Buffer.from(text), { name }, { clientId: event.clientId })).id)
    const setup = await olga.call('setup_import_flow', at({ fileIds, sourceSystem: 'old', save: true }))
    expect(setup).toMatchObject({ status: 'ready', questions: [] })
    const live = { setupId: setup.setupId, mode: 'live', withPayments: true, publish: true }
    const preview = await olga.call('import_event', at({ ...live, dryRun: true }))
    await olga.call('import_event', at({ ...live, confirmToken: preview.confirmToken }))
    // On a slow machine, a job imports the rest.
    const { rows } = await world.database.pool.query<{ id: string; name: string }>(`select id, name from jobs where status = 'queued'`)
    for (const { id, name } of rows)
      await createJobRunner(world.services)(
        JOB_DEFINITIONS.find((job) => job.name === name)!,
        { tenantId: event.tenantId, jobId: id },
      )
    const { runs } = await olga.call('setup_import_flow', at({ setupId: setup.setupId }))
    expect(runs.at(-1)).toMatchObject({ status: 'done', created: IMPORTED, errors: 0 })
  }

  const summaryOf = (eventCode: string, more: object = {}) => analyst.call('get_registration_summary', { eventCode, ...more })
  const across = (args: object) => analyst.call('query_across_events', { eventCodes: [sales.event.eventCode, last.eventCode], ...args })

  it('counts as many complete participants for each event as its registration summary', async () => {
    const { rows, events } = await across({ metrics: ['registrations.complete'], groupBy: ['event.code'] })
    const counts = Object.fromEntries(rows.map((row: any) => [row['event.code'], row['registrations.complete']]))
    expect(counts).toEqual({
      'summit-2026': (await summaryOf('summit-2026')).participants.complete,
      'summit-2025': (await summaryOf('summit-2025')).participants.complete,
    })
    expect([counts['summit-2025'], events.used]).toEqual([COMPLETE, 2])
    const { events: shown } = await analyst.call('get_my_events_stats', {})
    expect(Object.fromEntries(shown.map(({ eventCode, complete }: any) => [eventCode, complete]))).toMatchObject(counts)
  })

  it('shows net amounts in one row for each currency, equal to those of the registration summaries', async () => {
    const { rows } = await across({ metrics: ['money.net'] })
    expect(rows).toEqual([
      { currency: 'EUR', 'money.net': money('513.40') },
      { currency: 'USD', 'money.net': money('2500.00', 'USD') },
    ])
    expect((await summaryOf('summit-2026')).money.net).toEqual(money('513.40'))
    expect((await summaryOf('summit-2025')).money.net).toEqual(money('2500.00', 'USD'))
  })

  it('converts amounts into one currency with the exchange rates of a file, and refuses to convert without rates', async () => {
    const convert = { metrics: ['money.net'], currency: 'convert', reportingCurrency: 'EUR' }
    const missing = await analyst.refused('query_across_events', {
      eventCodes: [sales.event.eventCode, last.eventCode],
      ...convert,
    })
    expect(missing).toMatchObject({ code: 'unavailable' })
    const file = join(createTestFolder(), 'rates.csv')
    writeFileSync(file, 'day,currency,perEur\n2025-03-03,USD,1.0800\n2025-02-01,USD,1.0400\n2026-04-10,USD,1.2500\n')
    const { database, services } = sales.world
    await createFxRateUpdater({ file, ecbUrl: null }, services.fetcher).loadFile({ transact: database.transact, log: services.log })
    // The total is 513.40 + 2,500.00 / 1.08.
    expect((await across(convert)).rows).toEqual([{ 'money.net': money('2828.21') }])
    const fixed = await across({ ...convert, rateOn: '2026-04-10' })
    expect(fixed.rows).toEqual([{ 'money.net': money('2513.40') }])
    expect(fixed.rates).toMatchObject([{ currency: 'USD', day: '2026-04-10', rate: '1.25', source: 'file' }])
  })

  it('compares the pace of registrations with the final number of an imported earlier event', async () => {
    const { pace } = await summaryOf('summit-2026', { compareWith: 'summit-2025' })
    expect(pace).toMatchObject({ thisEvent: 3, otherFinal: COMPLETE })
    const { events } = await analyst.call('get_my_events_stats', {})
    const own = events.find(({ eventCode }: any) => eventCode === 'summit-2026')
    expect(own.pace).toMatchObject({ eventCode: 'summit-2025', otherFinal: COMPLETE, other: pace.other })
  })

  it("hides the events of a client from the next call after the user's membership was removed", async () => {
    const codesOf = async () => {
      const { rows } = await analyst.call('query_across_events', { entity: 'event', fields: ['code'] })
      return rows.map(({ code }: any) => code).toSorted()
    }
    expect(await codesOf()).toEqual(['forum-2026', 'summit-2025', 'summit-2026'])
    const { database } = sales.world
    await database.pool.query('delete from memberships where client_id = $1 and user_id = $2', [abroad.clientId, analyst.userId])
    // The change of access ended the token, and the app gets a new one.
    const { accessVersion } = await getUserByEmail(database.write, analyst.email)
    const app = { userId: analyst.userId, tenantId: abroad.tenantId, accessVersion, clientId: 'app', appName: 'Test app' }
    const { token } = await connectAppWithoutSignInPage(database.write, { ...app, resource: RESOURCE, lifetime: '1 hour' })
    analyst = sales.world.throughDatabase({ ...analyst, token: token.reveal() }, database)
    expect(await codesOf()).toEqual(['summit-2025', 'summit-2026'])
    const { events } = await analyst.call('get_my_events_stats', {})
    expect(events.map(({ eventCode }: any) => eventCode).toSorted()).toEqual(['summit-2025', 'summit-2026'])
    expect(await analyst.refused('query_across_events', { entity: 'event', fields: ['code'], eventCodes: ['forum-2026'] })).toMatchObject({
      code: 'not_found',
    })
    expect(await analyst.refused('query_data', { eventCode: 'forum-2026', entity: 'event', fields: ['code'] })).toMatchObject({
      code: expect.stringMatching(/not_found|forbidden/),
    })
  })
})
