import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { recordStatements } from '../../../../bench/servers/statements.ts'
import { newId } from '../../../kernel/ids.ts'
import { createRestClient } from '../../../../test/support/rest.ts'
import { newAttendee, useSalesScenario, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'

const [flow] = WORKED_EXAMPLE.flows
const scenario = useSalesScenario({
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => (product.code === 'dinner' ? { ...product, addsTags: ['vip'] } : product)),
  flows: [{ ...flow, addsTags: ['acme'] }],
})

const register = (products: Record<string, number> = { pass: 1 }, more: object = {}) =>
  scenario.call('add_participant', {
    ...more,
    flowSlug: 'attendee',
    tags: ['speaker'],
    data: { ...newAttendee(), ...Object.fromEntries(Object.entries(products).map(([code, units]) => [`@product.${code}`, units])) },
  })

describe('a new registration', () => {
  it('stores a new registration with the same tags that a recalculation gives', async () => {
    const { participant } = await register({ pass: 1, dinner: 1 })
    expect(participant.tags.toSorted()).toEqual(['acme', 'speaker', 'vip'])
    const edited = await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Still' } })
    expect(edited.participant.tags).toEqual(participant.tags)
    const plain = await register()
    expect(plain.participant.tags.toSorted()).toEqual(['acme', 'speaker'])
  })

  it('returns the order and the invoice of a new registration with the stored numbers and amounts', async () => {
    const { order, invoice, participant } = await register({ workshop: 1 })
    const { rows } = await scenario.world.database.pool.query(
      `select o.number, o.total::int, o.balance::int, i.number as invoice from orders o join invoices i on i.order_id = o.id where o.participant_id = $1`,
      [participant.id],
    )
    expect(rows).toEqual([{ number: order.number, total: 17_999, balance: 17_999, invoice: invoice.number }])
    expect(order).toMatchObject({ total: { amount: '179.99' }, balance: { amount: '179.99' } })
  })
})

