import { describe, expect, it } from 'vitest'
import { createRegistrationFixtures } from '../../../../test/support/registrations.ts'
import { deskScenario } from './desk.ts'

const desk = deskScenario()
const summary = (args: object = {}) => desk.call('get_registration_summary', args)

const cents = ({ amount }: { amount: string }) => Math.round(Number(amount) * 100)
const sum = (rows: readonly any[], of: (row: any) => number) => rows.reduce((total, row) => total + of(row), 0)
const STATES = ['total', 'incomplete', 'complete', 'waitlisted', 'cancelled'] as const

/** Asserts that the figures of a summary add up. */
function expectToAddUp(one: any): void {
  const { participants, byFlow, bySource, byDay, products, money } = one
  const m = Object.fromEntries(Object.entries(money).map(([name, value]) => [name, cents(value as any)])) as Record<string, number>
  expect(participants.total).toBe(participants.incomplete + participants.complete + participants.waitlisted + participants.cancelled)
  for (const state of STATES) {
    expect(sum(byFlow, (row) => row[state])).toBe(participants[state])
    expect(sum(bySource, (row) => row[state])).toBe(participants[state])
  }
  expect(participants.complete).toBe(one.attendees + one.guests)
  expect(sum(byDay, ({ net }) => net)).toBe(participants.complete)
  expect(byDay.at(-1)?.cumulative ?? 0).toBe(participants.complete)
  expect(m.total).toBe(m.net! + m.tax!)
  expect(m.total).toBe(sum(products, ({ total }) => cents(total)) + m.fees! + m.deposits!)
  expect(m.total).toBe(m.invoiced! - m.credited!)
  expect(m.balance).toBe(m.invoiced! - m.credited! - m.paid! + m.refunded! + m.reversed! - m.writtenOff!)
  expect(m.balance).toBe(m.owed! - m.creditHeld!)
}

const inFigures = (money: Record<string, { amount: string }>, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, money[name]!.amount]))

const cancelledOn = (day: string) => ({ status: 'cancelled' as const, cancelled_at: new Date(`${day}T12:00:00Z`) })
const completedOn = (day: string) => ({ completed_at: new Date(`${day}T12:00:00Z`) })

