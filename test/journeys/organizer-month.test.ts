import { expect, it } from 'vitest'
import { useCountedJobs } from '../support/counted-jobs.ts'
import { WORKED_EXAMPLE, type SalesScenario } from '../support/sales-scenario.ts'

const [contact, choices, done] = WORKED_EXAMPLE.flows[0]!.pages
const EVENT = {
  ...WORKED_EXAMPLE,
  flows: [
    {
      ...WORKED_EXAMPLE.flows[0]!,
      pages: [
        { ...contact!, widgets: [...contact!.widgets, { id: 'country', type: 'field', binding: '@participant.country' }] },
        choices!,
        done!,
      ],
    },
  ],
}

const person = (firstName: string, country: string) => ({
  data: {
    '@participant.firstName': firstName,
    '@participant.lastName': 'Muster',
    '@participant.email': `${firstName.toLowerCase()}@example.org`,
    '@participant.country': country,
  },
})

/** Registrations before, in and after the week from 30 March to 5 April. Only Dora has paid. The price rises on 1 April. */
async function prepare({ world, register, call }: SalesScenario) {
  const days = [
    ['2026-03-25', 'Anna', 'DE'],
    ['2026-03-31', 'Bert', 'FR'],
    ['2026-04-02', 'Carl', 'DE'],
    ['2026-04-03', 'Dora', 'AT'],
    ['2026-04-08', 'Emil', 'FR'],
  ] as const
  for (const [day, name, country] of days) {
    await world.clock.stopAt(`${day}T10:00:00Z`)
    const { order } = await register({ pass: 1 }, person(name, country))
    if (name === 'Dora') {
      await call('record_manual_payment', {
        kind: 'payment',
        amount: { amount: '900.00', currency: 'EUR' },
        orderNumber: order.number,
        method: 'bank',
        reference: 'ST-1',
      })
    }
  }
  await world.clock.stopAt('2026-04-10T10:00:00Z')
}

const { startJob, scenario } = useCountedJobs(EVENT, { prepare })
const euros = (amount: string) => ({ amount, currency: 'EUR' })

it('organizer job 1: finds participants who registered last week and have not paid', async () => {
  const { call } = startJob(2)
  const lastWeek = { createdFrom: '2026-03-30', createdUntil: '2026-04-05' }
  const found = await call('find_participants', { ...lastWeek, status: ['complete'], balance: 'due', sort: 'name' })
  expect(found).toMatchObject({
    total: 2,
    nextCursor: null,
    participants: [
      { name: 'Bert Muster', email: 'bert@example.org', balance: euros('720.00') },
      { name: 'Carl Muster', email: 'carl@example.org', balance: euros('900.00') },
    ],
  })
})

it('organizer job 14: reports registrations by country for the board', async () => {
  const { call } = startJob(2)
  const { byCountry, money, participants } = await call('get_registration_summary', { groupBy: 'country' })
  expect(byCountry).toMatchObject([
    { name: 'Germany', complete: 2, ordered: euros('1620.00'), balance: euros('1620.00') },
    { name: 'France', complete: 2, ordered: euros('1620.00'), balance: euros('1620.00') },
    { name: 'Austria', complete: 1, ordered: euros('900.00'), balance: euros('0.00') },
  ])
  expect(participants).toMatchObject({ total: 5, complete: 5 })
  expect(money).toMatchObject({ net: euros('3450.00'), tax: euros('690.00'), paid: euros('900.00'), owed: euros('3240.00') })
})

it('organizer job 2: registers a walk-in who pays cash', async () => {
  const { call, refused } = startJob(6)
  const { missing, products } = await call('describe_participant_flow', { flowSlug: 'attendee' })
  expect(missing.map(({ binding }: { binding: string }) => binding)).toEqual([
    '@participant.firstName',
    '@participant.lastName',
    '@participant.email',
  ])
  expect(products[0]).toMatchObject({ code: 'pass', price: euros('750.00') })
  const { order } = await call('add_participant', { flowSlug: 'attendee', data: { ...person('Willi', 'DE').data, '@product.pass': 1 } })
  expect(order.balance).toEqual(euros('900.00'))
  const cash = { kind: 'payment', orderNumber: order.number, method: 'cash' }
  // The organizer first enters the bank note that the walk-in gave, and not the amount that is due.
  const tooMuch = await refused('record_manual_payment', { ...cash, amount: euros('1000.00') })
  expect(tooMuch).toContain('900.00')
  const paid = await call('record_manual_payment', { ...cash, amount: order.balance })
  expect(paid).toMatchObject({ receiptNumber: expect.any(String), order: { balance: euros('0.00'), status: 'paid' } })
})

it('organizer job 3: transfers a registration to another person', async () => {
  const { call } = startJob(6)
  const { participants } = await call('find_participants', { search: 'Dora' })
  const replacement = { '@participant.firstName': 'Nora', '@participant.lastName': 'Neu', '@participant.email': 'nora@example.org' }
  const swap = { participantId: participants[0].id, replacement, reason: 'Ill' }
  expect(await call('substitute_participant', { ...swap, dryRun: true })).toMatchObject({ dryRun: true })
  const swapped = await call('substitute_participant', swap)
  expect(swapped).toMatchObject({ from: { status: 'cancelled' }, to: { status: 'complete' }, moved: { lines: 1 }, missing: [] })
  const { order, substitutions } = await call('get_participant', { participantId: 'nora@example.org' })
  expect(order).toMatchObject({ total: euros('900.00'), paid: euros('900.00'), balance: euros('0.00') })
  expect(substitutions).toMatchObject([{ kind: 'replaces', name: 'Dora Muster' }])
})

it('organizer job 5: writes off an open invoice', async () => {
  const { call } = startJob(6)
  const { invoices } = await call('list_order_invoices', { search: 'Anna', status: ['open'] })
  expect(invoices).toMatchObject([{ billTo: { name: 'Anna Muster' }, balance: euros('720.00') }])
  const bad = { invoiceNumbers: [invoices[0].number], reason: 'Insolvent' }
  const { total } = await call('write_off_invoices', { ...bad, dryRun: true })
  expect(await call('write_off_invoices', { ...bad, expectedTotal: total })).toMatchObject({
    count: 1,
    total: euros('720.00'),
    skipped: [],
  })
  const { money } = await call('get_registration_summary')
  expect(money).toMatchObject({ writtenOff: euros('720.00'), owed: euros('2520.00') })
})

it('organizer job 8: creates and removes 30 test registrations', async () => {
  const { call } = startJob(7)
  const before = await call('get_registration_summary')
  const made = await call('create_test_registrations', { count: 30, seed: 1 })
  expect(made).toMatchObject({ status: 'done', failures: [] })
  const found = await call('get_registration_summary', { includeTestData: true })
  expect(found.participants.total).toBe(before.participants.total + 30)
  expect(await call('create_test_registrations', { clear: true })).toEqual({ removed: 30 })
  expect(await call('get_registration_summary', { includeTestData: true })).toEqual(before)
})

it('organizer job 15: finds the user who changed a price', async () => {
  const { call } = startJob(2)
  const operations = [{ op: 'set', path: '/products/dinner/prices/0/amount', valueJson: '"99.00"' }]
  await scenario.call('config_set', { operations })
  const { entries } = await call('audit_event', { field: 'price' })
  expect(entries).toMatchObject([
    {
      at: '2026-04-10T10:00:00.000Z',
      who: 'Olga Organizer',
      app: 'Test app',
      tool: 'config_set',
      changes: [{ path: '/products/dinner/prices/0/amount', before: '89.00', after: '99.00' }],
    },
  ])
})
