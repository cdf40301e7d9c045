import { beforeEach, describe, expect, it } from 'vitest'
import { CONTACT_EMAIL_EDIT, useDraftScenario } from '../../../../test/support/draft-scenario.ts'
import {
  CHANGED_ROW_NUMBER,
  libraryFile,
  PAYMENT_ROWS,
  paymentsBook,
  PEOPLE_ROWS,
  peopleSheet,
  INVALID_ROW_NUMBERS,
} from './import-story.ts'

const scenario = useDraftScenario()

/**
 * In a soak 974 people and 851 payments: eleven rows are duplicates and fifteen are invalid; of the payments twelve belong to invalid
 * rows and seven are duplicates.
 */
const [CREATED, PAID] = [PEOPLE_ROWS - 26, PAYMENT_ROWS - 19]

const rows = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
const one = async (text: string) => Number((await rows(text, [scenario.event.eventId]))[0].n)
const CONTACTS = `select count(distinct c.id) n from contacts c join events e on e.tenant_id = c.tenant_id and e.client_id = c.client_id where e.id = $1`
const people = (test: boolean) => one(`select count(*) n from participants where event_id = $1 and is_test_data = ${test}`)
const confirmed = async (tool: string, args: object) => {
  const preview = await scenario.call(tool, { ...args, dryRun: true })
  return { preview, result: await scenario.call(tool, { ...args, confirmToken: preview.confirmToken }) }
}
const figures = ({ rows: all, created, updated, unchanged, duplicates, errors }: any) => ({
  all,
  created,
  updated,
  unchanged,
  duplicates,
  errors,
})
const DRY = ({ effects: _e, dryRun: _d, confirmToken: _c, runId: _r, ...rest }: any) => rest