describe('get_registration_summary', () => {
  it('returns zero for every registration figure of an event without participants', async () => {
    const empty = await summary()
    expectToAddUp(empty)
    expect(empty).toMatchObject({ participants: { total: 0, substituted: 0 }, byDay: [], byTag: [], attendees: 0, guests: 0 })
    expect(empty.money.total).toEqual({ amount: '0.00', currency: 'EUR' })
  })

  it('groups participants by country on request, with the money of their orders', async () => {
    for (const country of ['DE', 'DE', 'FR', null]) await desk.person({ country, flow_slug: 'attendee' })
    const anna = await desk.person({ country: 'DE', status: 'cancelled' })
    await desk.buys(anna, [{ product: 'pass', net: 10000, tax: 2000 }])
    await desk.pays(anna, 5000)
    expect(await summary()).not.toHaveProperty('byCountry')
    const { byCountry, participants } = await summary({ groupBy: 'country' })
    const euros = (amount: string) => ({ amount, currency: 'EUR' })
    const none = { ordered: euros('0.00'), balance: euros('0.00') }
    expect(byCountry).toEqual([
      {
        country: 'DE',
        name: 'Germany',
        total: 3,
        incomplete: 0,
        complete: 2,
        waitlisted: 0,
        cancelled: 1,
        ordered: euros('120.00'),
        balance: euros('70.00'),
      },
      { country: 'FR', name: 'France', total: 1, incomplete: 0, complete: 1, waitlisted: 0, cancelled: 0, ...none },
      { country: null, total: 1, incomplete: 0, complete: 1, waitlisted: 0, cancelled: 0, ...none },
    ])
    for (const state of STATES) expect(sum(byCountry, (row) => row[state])).toBe(participants[state])
    const ofFlow = (await summary({ groupBy: 'country', flowSlug: 'attendee' })).byCountry
    expect(ofFlow.map(({ country, total }: any) => [country, total])).toEqual([
      ['DE', 2],
      ['FR', 1],
      [null, 1],
    ])
  })

  it('merges countries with fewer than five people for users without personal.read', async () => {
    const people = { DE: 9, FR: 6, IT: 3, ES: 1 }
    for (const [country, count] of Object.entries(people)) for (let i = 0; i < count; i++) await desk.person({ country })
    const ana = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    const { byCountry } = await ana.call('get_registration_summary', { eventCode: desk.event.eventCode, groupBy: 'country' })
    // Italy and Spain have four people together, so France is merged with them.
    expect(byCountry.map(({ country, total, suppressed, ordered }: any) => [country, total, suppressed, ordered])).toEqual([
      ['DE', 9, undefined, undefined],
      [null, 10, true, undefined],
    ])
  })

  it('returns correct registration totals for one order from sale to refund', async () => {
    const anna = await desk.person({ flow_slug: 'attendee', source: 'organizer' })
    await desk.buys(anna, [
      { product: 'pass', net: 63750, tax: 12750, discount: 11250 },
      { product: 'workshop', net: 12749, tax: 2550, discount: 2250 },
      { product: 'dinner', quantity: 2, net: 16182, tax: 1618 },
    ])
    const before = await summary()
    expectToAddUp(before)
    expect(inFigures(before.money, 'list', 'discount', 'net', 'tax', 'total', 'owed')).toEqual({
      list: '1061.81',
      discount: '135.00',
      net: '926.81',
      tax: '169.18',
      total: '1095.99',
      owed: '1095.99',
    })
    await desk.pays(anna, 60000)
    await desk.returns(anna, 'dinner', 1)
    expect(inFigures((await summary()).money, 'balance')).toEqual({ balance: '406.99' })
    await desk.pays(anna, 40699)
    await desk.world.database.pool.query(`update participants set status = 'cancelled', cancelled_at = lanyard_now() where id = $1`, [anna])
    await desk.returns(anna, 'pass', 1, 50)
    await desk.returns(anna, 'workshop', 1, 50)
    await desk.returns(anna, 'dinner', 1, 0)
    await desk.buys(anna, [{ kind: 'fee', net: 5000 }])
    const held = await summary()
    expect(inFigures(held.money, 'creditHeld', 'owed', 'fees')).toEqual({ creditHeld: '409.00', owed: '0.00', fees: '50.00' })
    await desk.refunds(anna, 40900)
    const after = await summary()
    expectToAddUp(after)
    expect(inFigures(after.money, 'invoiced', 'credited', 'paid', 'refunded', 'balance')).toEqual({
      invoiced: '1145.99',
      credited: '548.00',
      paid: '1006.99',
      refunded: '409.00',
      balance: '0.00',
    })
    expect(after.participants).toEqual({ total: 1, incomplete: 0, complete: 0, waitlisted: 0, cancelled: 1, substituted: 0 })
  })

  it('returns statistics that add up across statuses, guests, flows, sources, tags, days, group orders, reversals and write-offs', async () => {
    const acme = await desk.group('acme', { pay_by: 'group' })
    const host = await desk.person({ flow_slug: 'attendee', tags: ['member', 'vip'], ...completedOn('2027-01-10') })
    const guest = await desk.person({ flow_slug: 'attendee', host_id: host, tags: ['vip'], ...completedOn('2027-01-10') })
    const member = await desk.person({ flow_slug: 'speaker', source: 'group', group_id: acme, ...completedOn('2027-01-12') })
    await desk.person({ flow_slug: 'attendee', status: 'incomplete', tags: ['member'] })
    await desk.person({ status: 'incomplete', source: 'assistant' })
    const waiting = await desk.person({ flow_slug: 'speaker', status: 'waitlisted' })
    await desk.waits(waiting, 'product:dinner')
    // One registration cancelled after completion, and one before.
    await desk.person({ flow_slug: 'speaker', ...completedOn('2027-01-10'), ...cancelledOn('2027-01-12') })
    await desk.person({ flow_slug: 'speaker', ...cancelledOn('2027-01-13'), completed_at: null, substituted_by_id: null })
    await desk.person({ ...completedOn('2027-01-11'), ...cancelledOn('2027-01-12'), substituted_by_id: member })
    await desk.buys(host, [
      { product: 'pass', net: 10000, tax: 2000 },
      { product: 'pass', net: 5000, for: guest },
    ])
    const bounced = await desk.pays(host, 17000)
    await desk.reverses(host, bounced, 7000)
    await desk.writesOff(host)
    await desk.buys({ groupId: acme }, [
      { product: 'gone', net: 40000, for: member },
      { kind: 'deposit', net: 3000 },
    ])
    await desk.buys(member, [{ kind: 'fee', net: 1000, tax: 190 }])
    await desk.returns(member, null)
    const one = await summary()
    expectToAddUp(one)
    expect(one.participants).toEqual({ total: 9, incomplete: 2, complete: 3, waitlisted: 1, cancelled: 3, substituted: 1 })
    expect({ attendees: one.attendees, guests: one.guests, waitlist: one.waitlist }).toEqual({
      attendees: 2,
      guests: 1,
      waitlist: { waiting: 1, offered: 0 },
    })
    expect(one.byFlow.map((row: any) => [row.flowSlug, row.total, row.complete])).toEqual([
      ['speaker', 4, 1],
      ['attendee', 3, 2],
      [null, 2, 0],
    ])
    expect(one.byTag.map((row: any) => [row.tag, row.total, row.complete])).toEqual([
      ['member', 2, 1],
      ['vip', 2, 2],
    ])
    expect(one.byDay).toEqual([
      { day: '2027-01-10', completed: 3, cancelled: 0, net: 3, cumulative: 3 },
      { day: '2027-01-11', completed: 1, cancelled: 0, net: 1, cumulative: 4 },
      { day: '2027-01-12', completed: 1, cancelled: 2, net: -1, cumulative: 3 },
    ])
    expect(inFigures(one.money, 'fees', 'deposits', 'reversed', 'writtenOff', 'paid', 'owed')).toEqual({
      fees: '0.00',
      deposits: '30.00',
      reversed: '70.00',
      writtenOff: '70.00',
      paid: '170.00',
      owed: '430.00',
    })
    expect(one.products.map((row: any) => [row.code, row.total.amount, row.waitlisted, row.capacity, row.available])).toEqual([
      ['gone', '400.00', 0, null, null],
      ['pass', '170.00', 0, 100, 100],
      ['dinner', '0.00', 1, null, null],
    ])
  })

  it("limits statistics to the requested days in the event's time zone, with running totals that include earlier days", async () => {
    await desk.person({ completed_at: new Date('2027-01-10T12:00:00Z') })
    await desk.person({ completed_at: new Date('2027-01-11T22:59:59Z') })
    await desk.person({ completed_at: new Date('2027-01-11T23:00:00Z') })
    const { byDay } = await summary({ from: '2027-01-11', until: '2027-01-12' })
    expect(byDay).toEqual([
      { day: '2027-01-11', completed: 1, cancelled: 0, net: 1, cumulative: 2 },
      { day: '2027-01-12', completed: 1, cancelled: 0, net: 1, cumulative: 3 },
    ])
    expect((await desk.refused('get_registration_summary', { from: '2027-01-12', until: '2027-01-11' })).code).toBe('invalid_arguments')
  })

  it('summarizes the registrations and orders of one flow', async () => {
    const speaker = await desk.person({ flow_slug: 'speaker' })
    const attendee = await desk.person({ flow_slug: 'attendee' })
    await desk.buys(speaker, [{ product: 'pass', net: 100 }])
    await desk.buys(attendee, [{ product: 'pass', net: 20000 }])
    const one = await summary({ flowSlug: 'speaker' })
    expectToAddUp(one)
    expect({ total: one.participants.total, flows: one.byFlow.length, money: one.money.total.amount }).toEqual({
      total: 1,
      flows: 1,
      money: '1.00',
    })
    expect((await desk.refused('get_registration_summary', { flowSlug: 'speakr' })).fields![0]!.allowed).toEqual(['speaker'])
  })

  it('includes test registrations only on request', async () => {
    await desk.person()
    const { asOf: _before, ...before } = await summary()
    for (let n = 0; n < 3; n++) await desk.buys(await desk.person({ is_test_data: true }), [{ product: 'pass', net: 100 }], { test: true })
    const { asOf: _after, ...after } = await summary()
    expect(after).toEqual(before)
    const all = await summary({ includeTestData: true })
    expectToAddUp(all)
    expect({ total: all.participants.total, money: all.money.total.amount }).toEqual({ total: 4, money: '3.00' })
  })

  it('counts participants with more tags than fit into an index entry', async () => {
    await desk.person({ tags: Array.from({ length: 200 }, (_, n) => `${'t'.repeat(55)}-${n}`) })
    await desk.person({ tags: Array.from({ length: 20 }, (_, n) => `${'u'.repeat(60)}-${n}`) })
    const { participants, byTag, truncated } = await summary()
    expect({ total: participants.total, tags: byTag.length, truncated }).toEqual({ total: 2, tags: 100, truncated: true })
  })

  it('compares an event with another one at the same number of days before their start', async () => {
    // Tests start on 2 November 2026, 190 days before 11 May 2027; for the other event that is 3 November 2025.
    const { eventId: _id, eventCode: _code, ...client } = desk.event
    const last = await desk.world.event({ at: client, startsOn: '2026-05-12', status: 'archived' })
    const other = createRegistrationFixtures(desk.world, last)
    for (let n = 0; n < 19; n++) await other.person({ completed_at: new Date('2025-11-03T22:59:59Z') })
    for (let n = 0; n < 10; n++) await other.person({ completed_at: new Date('2025-11-03T23:00:00Z') })
    await other.person({ completed_at: new Date('2025-10-01T10:00:00Z'), ...cancelledOn('2025-10-02') })
    for (let n = 0; n < 3; n++) await desk.person({ completed_at: new Date('2026-11-01T10:00:00Z') })
    const compareWith = last.eventCode
    expect((await summary({ compareWith })).pace).toEqual({ daysBefore: 190, thisEvent: 3, other: 19, otherFinal: 29, projected: null })
    await other.person({ completed_at: new Date('2025-10-01T10:00:00Z'), ...cancelledOn('2025-12-02') })
    expect((await summary({ compareWith })).pace).toEqual({ daysBefore: 190, thisEvent: 3, other: 20, otherFinal: 29, projected: 4 })
    expect((await summary()).pace).toBeUndefined()
  })

  it('rejects a comparison with an event the caller cannot read', async () => {
    const { eventId: _id, eventCode: _code, ...client } = desk.event
    const last = await desk.world.event({ at: client })
    const foreign = await desk.world.event()
    const staff = await desk.world.organizer({ staffOf: desk.event, staffRole: 'registrar' })
    const asked = { eventCode: desk.event.eventCode, compareWith: last.eventCode }
    expect((await staff.refused('get_registration_summary', asked)).code).toBe('not_found')
    expect((await desk.refused('get_registration_summary', { compareWith: foreign.eventCode })).code).toBe('not_found')
    expect((await desk.refused('get_registration_summary', { compareWith: 'never-was' })).code).toBe('not_found')
  })
})
