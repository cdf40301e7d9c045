import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createExhibitorFixtures } from '../../../../test/support/companies.ts'
import { type EventLedger, openEventLedger } from '../../../../test/support/event-ledger.ts'
import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { newId } from '../../../kernel/ids.ts'
import { checkIntegrity } from '../integrity/check.ts'
import { checkIntegrityOfChangedEvents, watchDataIntegrity } from '../integrity/watch.ts'

let scenario: SalesScenario
let books: EventLedger
let registered: any
let group: string

const run = (text: string, values: unknown[] = []) => scenario.world.database.pool.query<any>(text, values)
const euros = (amount: string) => ({ amount, currency: 'EUR' })

/** Creates every kind of row once: a sale with a code, credit, payment, refund, reversal, write-off, a group, and a waiting list. */
beforeAll(async () => {
  scenario = await openSalesScenario({ ...WORKED_EXAMPLE, discounts: [{ ...WORKED_EXAMPLE.discounts[0], maxUses: 5 }] })
  books = openEventLedger(scenario.world, scenario.event)
  registered = await scenario.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'save15' } })
  const orderNumber = registered.order.number
  const cash = { method: 'cash', amount: euros('1095.99') }
  const { payments } = await scenario.call('record_manual_payment', { kind: 'payment', orderNumber, ...cash })
  await scenario.call('edit_participant', { participantId: registered.participant.id, data: { '@product.dinner': 1 }, credit: 'full' })
  await scenario.call('record_manual_payment', { kind: 'refund', orderNumber, method: 'cash', amount: euros('9.00') })
  await scenario.call('record_manual_payment', { kind: 'reversal', paymentId: payments[0].id, amount: euros('95.99') })
  const other = await scenario.register({ workshop: 1 })
  await scenario.call('write_off_invoices', { invoiceNumbers: [other.invoice.number], reason: 'small' })

  const at = [scenario.event.tenantId, scenario.event.eventId]
  group = newId()
  await run(
    `insert into managed_groups (tenant_id, event_id, id, code, name, kind, pay_by, flow_slug, max_members)
     values ($1, $2, $3, 'acme', 'Acme', 'company', 'members', 'attendee', 5)`,
    [...at, group],
  )
  await run('update participants set group_id = $1 where id = $2', [group, other.participant.id])
  await run(
    `insert into waitlist_entries (tenant_id, event_id, id, participant_id, is_test_data, target, position)
     values ($1, $2, $3, $4, false, 'product:dinner', 1)`,
    [...at, newId(), other.participant.id],
  )
  const { id: company } = await createExhibitorFixtures(scenario.world, scenario.event).company()
  await run(
    `insert into exhibitor_staff (tenant_id, event_id, id, company_id, is_test_data, name, email, role, status, pass)
     values ($1, $2, $3, $4, false, 'Sam', 'sam@example.org', 'admin', 'invited', 'free')`,
    [...at, newId(), company],
  )
  await books.assertInvariants()
})
afterAll(() => scenario.world.end())

describe('immutable financial records', () => {
  it.each(['ledger_entries', 'order_lines', 'payments', 'refunds', 'payment_reversals', 'write_offs'])(
    'rejects an update or delete of %s',
    async (table) => {
      await expect(run(`update ${table} set event_id = event_id || 'x'`)).rejects.toThrow(`${table} are never changed`)
    },
  )
})

const kept = new Set<string>()

/** Changes rows with triggers and constraints disabled. The change is undone after the test. */
async function behindItsBack(table: string, change: string, values: unknown[] = []) {
  const connection = await scenario.world.database.pool.connect()
  try {
    await connection.query(`create table if not exists kept_${table} as table ${table}`)
    kept.add(table)
    await connection.query(`alter table ${table} disable trigger all`)
    const { rowCount } = await connection.query(change, values)
    expect(rowCount).toBeGreaterThan(0)
    await connection.query(`alter table ${table} enable trigger all`)
  } finally {
    connection.release()
  }
}

