import { expect, it } from 'vitest'
import { useCountedJobs } from '../support/counted-jobs.ts'
import { newAttendee, WORKED_EXAMPLE, type SalesScenario } from '../support/sales-scenario.ts'

/** The worked example with a workshop for two that has a waiting list. */
const EVENT = {
  ...WORKED_EXAMPLE,
  products: WORKED_EXAMPLE.products.map((product) => (product.code === 'workshop' ? { ...product, capacity: 2, waitlist: true } : product)),
}

/** Two people have a seat in the workshop and four wait for one. Gina and Hugo each owe a pass. */
async function prepare({ register }: SalesScenario) {
  const named = (firstName: string) => ({ data: { '@participant.firstName': firstName } })
  for (const name of ['Anna', 'Bert']) await register({ workshop: 1 }, named(name))
  for (const name of ['Carl', 'Dora', 'Emil', 'Frida']) await register({ workshop: 1 }, { ...named(name), joinWaitlist: true })
  for (const name of ['Gina', 'Hugo'])
    await register({ pass: 1 }, { data: { '@participant.firstName': name, '@participant.company': 'Acme' } })
}

const { startJob } = useCountedJobs(EVENT, { prepare })
const euros = (amount: string) => ({ amount, currency: 'EUR' })
const billTo = (company: string) => ({ name: 'Accounts', company, email: 'accounts@example.org', country: 'FR' })

it('organizer job 4: creates a group that pays for 12 members, moves two participants into it and bills it', async () => {
  const { call, refused } = startJob(12)
  const company = { kind: 'company', payBy: 'group', flowSlug: 'attendee' }
  const { group } = await call('create_managed_group', { ...company, name: 'Acme', maxMembers: 12, billTo: billTo('Acme') })
  const { participants } = await call('find_participants', { search: 'Acme', balance: 'due' })
  expect(participants.map(({ name }: { name: string }) => name.split(' ')[0]).sort()).toEqual(['Gina', 'Hugo'])
  const two = participants.map(({ id }: { id: string }) => ({ participantId: id }))
  const ten = Array.from({ length: 10 }, () => ({ data: { ...newAttendee(), '@product.pass': 1 } }))
  const filled = { groupCode: group.code, add: [...two, ...ten], moveOrders: true }
  const tried = await call('update_managed_group_members', { ...filled, dryRun: true })
  const added = await call('update_managed_group_members', filled)
  expect(added).toMatchObject({ added: 2, created: 10, moved: 2, notMoved: [], memberCount: 12, order: { balance: euros('10800.00') } })
  expect(tried).toMatchObject({ dryRun: true, memberCount: 12, order: { balance: euros('10800.00') } })
  const bill = await call('list_order_invoices', { groupCode: group.code, status: ['open'] })
  expect(bill.totals).toMatchObject({ count: 1, balance: euros('10800.00') })
  expect(bill.invoices[0]).toMatchObject({ billTo: { company: 'Acme' }, net: euros('9000.00'), tax: euros('1800.00') })

  const { group: labs } = await call('create_managed_group', { ...company, name: 'Acme Labs', billTo: billTo('Acme Labs') })
  const over = { groupCode: labs.code, add: two }
  expect(await refused('update_managed_group_members', over)).toContain('Remove them from that group first.')
  const left = await call('update_managed_group_members', { groupCode: group.code, remove: two })
  // The passes stay on the bill of the group that bought them.
  expect(left).toMatchObject({ removed: 2, memberCount: 10, order: { balance: euros('10800.00') } })
  expect(left.notMoved).toMatchObject([1, 2].map(() => ({ reason: 'left_group', amount: euros('900.00') })))
  expect(await call('update_managed_group_members', over)).toMatchObject({ added: 2, memberCount: 2 })
  const { groups } = await call('list_managed_groups')
  expect(groups).toMatchObject([
    { name: 'Acme', memberCount: 10, groupBalance: euros('10800.00') },
    { name: 'Acme Labs', memberCount: 2, groupBalance: euros('0.00') },
  ])
})

it('organizer job 6: lists the waiting list of a workshop, raises the capacity of the workshop and offers three seats', async () => {
  const { call } = startJob(8)
  const { participants, total } = await call('find_participants', { waitlistedFor: 'product:workshop' })
  expect(total).toBe(4)
  const names = new Map<string, string>(participants.map(({ id, name }: Record<'id' | 'name', string>) => [id, name.split(' ')[0]]))
  const three = { action: 'promote', target: 'product:workshop', count: 3 }
  const full = await call('promote_waitlist_entries', { ...three, dryRun: true })
  expect(full.results).toMatchObject([1, 2, 3].map(() => ({ outcome: 'skipped', reason: 'no_capacity' })))
  expect(full.remaining).toEqual({ waiting: 4, available: 0 })

  await call('config_set', { operations: [{ op: 'set', path: '/products/workshop/capacity', valueJson: '5' }] })
  expect((await call('publish_event', { note: 'Larger room' })).effects.capacitiesChanged).toEqual(['workshop'])
  const { confirmToken, effects } = await call('promote_waitlist_entries', { ...three, dryRun: true })
  expect(effects.recipients).toBe(3)
  const promoted = await call('promote_waitlist_entries', { ...three, confirmToken })
  expect(promoted.results.map(({ participantId }: { participantId: string }) => names.get(participantId))).toEqual(['Carl', 'Dora', 'Emil'])
  expect(promoted.results).toMatchObject([1, 2, 3].map(() => ({ outcome: 'offered', amount: euros('179.99') })))
  expect(promoted).toMatchObject({ offered: 3, remaining: { waiting: 1, available: 0 } })
  const summary = await call('get_registration_summary')
  expect(summary.waitlist).toEqual({ waiting: 1, offered: 3 })
  expect(summary.products.find(({ code }: { code: string }) => code === 'workshop')).toMatchObject({
    capacity: 5,
    held: 3,
    sold: 2,
    available: 0,
  })
})