describe('import_event', () => {
  it("imports last year's event as dry run, test data and live data, deletes the test data, and imports the corrected file again", async () => {
    await scenario.set([CONTACT_EMAIL_EDIT])
    const participants = await libraryFile(scenario, peopleSheet(), 'participants.csv')
    const payments = await libraryFile(scenario, await paymentsBook(), 'payments.xlsx')
    const first = await scenario.call('setup_import_flow', { fileIds: [participants, payments], sourceSystem: 'old-system' })
    expect(first.questions).toMatchObject([{ id: 'dateOrder', columns: ['participants: Registered on'] }])
    expect(await scenario.refused('import_event', { setupId: first.setupId, mode: 'test' })).toMatchObject({
      code: 'precondition_failed',
      message: expect.stringContaining('1 question'),
    })
    const { setupId, status } = await scenario.call('setup_import_flow', {
      setupId: first.setupId,
      formats: { dateOrder: 'DMY' },
      save: true,
    })
    expect(status).toBe('ready')

    const live = { setupId, mode: 'live', withPayments: true, publish: true }
    const dry = await scenario.call('import_event', { ...live, dryRun: true })
    expect(figures(dry)).toEqual({ all: PEOPLE_ROWS, created: CREATED, updated: 0, unchanged: 0, duplicates: 11, errors: 15 })
    expect(dry.payments).toMatchObject({ rows: PAYMENT_ROWS, created: PAID, unchanged: 0, orphans: 12, duplicates: 7, errors: 0 })
    const numbers = dry.errorKinds.map(({ code, count, rows: lines }: any) => [code, count, lines.length])
    expect(numbers.toSorted()).toEqual([
      ['date', 2, 2],
      ['email', 9, 9],
      ['status', 4, 4],
    ])
    expect(dry.errorKinds[0]).toMatchObject({ sheet: 'participants', column: 'Email', rows: expect.arrayContaining([13]) })
    // The dry run shows three sample rows of each kind of error, or fewer if the file has fewer.
    expect(dry.errorRows.map(({ code }: any) => code).toSorted()).toEqual([
      'date',
      'date',
      'email',
      'email',
      'email',
      'status',
      'status',
      'status',
    ])
    expect(dry.errorRows[0]).toMatchObject({ sheet: 'participants', row: 13, column: 'Email', value: 'absent at example' })
    expect(await people(false)).toBe(0)

    const test = await scenario.call('import_event', { setupId, mode: 'test', withPayments: true })
    expect(figures(test)).toEqual(figures(dry))
    expect([await people(true), await people(false), await one(CONTACTS)]).toEqual([CREATED, 0, 0])
    expect(await rows(`select distinct left(number, 4) as start from orders where event_id = $1`, [scenario.event.eventId])).toEqual([
      { start: 'T-R-' },
    ])
    expect(await scenario.refused('delete_test_imports', {})).toMatchObject({ code: 'precondition_failed' })
    const { preview, result } = await confirmed('delete_test_imports', {})
    expect(preview.deleted).toMatchObject({ participants: CREATED, payments: PAID })
    expect(result).toMatchObject({
      runs: 1,
      deleted: { participants: CREATED, payments: PAID, invoices: PAID },
      kept: { configItems: expect.arrayContaining(['/flows/imported', '/products/imported-fee']) },
    })
    expect(await people(true)).toBe(0)
    expect((await scenario.call('delete_test_imports', {})).deleted).toEqual({
      participants: 0,
      orders: 0,
      invoices: 0,
      payments: 0,
      contacts: 0,
      files: 0,
    })

    expect(await scenario.refused('import_event', live)).toMatchObject({ code: 'precondition_failed', fix: { tool: 'import_event' } })
    const run = await confirmed('import_event', live)
    expect(DRY(run.result)).toEqual(DRY(run.preview))
    expect(figures(run.result)).toEqual(figures(dry))
    expect(await people(false)).toBe(CREATED)
    const addresses = `select count(distinct email_norm) n from participants where event_id = $1`
    expect(await one(CONTACTS)).toBe(await one(addresses))
    expect(await one(`select count(*) n from participants where event_id = $1 and (email is null) <> (contact_id is null)`)).toBe(0)
    const sums = `select count(*) n from (select o.id from orders o where o.event_id = $1 and o.balance <> (select coalesce(sum(amount), 0) from ledger_entries l where l.order_id = o.id)) x`
    expect(await one(sums)).toBe(0)
    const [money] = await rows(
      `select sum(total)::bigint as total, sum(paid)::bigint as paid, sum(balance)::bigint as balance from orders where event_id = $1`,
      [scenario.event.eventId],
    )
    expect(Number(money.balance)).toBe(0)
    expect(run.result.money.paid.amount).toBe((Number(money.paid) / 100).toFixed(2))
    expect(await rows(`select distinct left(number, 6) as start from orders where event_id = $1`, [scenario.event.eventId])).toEqual([
      { start: 'IMP-R-' },
    ])
    const [{ complete, sold }] = await rows(
      `select (select count(*) from participants where event_id = $1 and status = 'complete') as complete, (select sold from inventory where event_id = $1 and key = 'event') as sold`,
      [scenario.event.eventId],
    )
    expect(Number(sold)).toBe(Number(complete))
    expect(
      (
        await rows(`select created_at, completed_at, source from participants where event_id = $1 and email = 'p1@example.org'`, [
          scenario.event.eventId,
        ])
      )[0],
    ).toMatchObject({
      source: 'import',
      created_at: new Date('2025-02-01T23:00:00.000Z'),
    })

    // Repeating the import changes nothing.
    const again = (await confirmed('import_event', live)).result
    expect(figures(again)).toEqual({ all: PEOPLE_ROWS, created: 0, updated: 0, unchanged: CREATED, duplicates: 11, errors: 15 })
    expect(again.payments).toMatchObject({ created: 0, unchanged: PAID, duplicates: 7, orphans: 12 })
    expect(again.money).toEqual(run.result.money)

    // One participant's phone is changed in the database, and their phone and company in the file; the 15 invalid rows are fixed.
    await rows(
      `update participants set mobile_phone = '+49301111111' where event_id = $1 and email = 'p${CHANGED_ROW_NUMBER}@example.org'`,
      [scenario.event.eventId],
    )
    const mended = await libraryFile(scenario, peopleSheet({ mended: true, changed: true }), 'participants.csv')
    await scenario.call('setup_import_flow', { setupId, fileIds: [mended, payments], save: true })
    const last = await confirmed('import_event', { setupId, mode: 'live', withPayments: true })
    expect(figures(last.preview)).toEqual({ all: PEOPLE_ROWS, created: 15, updated: 1, unchanged: CREATED - 1, duplicates: 11, errors: 0 })
    expect(figures(last.result)).toEqual(figures(last.preview))
    expect(last.result.payments).toMatchObject({ created: 12, unchanged: PAID, duplicates: 7, orphans: 0 })
    expect(last.result).toMatchObject({ localEditCount: 1, localEdits: [{ field: '@participant.mobilePhone' }], notInFile: 0 })
    expect(
      (
        await rows(`select company, mobile_phone from participants where event_id = $1 and email = 'p${CHANGED_ROW_NUMBER}@example.org'`, [
          scenario.event.eventId,
        ])
      )[0],
    ).toEqual({
      company: 'New Company',
      mobile_phone: '+49301111111',
    })
    expect(await people(false)).toBe(PEOPLE_ROWS - 11)
    expect(await one(sums)).toBe(0)
    expect(await one(`select count(*) n from messages where event_id = $1`)).toBe(0)
    expect(INVALID_ROW_NUMBERS).toHaveLength(15)
  })
})