/** Restores all rows, without generated columns. */
async function putBack() {
  for (const table of kept) {
    const { rows } = await run(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    const columns = rows.map(({ name }) => `"${name}"`).join(', ')
    await run(`alter table ${table} disable trigger all`)
    await run(`delete from ${table}`)
    await run(`insert into ${table} (${columns}) overriding system value select ${columns} from kept_${table}`)
    await run(`alter table ${table} enable trigger all`)
    await run(`drop table kept_${table}`)
  }
  kept.clear()
}

beforeEach(async () => {
  await putBack()
  await books.assertInvariants()
})

const violated = async () => Object.keys(await books.violations())

/** One changed or deleted row, and the integrity rules whose check must report it. */
const ALTERED: [what: string, table: string, change: string, shows: string[]][] = [
  [
    'a ledger entry of an invoice',
    'ledger_entries',
    `update ledger_entries set amount = amount - 1 where kind = 'payment'`,
    ['I3', 'I4', 'I5'],
  ],
  ['a deleted ledger entry', 'ledger_entries', `delete from ledger_entries where kind = 'write_off'`, ['I3', 'I4', 'I5']],
  [
    'the amount of a refund in the ledger',
    'ledger_entries',
    `update ledger_entries set amount = amount + 1 where kind = 'refund'`,
    ['I4', 'I5', 'I9'],
  ],
  ['the balance of an invoice', 'invoices', `update invoices set balance = balance + 1 where kind = 'invoice'`, ['I3', 'I4']],
  ['the paid amount of an invoice', 'invoices', `update invoices set paid = paid + 1 where kind = 'invoice'`, ['I3']],
  ['the balance of an order', 'orders', `update orders set balance = balance + 1`, ['I4']],
  ['the paid amount of an order', 'orders', `update orders set paid = paid + 1`, ['I4']],
  ['the amount of a payment', 'payments', `update payments set amount = amount + 1`, ['I5']],
  ['the amount of a refund', 'refunds', `update refunds set amount = amount + 1`, ['I5']],
  ['the amount of a reversal', 'payment_reversals', `update payment_reversals set amount = amount - 1`, ['I5', 'I9']],
  ['the amount of a write-off', 'write_offs', `update write_offs set amount = amount + 1`, ['I5']],
  [
    'the total of an invoice',
    'invoices',
    `update invoices set net = net + 1, total = total + 1 where kind = 'invoice'`,
    ['I3', 'I5', 'I7'],
  ],
  ['an order number', 'orders', `update orders set number = 'R-000009' where number = 'R-000001'`, ['I6']],
  ['a credit note number', 'invoices', `update invoices set number = 'CN-2026-000002' where kind = 'credit_note'`, ['I6']],
  ['the counter of receipt numbers', 'number_series', `update number_series set last = last + 1 where series = 'RC'`, ['I6']],
  [
    'the amount of an order line',
    'order_lines',
    `update order_lines set net = net + 1, total = total + 1 where product_code = 'pass'`,
    ['I7'],
  ],
  ['the total of an order', 'orders', `update orders set total = total + 1`, ['I7']],
  [
    'an order line on the invoice of another order',
    'order_lines',
    `update order_lines l set invoice_id = (select i.id from invoices i where i.order_id <> l.order_id limit 1) where product_code = 'pass'`,
    ['I7'],
  ],
  ['the returned amount of a payment', 'payments', `update payments set returned = returned + 1`, ['I9']],
  ['the sold count of a product', 'inventory', `update inventory set sold = sold + 1 where key = 'product:pass'`, ['I2']],
  ['the sold count of a flow', 'inventory', `update inventory set sold = sold + 1 where key = 'flow:attendee'`, ['I2']],
  ['the held count of the event', 'inventory', `update inventory set held = held + 1 where key = 'event'`, ['I2']],
  ['the count of free staff passes', 'inventory', `update inventory set sold = sold - 1 where key like 'staff:%'`, ['I2']],
  ['the held count of a discount code', 'inventory', `update inventory set held = held + 1 where key = 'discount:save15'`, ['I15']],
  ['the usage count of a discount code', 'inventory', `update inventory set sold = sold - 1 where key = 'discount:save15'`, ['I15']],
  ['the member count of a group', 'managed_groups', `update managed_groups set member_count = 4`, ['I11']],
  [
    'a waiting list offer without a hold',
    'waitlist_entries',
    `update waitlist_entries set status = 'offered', offered_until = lanyard_now()`,
    ['I12'],
  ],
  [
    'a real order of test data',
    'participants',
    `update participants set is_test_data = true, contact_id = null where id = (select participant_id from orders limit 1)`,
    ['I2', 'I13', 'I15'],
  ],
]

describe('checkIntegrity', () => {
  it.each(ALTERED)('reports a manual database change in the integrity check: %s', async (_what, table, change, shows) => {
    await behindItsBack(table, change)
    expect(await violated()).toEqual(shows)
  })

  it('reports a duplicate participant as rule I1 if the unique index is missing', async () => {
    await run('drop index participants_once')
    const { participant } = await scenario.register({})
    await behindItsBack(
      'participants',
      `update participants p set first_name = q.first_name, last_name = q.last_name, email = q.email from participants q
       where p.id = '${participant.id}' and q.id = '${registered.participant.id}'`,
    )
    expect(await violated()).toEqual(['I1'])
  })

  it('reports two payments of one charge as rule I8 if the unique index is missing', async () => {
    await run('drop index payments_of_provider')
    await scenario.call('record_manual_payment', {
      kind: 'payment',
      method: 'cash',
      orderNumber: registered.order.number,
      amount: euros('1.00'),
    })
    await behindItsBack('payments', `update payments set provider = 'stripe', provider_ref = 'pi_1'`)
    expect(await violated()).toEqual(['I8'])
  })

  it('reports a participant who is a guest and hosts a guest as a violation of rule I10', async () => {
    const people = await Promise.all([1, 2, 3].map(() => scenario.register({})))
    const [a, b, c] = people.map(({ participant }) => participant.id)
    await behindItsBack(
      'participants',
      `update participants set host_id = case id when '${b}' then '${a}' else '${b}' end where id in ('${b}', '${c}')`,
    )
    expect(await violated()).toEqual(['I10'])
  })

  it("reports a refund above the order's credit at that moment as a violation of rule I9", async () => {
    const order = await books.open()
    const cash = { method: 'cash', orderNumber: order.number, amount: euros('5.00') }
    await scenario.call('record_manual_payment', { kind: 'payment', ...cash, allowOverpayment: true })
    await scenario.call('record_manual_payment', { kind: 'refund', ...cash })
    expect(await violated()).toEqual([])
    // All sums are correct; only the order of ledger entries is wrong.
    await behindItsBack(
      'ledger_entries',
      `update ledger_entries a set kind = b.kind, amount = b.amount, source_id = b.source_id from ledger_entries b
       where a.order_id = $1 and b.order_id = $1 and a.id <> b.id`,
      [order.id],
    )
    expect(await violated()).toEqual(['I9'])
  })

  it('reports a disabled trigger on a financial table as a violation of rule I5', async () => {
    await run('alter table payments disable trigger payments_kept')
    expect((await books.violations())['I5']).toEqual(['trigger payments_kept'])
    await run('alter table payments enable trigger payments_kept')
  })

  it('reports a source row imported twice as a violation of rule I14', async () => {
    const at = [scenario.event.tenantId, scenario.event.eventId]
    await run('alter table import_rows drop constraint import_rows_pkey')
    await run('alter table import_rows disable trigger all')
    const bring = (key: string) =>
      run(
        `insert into import_rows (tenant_id, event_id, is_test_data, source_system, entity_kind, source_key, content_hash, written, entity_id, run_id, seen_run_id)
         values ($1, $2, false, 'old', 'participant', $3, '', '{}', 'a', 'r', 'r')`,
        [...at, key],
      )
    await bring('R1')
    await bring('R2')
    expect(await violated()).toEqual([])
    await bring('R2')
    expect(await books.violations()).toEqual({ I14: ['import old participant R2'] })
    await run('delete from import_rows')
    await run('alter table import_rows enable trigger all')
    await run('alter table import_rows add primary key (tenant_id, event_id, is_test_data, source_system, entity_kind, source_key)')
  })

  it('returns at most five samples per integrity rule, counts all violations, and ignores other events', async () => {
    for (let i = 0; i < 7; i++) await books.sell((await books.open()).id, [[1_00, 0]])
    await behindItsBack('invoices', `update invoices set paid = paid + 1 where kind = 'invoice'`)
    const found = await checkIntegrity(scenario.world.database.read, scenario.event.tenantId, scenario.event.eventId)
    const balances = found.find(({ id }) => id === 'I3')!
    expect(balances.ok).toBe(false)
    expect(balances.violations).toBeGreaterThanOrEqual(7)
    expect(balances.samples).toHaveLength(5)
    const elsewhere = await scenario.world.event({ at: { ...scenario.event } })
    expect(await openEventLedger(scenario.world, elsewhere).violations()).toEqual({})
  })
})

describe('watchDataIntegrity', () => {
  const errors = () => scenario.world.logged.filter((line) => line.includes('integrity violated'))
  const look = async () =>
    checkIntegrityOfChangedEvents({
      slot: await scenario.world.clock.now(),
      transact: scenario.world.database.transact,
      log: scenario.world.services.log,
    })

  it('logs integrity violations of changed events, and nothing for events without violations', async () => {
    expect(watchDataIntegrity.schedule).toEqual({ everySeconds: 60 })
    await look()
    expect(errors()).toEqual([])
    await behindItsBack('orders', `update orders set balance = balance + 1 where number = 'R-000001'`)
    await look()
    expect(errors()).toHaveLength(1)
    expect(JSON.parse(errors()[0]!)).toMatchObject({ level: 'error', name: 'I4', count: 1, error: 'order R-000001' })
  })

  it('skips the integrity check of events without changes', async () => {
    const sayings = errors().length
    await behindItsBack('orders', `update orders set balance = balance + 1 where number = 'R-000001'`)
    await run(`update audit_entries set id = '00' || substr(id, 3)`)
    await look()
    expect(errors()).toHaveLength(sayings)
  })
})

it('runs the integrity check as a prepared statement, so that PostgreSQL plans it once per connection', async () => {
  const kept = await scenario.world.database.transact(async (db) => {
    await checkIntegrity(db, scenario.event.tenantId, scenario.event.eventId)
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_prepared_statements where statement like '%''I1'' as id%' and statement not like '%pg_prepared%'`.execute(
      db,
    )
    return rows[0]!.n
  })
  expect(kept).toBe(1)
})
