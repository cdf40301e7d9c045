import { describe, expect, it } from 'vitest'
import { useSalesScenario } from '../../../../test/support/sales-scenario.ts'

const scenario = useSalesScenario()
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const audit = (args: object = {}) => scenario.call('audit_event', args as Record<string, unknown>)

describe('audit_event', () => {
  it('returns one audit entry for an edit of two fields, with both changes and the name of the app that made them', async () => {
    const { participant } = await scenario.register({}, { data: { '@participant.company': 'Acme' } })
    await scenario.call('edit_participant', {
      participantId: participant.id,
      data: { '@participant.company': 'Bolt', '@participant.lastName': 'Nová' },
    })
    const { entries } = await audit({ targetKind: 'participant', targetId: participant.id, tool: 'edit_participant' })
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      at: '2026-04-10T10:00:00.000Z',
      who: 'Olga Organizer',
      app: 'Test app',
      tool: 'edit_participant',
      target: { kind: 'participant', id: participant.id, label: 'Paula Nová' },
    })
    expect(entries[0].changes).toHaveLength(2)
    expect(entries[0].changes).toContainEqual({ path: '@participant.company', before: 'Acme', after: 'Bolt' })
  })

  it('shows an entry whose actor has no name as made by an unnamed person', async () => {
    const { participant } = await scenario.register()
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.company': 'Nameless' } })
    await scenario.world.database.pool.query(
      `insert into audit_entries (tenant_id, id, at, client_id, event_id, actor_kind, actor_id, actor_name, app_name, app_id, tool, targets)
       select tenant_id, left(id, 20) || 'ffff', at, client_id, event_id, actor_kind, actor_id, '', app_name, app_id, tool, targets
       from audit_entries where tool = 'edit_participant' order by id desc limit 1`,
    )
    const { entries } = await audit({ targetId: participant.id, tool: 'edit_participant' })
    expect(entries.map(({ who }: { who: string }) => who).toSorted()).toEqual(['Olga Organizer', 'unnamed'])
  })

  it('filters audit entries by user, app, tool, record, field and day, newest first', async () => {
    const { order, invoice } = await scenario.register({ pass: 1 })
    const pay = { kind: 'payment', method: 'cash', orderNumber: order.number, amount: euros('1.00') }
    const { payments, receiptNumber } = await scenario.call('record_manual_payment', pay)
    await scenario.call('write_off_invoices', { invoiceNumbers: [invoice.number], reason: 'small' })
    const tools = async (args: object) => (await audit({ limit: 2, ...args })).entries.map(({ tool }: { tool: string }) => tool)
    expect(await tools({})).toEqual(['write_off_invoices', 'record_manual_payment'])
    expect(await tools({ who: 'olga' })).toEqual(['write_off_invoices', 'record_manual_payment'])
    expect(await tools({ who: 'absent' })).toEqual([])
    expect(await tools({ app: 'test APP' })).toHaveLength(2)
    expect(await tools({ app: 'another' })).toEqual([])
    expect(await tools({ tool: 'write_off_invoices' })).toEqual(['write_off_invoices'])
    expect(await tools({ targetKind: 'payment' })).toEqual(['record_manual_payment'])
    expect(await tools({ targetId: payments[0].id })).toEqual(['record_manual_payment'])
    expect(await tools({ field: 'writtenOff' })).toEqual(['write_off_invoices'])
    expect(await tools({ from: '2026-04-10', until: '2026-04-10' })).toHaveLength(2)
    expect(await tools({ until: '2026-04-09' })).toEqual([])
    const [paid] = (await audit({ targetId: payments[0].id })).entries
    expect(paid.target).toEqual({ kind: 'payment', id: payments[0].id, label: receiptNumber })
    expect(paid.changes).toContainEqual({ path: 'amount', after: '1.00' })
  })

  it('accepts descriptions of record kinds, tools, apps and fields as filters, as well as their exact names', async () => {
    const { participant } = await scenario.register({}, { data: { '@participant.company': 'Wordy' } })
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@participant.lastName': 'Worded' } })
    const tools = async (args: object) => (await audit({ limit: 1, ...args })).entries.map(({ tool }: { tool: string }) => tool)
    for (const filter of [
      { targetKind: 'Registrations' },
      { targetKind: 'partic' },
      { tool: 'edit participant' },
      { tool: 'EDIT_' },
      { app: 'test' },
      { field: 'last name' },
      { field: 'lastName' },
      { targetKind: 'attendee', tool: 'edit', field: 'name' },
    ])
      expect([filter, await tools(filter)]).toEqual([filter, ['edit_participant']])
    await scenario.publish({ products: [{ code: 'pass', prices: [{ amount: '610.00' }] }] })
    const [edit] = (await audit({ field: 'price', targetKind: 'product' })).entries
    expect(edit.tool).toBe('configure_event')
    expect(edit.changes[0].path).toContain('/products/pass/prices')
  })

  it('accepts the name, email and number of a record in place of its id', async () => {
    const { participant, order, invoice } = await scenario.register({ pass: 1 })
    const other = await scenario.register({ pass: 1 })
    const pay = { kind: 'payment', method: 'cash', orderNumber: order.number, amount: euros('2.00') }
    const { receiptNumber } = await scenario.call('record_manual_payment', pay)
    const tools = async (targetId: string) => (await audit({ targetId })).entries.map(({ tool }: { tool: string }) => tool)
    const { email, confirmationNumber, firstName, lastName } = participant
    for (const person of [email, email.toUpperCase(), confirmationNumber, `${firstName} ${lastName}`.toUpperCase()])
      expect([person, await tools(person)]).toEqual([person, ['add_participant']])
    for (const number of [order.number, invoice.number.toLowerCase()])
      expect([number, await tools(number)]).toEqual([number, ['record_manual_payment', 'add_participant']])
    expect(await tools(receiptNumber)).toEqual(['record_manual_payment'])
    const { entries } = await audit({ targetId: order.number, targetKind: 'payment' })
    expect(entries).toMatchObject([{ target: { kind: 'payment', label: receiptNumber } }])
    expect(await tools(other.order.number)).toEqual(['add_participant'])
  })

  it('lists the known record kinds if a filter names an unknown one, and those in the audit log if no entry matches', async () => {
    const refusal = await scenario.refused('audit_event', { targetKind: 'spaceship', tool: 'launch' })
    expect(refusal.fields.map(({ path }: { path: string }) => path)).toEqual(['targetKind', 'tool'])
    expect(refusal.fields[0].allowed).toEqual(expect.arrayContaining(['participant', 'invoice', 'configuration']))
    expect(refusal.text).toMatch(/no kind of record "spaceship" — there are .*participant.*no tool "launch" — there are add_participant/)
    const { entries, note } = await audit({ targetId: 'No such record' })
    expect(entries).toEqual([])
    expect(note).toMatch(/^No change matches these filters\. Kinds of records in the log: .*participant.*\. Tools: .*add_participant/)
    expect(await audit({ limit: 1 })).not.toHaveProperty('note')
    const empty = await scenario.world.event({ at: scenario.event })
    const unused = await scenario.olga.call('audit_event', { eventCode: empty.eventCode, who: 'olga' })
    expect(unused).toMatchObject({ entries: [], note: 'No change has been logged at this event yet.' })
  })

  it('rejects a date filter whose first day is after its last day', async () => {
    const refusal = await scenario.refused('audit_event', { from: '2026-04-11', until: '2026-04-10' })
    expect(refusal).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'from' }] })
  })

  it('hides changed personal values from users without permission, but shows that they changed', async () => {
    const { participant } = await scenario.register({}, { data: { '@participant.company': 'Acme' } })
    await scenario.world.database.pool.query(
      `update audit_entries set targets = jsonb_set(targets, '{0,fields}', targets -> 0 -> 'fields' ||
         '{"@participant.mobilePhone":{"before":null,"after":"+33 1"},"@custom.diet":{"after":"none"},"billTo":{"after":{"taxId":"FR1"}}}')
       where targets @> $1::jsonb`,
      [JSON.stringify([{ id: participant.id }])],
    )
    const ana = await scenario.world.organizer({ at: scenario.event, role: 'analyst' })
    const visibleValues = async (who: typeof ana) => {
      const { entries } = await who.call('audit_event', { eventCode: scenario.event.eventCode, targetId: participant.id })
      return Object.fromEntries(entries[0].changes.map(({ path, after }: { path: string; after: string }) => [path, after]))
    }
    const hidden = { '@participant.mobilePhone': '***', '@custom.diet': '***', billTo: '***' }
    expect(await visibleValues(ana)).toMatchObject({ ...hidden, '@participant.company': 'Acme', status: 'complete' })
    expect(await visibleValues(scenario.olga)).toMatchObject({
      '@participant.mobilePhone': '+33 1',
      '@custom.diet': 'none',
      billTo: '{"taxId":"FR1"}',
    })
  })

  it('checks every invariant of the event, and finds a ledger row that was altered in the database', async () => {
    const { order } = await scenario.register({ pass: 1 })
    await scenario.call('record_manual_payment', { kind: 'payment', method: 'cash', orderNumber: order.number, amount: euros('1.00') })
    expect(await audit()).not.toHaveProperty('integrity')
    const sound = (await audit({ check: true })).integrity
    expect(sound.map(({ id }: { id: string }) => id)).toEqual([
      'I1',
      'I2',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I9',
      'I10',
      'I11',
      'I12',
      'I13',
      'I14',
      'I15',
      'H1',
      'H2',
      'H3',
      'H4',
      'H5',
      'H6',
      'H7',
      'H8',
      'H9',
      'H10',
      'X1',
      'X2',
      'X3',
      'X4',
      'X5',
      'X6',
      'X7',
      'X8',
      'X9',
      'X10',
      'X11',
      'S1',
    ])
    expect(sound.every(({ ok, violations }: { ok: boolean; violations: number }) => ok && violations === 0)).toBe(true)

    const alter = (by: number) =>
      scenario.world.database.pool.query(
        `alter table ledger_entries disable trigger all; update ledger_entries set amount = amount + ${by} where kind = 'payment';
         alter table ledger_entries enable trigger all`,
      )
    await alter(-1)
    const { integrity } = await audit({ check: true })
    const broken = integrity.filter(({ ok }: { ok: boolean }) => !ok)
    expect(broken.map(({ id }: { id: string }) => id)).toEqual(['I3', 'I4', 'I5'])
    expect(broken[0].samples.length).toBeGreaterThan(0)
    await alter(1)
  })
})