/** Imports the CSV files with the payments of their people, live, and returns the result. A later call replaces the files of the setup. */
function createImporter(options: object = { mode: 'live', publish: true }) {
  let setup: { setupId?: string } = {}
  return async (...files: string[]) => {
    const fileIds = await Promise.all(
      files.map((content, index) => libraryFile(scenario, content, index === 0 ? 'people.csv' : 'payments.csv')),
    )
    const { setupId, status } = await scenario.call('setup_import_flow', { ...setup, fileIds, sourceSystem: 'old', save: true })
    expect(status).toBe('ready')
    setup = { setupId }
    const { preview, result } = await confirmed('import_event', { setupId, withPayments: true, ...options })
    expect(DRY(result)).toEqual(DRY(preview))
    return result
  }
}
const orderSums = () =>
  rows(`select total::int, paid::int, balance::int from orders where event_id = $1 order by number`, [scenario.event.eventId])

describe('import_event with the paid amount in the row of the person', () => {
  const HEAD = 'Registration ID,First name,Last name,Email'
  const due = (paid: string) => `${HEAD},Amount due,Amount paid\nA1,Ann,One,ann@example.org,100.00,${paid}\n`
  beforeEach(() => scenario.set([CONTACT_EMAIL_EDIT]))

  it('reports a changed amount as an error, and books no second payment', async () => {
    const run = createImporter()
    expect((await run(due('50.00'))).payments).toMatchObject({ rows: 1, created: 1 })
    for (const paid of ['100.00', '100.00', '0.00', '']) {
      const again = await run(due(paid))
      expect(again).toMatchObject({ unchanged: 1, errors: 0, payments: { rows: 1, created: 0, unchanged: 0, errors: 1 } })
      expect(again.errorRows).toMatchObject([{ row: 2, column: 'amountPaid', code: 'amount', message: expect.stringContaining('50.00') }])
      expect(again.money.paid.amount).toBe('50.00')
    }
    expect((await run(due('50.00'))).payments).toMatchObject({ rows: 1, created: 0, unchanged: 1, errors: 0 })
    expect(await orderSums()).toEqual([{ total: 10_000, paid: 5000, balance: 5000 }])
  })

  it('books no payment of a row that is rejected', async () => {
    const run = createImporter()
    const file = (paid: string, status = 'Confirmed') =>
      `${HEAD},Amount paid,Status\nA1,Ann,One,ann@example.org,${paid},${status}\nA2,Bea,Two,bea@example.org,,${status}\n`
    await run(file('100.00'))
    expect(await run(file('120.00'))).toMatchObject({ unchanged: 1, errors: 1, payments: { rows: 1, created: 0, errors: 1 } })
    const cancelled = await run(file('100.00', 'Cancelled').replace('org,,', 'org,30.00,'))
    expect(cancelled).toMatchObject({ errors: 2, payments: { rows: 2, created: 0, unchanged: 1, errors: 1 } })
    expect(cancelled.errorRows.map(({ row, code }: any) => [row, code])).toEqual([
      [2, 'status'],
      [3, 'status'],
      [3, 'row'],
    ])
    expect(await orderSums()).toEqual([
      { total: 10_000, paid: 10_000, balance: 0 },
      { total: 0, paid: 0, balance: 0 },
    ])
  })

  it('books the first payment of a person who had paid nothing, and takes a changed day as the same payment', async () => {
    const run = createImporter()
    const file = (paid: string, on: string) =>
      `${HEAD},Amount due,Amount paid,Payment date\nA1,Ann,One,ann@example.org,100.00,${paid},${on}\n`
    expect((await run(file('0', ''))).payments).toMatchObject({ rows: 0, created: 0, errors: 0 })
    expect((await run(file('40.00', '2025-03-14'))).payments).toMatchObject({ rows: 1, created: 1 })
    expect((await run(file('40.00', '2025-03-15'))).payments).toMatchObject({ rows: 1, created: 0, unchanged: 1 })
    expect(await orderSums()).toEqual([{ total: 10_000, paid: 4000, balance: 6000 }])
  })

  it('keeps the payment of the row apart from those of the payments sheet', async () => {
    const run = createImporter()
    const payments = (...amounts: string[]) =>
      ['Registration ID,Amount,Payment method,Payment date', ...amounts.map((amount) => `A1,${amount},Bank,2025-03-14`), ''].join('\n')
    expect((await run(due(''), payments('30.00'))).payments).toMatchObject({ rows: 1, created: 1 })
    expect((await run(due('0'), payments('30.00'))).payments).toMatchObject({ rows: 1, unchanged: 1, errors: 0 })
    expect((await run(due('50.00'), payments('30.00'))).payments).toMatchObject({ rows: 2, created: 1, unchanged: 1 })
    expect((await run(due('50.00'), payments('30.00', '20.00'))).payments).toMatchObject({ rows: 3, created: 1, unchanged: 2 })
    expect((await run(due('60.00'), payments('30.00', '20.00'))).payments).toMatchObject({ rows: 3, created: 0, unchanged: 2, errors: 1 })
    expect(await orderSums()).toEqual([{ total: 10_000, paid: 10_000, balance: 0 }])
  })

  it('recognizes the payments of imports that did not store whether they were in the row of the person', async () => {
    const run = createImporter()
    await run(due('50.00'))
    await rows(`update import_rows set written = written - 'inPersonRow' where event_id = $1`, [scenario.event.eventId])
    expect((await run(due('50.00'))).payments).toMatchObject({ created: 0, unchanged: 1 })
    expect((await run(due('100.00'))).payments).toMatchObject({ created: 0, errors: 1 })
    expect(await orderSums()).toEqual([{ total: 10_000, paid: 5000, balance: 5000 }])
  })

  it('applies the rule to test data too', async () => {
    const run = createImporter({ mode: 'test' })
    await run(due('50.00'))
    expect((await run(due('100.00'))).payments).toMatchObject({ created: 0, errors: 1 })
    expect(await orderSums()).toEqual([{ total: 10_000, paid: 5000, balance: 5000 }])
  })
})