describe('a change whose audit entry is sent together with its commit', () => {
  const query = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows

  it('sends the message of a new registration to a webhook that another process has just added', async () => {
    const { world, event } = scenario
    await register()
    const { accountId } = await createRestClient(world, { url: (path) => path }, event.tenantId, { events: [event] })
    const secrets = JSON.stringify([{ sealed: 'secret' }])
    const add = `insert into webhook_endpoints (tenant_id, id, account_id, url, kinds, secrets) values ($1, $2, $3, 'https://example.org', '{*}', $4)`
    await query(add, [event.tenantId, newId(), accountId, secrets])
    const { participant } = await register()
    const kinds = await query(`select kind from webhook_messages where body::text like '%' || $1 || '%' order by kind`, [participant.id])
    expect(kinds.map(({ kind }) => kind)).toContain('participant.created')
    expect(await query(`select from audit_entries where targets::text like '%' || $1 || '%'`, [participant.id])).toHaveLength(1)
    await query('delete from webhook_deliveries')
    await query('delete from webhook_endpoints')
  })

  it('saves nothing if the same person was registered after the duplicate check but before the insert', async () => {
    const { participant } = await register()
    const [person] = await query('select first_name, last_name, email from participants where id = $1', [participant.id])
    // The check finds no registration until the name changes back, which the insert of the row does.
    await query(`update participants set last_name = 'Other' where id = $1`, [participant.id])
    await query(`create function planted() returns trigger language plpgsql as $$ begin
      update participants set last_name = '${person.last_name}' where id = '${participant.id}'; return new; end $$`)
    await query('create trigger planted before insert on participants for each row execute function planted()')
    const data = {
      '@participant.firstName': person.first_name,
      '@participant.lastName': person.last_name,
      '@participant.email': person.email,
    }
    const orders = async () => (await query('select count(*)::int as count from orders'))[0].count
    const before = await orders()
    await expect(scenario.call('add_participant', { flowSlug: 'attendee', data: { ...data, '@product.pass': 1 } })).rejects.toThrow()
    expect(await orders()).toBe(before)
    await query('drop function planted() cascade')
    await query('update participants set last_name = $2 where id = $1', [participant.id, person.last_name])
    expect(await scenario.call('add_participant', { flowSlug: 'attendee', data })).toMatchObject({ status: 'existing_complete' })
  })

  it('applies the credit of a group that pays for its members to the invoice of a new member', async () => {
    await register()
    const { group } = await scenario.call('create_managed_group', {
      name: 'With credit',
      kind: 'company',
      payBy: 'group',
      admins: [{ email: 'admin@credit.example', name: 'Ada' }],
      flowSlug: 'attendee',
    })
    const first = await register({ dinner: 1 }, { groupCode: group.code })
    const orders = () => query('select o.number, o.balance::int, o.unapplied::int from orders o where o.group_id = $1', [group.id])
    const [{ number, balance }] = await orders()
    const paid = {
      kind: 'payment',
      orderNumber: number,
      method: 'bank',
      reference: 'B1',
      receivedAt: '2026-04-01T00:00:00Z',
      allowOverpayment: true,
    }
    const amount = { amount: ((balance + 5_000) / 100).toFixed(2), currency: 'EUR' }
    await scenario.call('record_manual_payment', { ...paid, amount })
    expect(await orders()).toMatchObject([{ balance: -5_000, unapplied: -5_000 }])
    const second = await register({ dinner: 1 }, { groupCode: group.code })
    expect([first.status, second.status]).toEqual(['new', 'new'])
    expect(await orders()).toMatchObject([{ balance: balance - 5_000, unapplied: 0 }])
  })

  it('rolls back a registration if its audit entry cannot be written', async () => {
    await register()
    const count = async () =>
      (await query('select (select count(*) from participants)::int as people, (select count(*) from invoices)::int as invoices'))[0]
    const before = await count()
    await query(`alter table audit_entries add constraint refused check (tool <> 'add_participant') not valid`)
    await expect(register({ workshop: 1 })).rejects.toThrow()
    expect(await count()).toEqual(before)
    await query('alter table audit_entries drop constraint refused')
    await register({ workshop: 1 })
    expect(await count()).toEqual({ people: before.people + 1, invoices: before.invoices + 1 })
  })
})

// The embedded database has one connection and no round trips, so the test needs PostgreSQL.
describe.skipIf(process.env['TEST_DATABASE_URL'] === undefined)('add_participant on PostgreSQL', () => {
  it('adds a participant in four database round trips, the last of which locks the counters and commits', async () => {
    const recorder = recordStatements(pg.Client)
    await register()
    await register()
    recorder.record()
    await register()
    const { statements, roundTrips } = recorder.recorded()
    expect(roundTrips).toBe(4)
    const texts = statements.map(({ text }) => text.trim())
    const sale = texts.findIndex((text) => text.includes('sale_record('))
    expect(texts.slice(sale - 1).map((text) => text.slice(0, 26))).toEqual([
      'insert into "audit_entries"'.slice(0, 26),
      texts[sale]!.slice(0, 26),
      'commit',
    ])
    expect(statements.slice(sale - 3).map(({ roundTrip }) => roundTrip)).toEqual([4, 4, 4, 4, 4])
    expect(texts.slice(0, sale).filter((text) => /inventory_take|number_take|for (no key )?update/.test(text))).toEqual([])
  })

  it('sends the commit separately if an idempotency result or a due email is still written after the sale', async () => {
    const recorder = recordStatements(pg.Client)
    for (const more of [{ idempotencyKey: 'once' }, { sendConfirmation: true }]) {
      recorder.record()
      await register({ pass: 1 }, more)
      const { statements } = recorder.recorded()
      const [sale, commit] = ['sale_record(', 'commit'].map((part) => statements.findIndex(({ text }) => text.includes(part)))
      expect(statements[commit!]!.roundTrip).toBeGreaterThan(statements[sale!]!.roundTrip!)
    }
  })
})
