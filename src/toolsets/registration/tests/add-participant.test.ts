import { describe, expect, it } from 'vitest'
import { useSalesScenario, newAttendee } from '../../../../test/support/sales-scenario.ts'

const scenario = useSalesScenario()

const euros = (amount: string) => ({ amount, currency: 'EUR' })

describe('add_participant', () => {
  it('creates a complete registration, an order and an invoice: a pass of 750.00 + 20 % is 900.00', async () => {
    const sold = () => scenario.queryNumber(`select sold as figure from inventory where key = 'product:pass'`)
    const before = await sold()
    const added = await scenario.register({ pass: 1 })
    expect(added).toMatchObject({
      status: 'new',
      participant: { status: 'complete', flowSlug: 'attendee', source: 'organizer', isTestData: false },
      invoice: { total: euros('900.00') },
      order: { total: euros('900.00'), balance: euros('900.00') },
    })
    expect(added.participant.confirmationNumber).toMatch(/^[2-9A-HJ-NP-Z]{10}$/)
    expect(added.participant.badgeId).toMatch(/^[0-9a-f]{16}$/)
    expect(await sold()).toBe(before + 1)
  })

  it("charges the specification's example order to the cent: 1,095.99 with the discount code", async () => {
    const added = await scenario.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'SAVE15' } })
    expect(added.invoice.total).toEqual(euros('1095.99'))
    const other = await scenario.register({ pass: 1, workshop: 1, dinner: 2 }, { data: { '@discount.code': 'less100' } })
    expect(other.invoice.total).toEqual(euros('1141.29'))
  })

  it('returns an existing registration and saves nothing, regardless of the spelling of the name', async () => {
    const anna = {
      '@participant.firstName': 'Änna',
      '@participant.lastName': 'Müller',
      '@participant.email': 'anna@example.org',
      '@product.pass': 1,
    }
    const first = await scenario.call('add_participant', { flowSlug: 'attendee', data: anna })
    const again = await scenario.call('add_participant', {
      flowSlug: 'attendee',
      data: { ...anna, '@participant.firstName': 'ANNA', '@participant.lastName': 'Muller', '@participant.email': 'Anna@Example.org' },
    })
    expect(again).toMatchObject({ status: 'existing_complete', participant: { id: first.participant.id, firstName: 'Änna' } })
    expect(again).not.toHaveProperty('invoice')
  })

  it('creates one registration for two identical concurrent calls, one of which returns existing_complete', async () => {
    const data = { ...newAttendee(), '@product.pass': 1 }
    const sold = () => scenario.queryNumber(`select sold as figure from inventory where key = 'product:pass'`)
    const before = await sold()
    const both = await Promise.all([1, 2].map(() => scenario.call('add_participant', { flowSlug: 'attendee', data })))
    expect(both.map(({ status }) => status).toSorted((a: string, b: string) => a.localeCompare(b))).toEqual(['existing_complete', 'new'])
    expect(both[0].participant.id).toBe(both[1].participant.id)
    expect(await sold()).toBe(before + 1)
  })

  it('reports all invalid and missing fields of a registration together', async () => {
    const refusal = await scenario.refused('add_participant', {
      flowSlug: 'attendee',
      data: { '@participant.firstName': 'Paula', '@participant.email': 'no address', '@participant.firstname': 'x' },
    })
    expect(refusal).toMatchObject({ code: 'invalid_arguments' })
    expect(refusal.fields.map(({ path }: { path: string }) => path)).toEqual(['@participant.email', '@participant.firstname'])
    const missing = await scenario.refused('add_participant', { flowSlug: 'attendee', data: { '@participant.firstName': 'Paula' } })
    expect(missing.fields).toEqual([
      { path: '@participant.lastName', message: 'Last name is required' },
      { path: '@participant.email', message: 'Email is required' },
    ])
  })

  it('requires no answers with skipRequired, but still validates those that are given', async () => {
    const added = await scenario.call('add_participant', {
      flowSlug: 'attendee',
      data: { '@participant.lastName': 'Alone' },
      skipRequired: true,
    })
    expect(added.participant).toMatchObject({ status: 'complete', lastName: 'Alone' })
    expect(Object.values(added.participant)).not.toContain(null)
    expect(added.participant).not.toHaveProperty('email')
    const wrong = { '@participant.lastName': 'Alone', '@participant.email': 'no' }
    expect(await scenario.refused('add_participant', { flowSlug: 'attendee', data: wrong, skipRequired: true })).toMatchObject({
      code: 'invalid_arguments',
    })
  })

  it('returns the registration in a dry run and saves nothing', async () => {
    const before = await scenario.queryNumber('select count(*)::int as figure from participants')
    const would = await scenario.register({ pass: 1 }, { dryRun: true })
    expect(would).toMatchObject({ status: 'new', invoice: { total: euros('900.00') } })
    expect(await scenario.queryNumber('select count(*)::int as figure from participants')).toBe(before)
    const number = await scenario.queryNumber(`select last as figure from number_series where series = 'INV'`)
    const real = await scenario.register({ pass: 1 })
    expect(real.invoice.number).toBe(`INV-2026-${String(number + 1).padStart(6, '0')}`)
  })
})