describe('import_event of people who change their names and email addresses', () => {
  type Person = [id: string, name: string, email: string, company?: string]
  const file = (...people: Person[]) =>
    [
      'Registration ID,First name,Last name,Email,Company',
      ...people.map(([id, name, email, company = 'ACME']) => `${id},${name.replace(' ', ',')},${email},${company}`),
      '',
    ].join('\n')
  const B1: Person = ['B1', 'Ann Lee', 'b1@example.org']
  const B2: Person = ['B2', 'Ann Lee', 'b2@example.org']
  const B3: Person = ['B3', 'Cem Kaya', 'b3@example.org']
  const emails = async () =>
    (await rows(`select email from participants where event_id = $1 order by email`, [scenario.event.eventId])).map(({ email }) => email)
  const emailOf = async (key: string) =>
    (
      await rows(
        `select p.email from import_rows r join participants p on p.id = r.entity_id where r.event_id = $1 and r.source_key = $2`,
        [scenario.event.eventId, `id:${key.toLowerCase()}`],
      )
    )[0]?.email
  beforeEach(() => scenario.set([CONTACT_EMAIL_EDIT]))

  it.each(['live', 'test'])('reports a row that takes the name and email of another, and imports the other rows (%s)', async (mode) => {
    const run = createImporter({ mode, publish: mode === 'live' })
    await run(file(B1, B2, B3))
    const second = file(['B1', 'Ann Lee', 'B2@example.org'], B2, ['B3', 'Cem Kaya', 'b3@example.org', 'Borealis'])
    const result = await run(second)
    expect(figures(result)).toEqual({ all: 3, created: 0, updated: 1, unchanged: 1, duplicates: 0, errors: 1 })
    expect(result.errorRows).toMatchObject([{ row: 2, column: '@participant.email', value: 'B2@example.org', code: 'duplicate' }])
    expect(figures(await run(second))).toMatchObject({ updated: 0, unchanged: 2, errors: 1 })
    expect(await emails()).toEqual(['b1@example.org', 'b2@example.org', 'b3@example.org'])
  })

  it('exchanges the email addresses of two people, and passes on an address that is given up', async () => {
    const run = createImporter()
    await run(file(B1, B2, B3))
    const exchanged = await run(file(['B1', 'Ann Lee', 'b2@example.org'], ['B2', 'Ann Lee', 'b1@example.org'], B3))
    expect(figures(exchanged)).toMatchObject({ updated: 2, unchanged: 1, errors: 0 })
    expect([await emailOf('B1'), await emailOf('B2')]).toEqual(['b2@example.org', 'b1@example.org'])
    // B1 takes the address of B2, B2 takes a new one, and a new person takes the former address of B1.
    const last = file(['B1', 'Ann Lee', 'b1@example.org'], ['B2', 'Ann Lee', 'b9@example.org'], B3, ['B4', 'Ann Lee', 'b2@example.org'])
    expect(figures(await run(last))).toMatchObject({ created: 1, updated: 2, unchanged: 1, duplicates: 0, errors: 0 })
    expect([await emailOf('B1'), await emailOf('B2'), await emailOf('B4')]).toEqual(['b1@example.org', 'b9@example.org', 'b2@example.org'])
    expect(figures(await run(last))).toMatchObject({ created: 0, updated: 0, unchanged: 4 })
    const [{ n }] = await rows(`select count(*)::int n from participants where event_id = $1 and last_name is null`, [
      scenario.event.eventId,
    ])
    expect(n).toBe(0)
  })

  it('refuses an exchange of which one part is impossible, and one of two people who take the same name and email', async () => {
    const run = createImporter()
    await run(file(B1, B2, B3, ['B4', 'Ann Lee', 'b4@example.org']))
    const chain = file(['B1', 'Ann Lee', 'b2@example.org'], ['B2', 'Cem Kaya', 'b3@example.org'], B3, ['B4', 'Ann Lee', 'b4@example.org'])
    expect(figures(await run(chain))).toMatchObject({ updated: 0, unchanged: 2, errors: 2 })
    const same = file(['B1', 'Ann Lee', 'b9@example.org'], B2, B3, ['B4', 'Ann Lee', 'b9@example.org'], ['B5', 'Ann Lee', 'b9@example.org'])
    expect(figures(await run(same))).toMatchObject({ created: 0, updated: 1, unchanged: 2, duplicates: 1, errors: 1 })
  })
})
