import { describe, expect, it } from 'vitest'
import { deskScenario } from './desk.ts'

const desk = deskScenario()
const get = (participantId: string, more: object = {}) => desk.call('get_participant', { participantId, ...more })
const PRIVATE = {
  work_phone: '+49301',
  address1: 'Secret Street 1',
  dietary: 'vegan',
  emergency_name: 'Mum',
  custom_field_responses: JSON.stringify({ shirt: 'm' }),
  answers: JSON.stringify({ '@policy.terms': true }),
}

describe('get_participant', () => {
  it('finds a participant by ID, number, badge or email', async () => {
    const id = await desk.person({ email: 'Anna@Example.org', confirmation_number: 'AB23456789', badge_id: '00ff00ff' })
    for (const named of [id, 'ab23456789', '00FF00FF', 'ANNA@example.org']) expect((await get(named)).participant.id).toBe(id)
    const { code, message } = await desk.refused('get_participant', { participantId: 'absent@example.org' })
    expect({ code, message }).toEqual({
      code: 'not_found',
      message: 'No participant absent@example.org at this event. Use find_participants to search by name, email or company.',
    })
  })

  it('returns the matching participants if several share an email, without cancelled ones', async () => {
    const email = 'family@example.org'
    const mother = await desk.person({ first_name: 'Mother', email })
    await desk.person({ first_name: 'Mother', email, status: 'cancelled' })
    expect((await get(email)).participant.id).toBe(mother)
    const child = await desk.person({ first_name: 'Child', email })
    const answer = await desk.olga.answer('get_participant', { eventCode: desk.event.eventCode, participantId: email })
    expect(answer.content[0]!.text).toContain('Several participants have the email family@example.org')
    expect(answer._meta!['lanyard/error']).toMatchObject({ code: 'ambiguous' })
    expect(JSON.stringify(answer._meta)).toContain(mother)
    expect(JSON.stringify(answer._meta)).toContain(child)
  })

  it('returns the complete record, with text written by participants marked as untrusted', async () => {
    const id = await desk.person({ ...PRIVATE, company: 'Acme', tags: ['vip'], flow_slug: 'attendee' })
    const { structuredContent, _meta } = await desk.olga.answer('get_participant', { eventCode: desk.event.eventCode, participantId: id })
    expect(structuredContent.participant).toMatchObject({
      status: 'complete',
      company: 'Acme',
      workPhone: '+49301',
      address1: 'Secret Street 1',
      customFieldResponses: { shirt: 'm' },
      answers: { '@policy.terms': true },
      tags: ['vip'],
      revision: 1,
    })
    expect(structuredContent.withheld).toEqual([])
    expect(_meta!['lanyard/untrusted']).toEqual(
      expect.arrayContaining(['/participant/company', '/participant/address1', '/participant/customFieldResponses/shirt']),
    )
  })

  it('hides personal data from users without permission, and lists the hidden fields', async () => {
    const id = await desk.person(PRIVATE)
    const ana = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const shown = await ana.call('get_participant', { eventCode: desk.event.eventCode, participantId: id, include: ['housing', 'history'] })
    expect(shown.withheld).toEqual(
      expect.arrayContaining([
        'workPhone',
        'address1',
        'dietary',
        'accessibility',
        'emergencyPhone',
        'answers',
        'customFieldResponses',
        'housing',
      ]),
    )
    for (const hidden of shown.withheld) expect(shown.participant).not.toHaveProperty(hidden)
    expect(shown).not.toHaveProperty('housing')
    expect(JSON.stringify(shown)).not.toMatch(/Secret|\+49301|vegan|Mum/)
    expect(shown.participant).toMatchObject({ email: expect.any(String), firstName: expect.any(String) })
  })

  it('returns the same balance as find_participants, and the amounts that make it up', async () => {
    const id = await desk.person()
    await desk.buys(id, [
      { product: 'pass', net: 75000, tax: 15000 },
      { product: 'dinner', quantity: 2, net: 16182, tax: 1618 },
    ])
    await desk.pays(id, 60000)
    await desk.returns(id, 'dinner', 1)
    const { order } = await get(id)
    const { participants } = await desk.call('find_participants', {})
    expect(order.balance).toEqual({ amount: '389.00', currency: 'EUR' })
    expect(participants[0].balance).toEqual(order.balance)
    expect((await desk.call('list_order_invoices', { participantId: id })).totals.balance).toEqual(order.balance)
    expect(order.lines.map((line: any) => [line.kind, line.productCode, line.quantity, line.total.amount])).toEqual([
      ['sale', 'pass', 1, '900.00'],
      ['sale', 'dinner', 2, '178.00'],
      ['credit', 'dinner', -1, '-89.00'],
    ])
    expect(order.invoices.map((one: any) => [one.number, one.kind, one.total.amount, one.balance.amount])).toEqual([
      ['INV-2026-000001', 'invoice', '1078.00', '389.00'],
      ['CN-2026-000001', 'credit_note', '89.00', '0.00'],
    ])
    expect(order.payments.map((one: any) => [one.receiptNumber, one.amount.amount])).toEqual([['RC-000001', '600.00']])
  })

  it('returns guests, host, group, substitutions and waiting list position', async () => {
    const acme = await desk.group('acme', { name: 'Acme Corp' })
    const before = await desk.person({ first_name: 'Old', last_name: 'One', status: 'cancelled' })
    const host = await desk.person({ first_name: 'Hosting', last_name: 'One', group_id: acme, group_leader: true, substitutes_id: before })
    const guest = await desk.person({ first_name: 'Guest', last_name: 'One', host_id: host, guest_type: 'spouse' })
    const [first, gone] = [await desk.person({ status: 'waitlisted' }), await desk.person({ status: 'waitlisted' })]
    await desk.waits(first, 'product:dinner')
    const left = await desk.waits(gone, 'product:dinner')
    const entry = await desk.waits(host, 'product:dinner')
    expect((await get(host)).waitlist).toEqual([
      expect.objectContaining({ entryId: entry, target: 'product:dinner', rank: 3, status: 'waiting' }),
    ])
    await desk.world.database.pool.query(`update waitlist_entries set status = 'removed' where id = $1`, [left])
    const whole = await get(host)
    expect(whole.waitlist[0].rank).toBe(2)
    expect(whole.guests).toEqual([{ id: guest, name: 'Guest One', status: 'complete', guestType: 'spouse' }])
    expect(whole.group).toEqual({ id: acme, code: 'acme', name: 'Acme Corp', payBy: 'members', leader: true })
    expect(whole.substitutions).toEqual([{ kind: 'replaces', id: before, name: 'Old One' }])
    expect((await get(guest)).host).toMatchObject({ id: host, name: 'Hosting One' })
  })

  it('returns orders paid by others, the change history and emails of a participant only on request', async () => {
    const acme = await desk.group('acme', { pay_by: 'group' })
    const id = await desk.person({ email: 'Ada@example.org' })
    await desk.buys({ groupId: acme }, [
      { product: 'pass', net: 100, for: id },
      { product: 'dinner', net: 200 },
    ])
    await desk.world.database.pool.query(
      `insert into audit_entries (tenant_id, id, event_id, actor_kind, actor_id, actor_name, app_name, tool, targets)
       select $1, lpad(to_hex(n), 24, '0'), $2, 'organizer', 'x', 'Olga', 'App', 'edit_participant',
         jsonb_build_array(jsonb_build_object('kind', 'participant', 'id', $3::text, 'fields', jsonb_build_object('company', jsonb_build_object('before', n, 'after', n + 1))))
       from generate_series(1, 60) n`,
      [desk.event.tenantId, desk.event.eventId, id],
    )
    const bare = await get(id)
    for (const name of ['orders', 'history', 'emails', 'sessions', 'leads', 'housing']) expect(bare).not.toHaveProperty(name)
    const whole = await get(id, { include: ['orders', 'history', 'emails', 'sessions', 'leads', 'housing'] })
    expect(whole.orders).toEqual([{ number: 'R-000001', owner: 'group', lines: [expect.objectContaining({ productCode: 'pass' })] }])
    expect(whole.history).toHaveLength(50)
    expect(whole.history[0]).toMatchObject({ who: 'Olga', tool: 'edit_participant', changes: [{ path: 'company', before: 60, after: 61 }] })
    expect({ emails: whole.emails, sessions: whole.sessions, leads: whole.leads, housing: whole.housing }).toEqual({
      emails: [],
      sessions: [],
      leads: [],
      housing: [],
    })
  })

  it('finds test registrations only on request', async () => {
    const id = await desk.person({ is_test_data: true })
    expect((await desk.refused('get_participant', { participantId: id })).code).toBe('not_found')
    expect((await get(id, { includeTestData: true })).participant.isTestData).toBe(true)
  })
})
