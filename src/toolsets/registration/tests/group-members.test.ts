import { describe, expect, it } from 'vitest'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { memberEntries, useGroupScenario, ACME_PRICING } from '../../../../test/support/group-scenario.ts'
import { newAttendee } from '../../../../test/support/sales-scenario.ts'

const scenario = useGroupScenario()

const euros = (amount: string) => ({ amount, currency: 'EUR' })
const invoices = () => scenario.queryNumber(`select count(*)::int as figure from invoices where kind = 'invoice'`)
const people = () => scenario.queryNumber('select count(*)::int as figure from participants')

/** Violated invariants of orders, numbers, capacity and counts. */
const violations = () => openEventLedger(scenario.world, scenario.event).violations()

describe('update_managed_group_members', () => {
  it('registers 5 members at 400.00 + 20 % on one invoice of 2,400.00 in the group’s name', async () => {
    const { code, id } = await scenario.group({ name: 'Five' })
    const before = await invoices()
    const done = await scenario.update(code, { add: memberEntries(5) })
    expect(done).toMatchObject({ created: 5, added: 0, memberCount: 5, errors: [], invoice: { total: euros('2400.00') } })
    expect(done.order).toMatchObject({ total: euros('2400.00'), balance: euros('2400.00') })
    expect(await invoices()).toBe(before + 1)
    const { rows } = await scenario.world.database.pool.query(
      `select i.bill_to, count(distinct l.participant_id)::int as people from invoices i join orders o on o.id = i.order_id
       join order_lines l on l.invoice_id = i.id where o.group_id = $1 group by i.id, i.bill_to`,
      [id],
    )
    expect(rows).toEqual([{ bill_to: { company: 'Five' }, people: 5 }])
    const { rows: members } = await scenario.world.database.pool.query(
      `select distinct status, source, tags, confirmation_number is not null as numbered from participants where group_id = $1`,
      [id],
    )
    expect(members).toEqual([{ status: 'complete', source: 'group', tags: ['acme'], numbered: true }])
    // The next call creates a separate invoice on the same order.
    const more = await scenario.update(code, { add: memberEntries(2) })
    expect(more).toMatchObject({ invoice: { total: euros('960.00') }, order: { number: done.order.number, total: euros('3360.00') } })
    expect(await violations()).toEqual({})
  })

  it('uses the group’s new billing address for later invoices', async () => {
    const { code, id } = await scenario.group({ name: 'Moving', billTo: { city: 'Paris' } })
    await scenario.update(code, { add: memberEntries(1) })
    await scenario.call('update_managed_group', { groupCode: code, name: 'Moved', billTo: { city: 'Lyon', taxId: 'FR123' } })
    await scenario.update(code, { add: memberEntries(1) })
    const { rows } = await scenario.world.database.pool.query(
      `select i.bill_to from invoices i join orders o on o.id = i.order_id where o.group_id = $1 order by i.number`,
      [id],
    )
    expect(rows.map(({ bill_to }) => bill_to)).toEqual([
      { company: 'Moving', city: 'Paris' },
      { company: 'Moved', city: 'Lyon', taxId: 'FR123', taxIdStatus: 'unchecked' },
    ])
  })

  it('saves nothing if 6 members are added to 5 remaining seats', async () => {
    const { code } = await scenario.group({ name: 'Tight', maxMembers: 6 })
    await scenario.update(code, { add: memberEntries(1) })
    const before = [await people(), await invoices()]
    const refusal = await scenario.refused('update_managed_group_members', { groupCode: code, add: memberEntries(6) })
    expect(refusal.code).toBe('limit_exceeded')
    expect(refusal.message).toMatch(/^Nothing was saved. add\/5: Group tight is full: all 6 seats are taken/)
    expect([await people(), await invoices()]).toEqual(before)
    expect(await scenario.update(code, { add: memberEntries(6), overrideMax: true })).toMatchObject({
      created: 6,
      memberCount: 7,
      maxMembers: 7,
    })
    expect(await violations()).toEqual({})
  })

  it('raises the seat limit of a group only as far as necessary', async () => {
    const { code } = await scenario.group({ name: 'Raised', maxMembers: 2 })
    const wrong = { data: { '@participant.firstName': 'Absent' } }
    const done = await scenario.update(code, { add: [...memberEntries(3), wrong, wrong], overrideMax: true, partial: true })
    expect(done).toMatchObject({ created: 3, maxMembers: 3, errors: [{ index: 3 }, { index: 4 }] })
    expect(await scenario.update(code, { remove: [], add: [], overrideMax: true })).toMatchObject({ maxMembers: 3, memberCount: 3 })
  })

  it('removes group members before adding new ones', async () => {
    const { code } = await scenario.group({ name: 'Swap', maxMembers: 2 })
    await scenario.update(code, { add: memberEntries(2) })
    const [leaver] = (await scenario.getGroup(code)).members
    const done = await scenario.update(code, { add: memberEntries(1), remove: [{ participantId: leaver.participantId }] })
    expect(done).toMatchObject({ created: 1, removed: 1, cancelled: 0, memberCount: 2, order: { total: euros('1440.00') } })
    // The former member is still registered, without the tag; the group's purchases stay with the group.
    const { rows } = await scenario.world.database.pool.query(`select status, tags, group_id from participants where id = $1`, [
      leaver.participantId,
    ])
    expect(rows).toEqual([{ status: 'complete', tags: [], group_id: null }])
    // A later credit for the former member goes to the group.
    await scenario.call('edit_participant', { participantId: leaver.participantId, data: { '@product.pass': 0 }, credit: 'full' })
    expect((await scenario.getGroup(code)).order).toMatchObject({ total: euros('960.00') })
    expect(await violations()).toEqual({})
  })

  it('cancels the registrations of removed members on request, and credits the group', async () => {
    const { code } = await scenario.group({ name: 'Fewer' })
    await scenario.update(code, { add: memberEntries(3) })
    const [leaver] = (await scenario.getGroup(code)).members
    const done = await scenario.update(code, { remove: [{ participantId: leaver.participantId, cancel: true }] })
    expect(done).toMatchObject({ removed: 0, cancelled: 1, memberCount: 2, order: { total: euros('960.00'), balance: euros('960.00') } })
    expect(await violations()).toEqual({})
  })

  it('reports every member row that fails, and rolls back all rows unless partial is set', async () => {
    const { code } = await scenario.group({ name: 'Rows' })
    const known = (await scenario.register({ pass: 1 })).participant
    const twin = { '@participant.firstName': known.firstName, '@participant.lastName': known.lastName, '@participant.email': known.email }
    const add = [
      memberEntries(1)[0]!,
      { data: newAttendee({ '@participant.email': 'no address' }) },
      { data: twin },
      { participantId: 'absent@example.org' },
      {},
      { participantId: known.id },
    ]
    const before = [await people(), await invoices()]
    const refusal = await scenario.refused('update_managed_group_members', { groupCode: code, add })
    expect(refusal.message.match(/add\/\d/g)).toEqual(['add/1', 'add/2', 'add/3', 'add/4'])
    expect([await people(), await invoices()]).toEqual(before)
    const done = await scenario.update(code, { add, partial: true })
    expect(done).toMatchObject({ created: 1, added: 1, memberCount: 2, invoice: { total: euros('480.00') } })
    expect(done.errors.map(({ index, code: why }: { index: number; code: string }) => [index, why])).toEqual([
      [1, 'invalid_arguments'],
      [2, 'conflict'],
      [3, 'not_found'],
      [4, 'invalid_arguments'],
    ])
    expect(done.errors[1].message).toContain(known.id)
    expect(await violations()).toEqual({})
  })

  it('rolls back a member row that failed halfway, including the capacity it used', async () => {
    await scenario.publish({ products: [{ code: 'workshop', capacity: 1 }] })
    const { code } = await scenario.group({ name: 'Halfway' })
    const wanting = () => ({ data: newAttendee({ '@product.pass': 1, '@product.workshop': 1 }) })
    const done = await scenario.update(code, { add: [wanting(), wanting(), memberEntries(1)[0]], partial: true })
    expect(done).toMatchObject({ created: 2, errors: [{ index: 1, code: 'precondition_failed' }] })
    expect(done.errors[0].message).toMatch(/^Workshop A is full/)
    expect(await violations()).toEqual({})
  })

  it('reports the group of an existing member, and adds no member twice', async () => {
    const here = await scenario.group({ name: 'Here' })
    const there = await scenario.group({ name: 'There' })
    const { participant } = await scenario.register()
    const add = [{ participantId: participant.id }]
    expect(await scenario.update(there.code, { add })).toMatchObject({ added: 1 })
    expect(await scenario.update(there.code, { add })).toMatchObject({ added: 0, memberCount: 1, errors: [] })
    const refusal = await scenario.refused('update_managed_group_members', { groupCode: here.code, add })
    expect(refusal).toMatchObject({ code: 'conflict' })
    expect(refusal.message).toContain('is a member of group there')
  })

  it('rejects new members in a closed group, but allows removals', async () => {
    const { code } = await scenario.group({ name: 'Closed' })
    await scenario.update(code, { add: memberEntries(1) })
    await scenario.call('update_managed_group', { groupCode: code, status: 'closed' })
    expect(await scenario.refused('update_managed_group_members', { groupCode: code, add: memberEntries(1) })).toMatchObject({
      code: 'precondition_failed',
      message: 'Group closed is closed: it takes no new members',
    })
    expect(await scenario.refused('add_participant', { flowSlug: 'attendee', data: newAttendee(), groupCode: code })).toMatchObject({
      code: 'precondition_failed',
    })
    const [member] = (await scenario.getGroup(code)).members
    expect(await scenario.update(code, { remove: [{ participantId: member.participantId }] })).toMatchObject({ removed: 1 })
  })

  it('returns the changed group members in a dry run and saves nothing', async () => {
    const { code } = await scenario.group({ name: 'Dry' })
    const before = [await people(), await invoices()]
    expect(await scenario.update(code, { add: memberEntries(2), dryRun: true })).toMatchObject({
      created: 2,
      invoice: { total: euros('960.00') },
    })
    expect([await people(), await invoices()]).toEqual(before)
  })

  it('gives the last seat of a group to one of two concurrent calls', async () => {
    const { code } = await scenario.group({ name: 'Last', maxMembers: 3 })
    await scenario.update(code, { add: memberEntries(2) })
    const both = await Promise.all(
      [1, 2].map(() =>
        scenario.olga.answer('update_managed_group_members', {
          eventCode: scenario.event.eventCode,
          groupCode: code,
          add: memberEntries(1),
        }),
      ),
    )
    expect(both.filter(({ isError }) => isError)).toHaveLength(1)
    expect(both.find(({ isError }) => isError)!._meta!['lanyard/error']).toMatchObject({ code: 'limit_exceeded' })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 3 })
    expect(await scenario.refused('add_participant', { flowSlug: 'attendee', data: newAttendee(), groupCode: code })).toMatchObject({
      code: 'limit_exceeded',
    })
    expect(await violations()).toEqual({})
  })

  it('keeps the member count correct under concurrent additions and removals', async () => {
    const { code } = await scenario.group({ name: 'Busy' })
    await scenario.update(code, { add: memberEntries(4) })
    const { members } = await scenario.getGroup(code)
    const leaves = (index: number) =>
      scenario.call('edit_participant', { participantId: members[index].participantId, status: 'cancelled' })
    const comes = () => scenario.update(code, { add: memberEntries(2) })
    await Promise.all([leaves(0), comes(), leaves(1), comes()])
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 6, groupBalance: euros('2880.00') })
    expect(await violations()).toEqual({})
  })
})

describe('orders of new group members', () => {
  it('leaves the order of a new member with the member unless moveOrders is set', async () => {
    const { code } = await scenario.group({ name: 'Own order' })
    const { participant } = await scenario.register({ pass: 1 })
    const done = await scenario.update(code, { add: [{ participantId: participant.id }] })
    expect(done).toMatchObject({ added: 1, moved: 0, memberCount: 1 })
    expect(done).not.toHaveProperty('order')
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ membersBalance: euros('900.00'), groupBalance: euros('0.00') })
  })

  it('credits the unpaid order of a new member and sells it again on the group order at the group’s price', async () => {
    const { code } = await scenario.group({ name: 'Mover' })
    const registered = await scenario.register({ pass: 1, dinner: 2 })
    expect(registered.order.total).toEqual(euros('1078.00'))
    const done = await scenario.update(code, { add: [{ participantId: registered.participant.id }, ...memberEntries(1)], moveOrders: true })
    // 400.00 + 20 % and two dinners at 89.00, plus 480.00 for the new member: one invoice.
    expect(done).toMatchObject({ added: 1, created: 1, moved: 1, notMoved: [], invoice: { total: euros('1138.00') } })
    const { groups } = await scenario.getGroup(code)
    expect(groups[0]).toMatchObject({ groupBalance: euros('1138.00'), membersBalance: euros('0.00') })
    const { rows } = await scenario.world.database.pool.query(`select status, total, balance from orders where participant_id = $1`, [
      registered.participant.id,
    ])
    expect(rows).toEqual([{ status: 'void', total: 0, balance: 0 }])
    // Later purchases go to the group's order, at its price.
    await scenario.call('edit_participant', { participantId: registered.participant.id, data: { '@product.dinner': 3 } })
    expect((await scenario.getGroup(code)).order).toMatchObject({ total: euros('1227.00') })
    expect(await violations()).toEqual({})
  })

  it('deducts a fixed-amount discount once from a moved order with two purchases', async () => {
    const { code } = await scenario.group({ name: 'Deducted', tags: [] })
    const { participant } = await scenario.register({ pass: 1 }, { data: { '@discount.code': 'less100' } })
    await scenario.world.clock.stopAt('2026-04-10T11:00:00Z')
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@product.dinner': 1 } })
    const done = await scenario.update(code, { add: [{ participantId: participant.id }], moveOrders: true })
    expect(done).toMatchObject({ moved: 1, order: { total: euros('869.00') } })
  })

  it('leaves the paid order of a new group member with the member and reports it', async () => {
    const { code } = await scenario.group({ name: 'Payer' })
    const { participant, order } = await scenario.register({ pass: 1 })
    await scenario.pay(order.number, '0.01')
    const done = await scenario.update(code, { add: [{ participantId: participant.id }], moveOrders: true })
    const kept = { participantId: participant.id, orderNumber: order.number, groupCode: null, reason: 'paid' }
    expect(done).toMatchObject({ added: 1, moved: 0, notMoved: [{ ...kept, amount: euros('900.00'), orderBalance: euros('899.99') }] })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ membersBalance: euros('899.99') })
    expect(await violations()).toEqual({})
  })

  it('reports the amounts that stay billed to the previous group of a member who changes groups', async () => {
    const [from, to] = [await scenario.group({ name: 'From' }), await scenario.group({ name: 'To' })]
    const { order } = await scenario.update(from.code, { add: memberEntries(2) })
    await scenario.pay(order.number, '100.00')
    const [{ participantId }] = (await scenario.getGroup(from.code)).members
    const kept = { participantId, orderNumber: order.number, groupCode: from.code, amount: euros('480.00'), orderBalance: euros('860.00') }
    const left = await scenario.update(from.code, { remove: [{ participantId }] })
    expect(left).toMatchObject({ removed: 1, notMoved: [{ ...kept, reason: 'left_group' }] })
    // Purchases that the participant made alone in between are moved; purchases of the previous group stay with that group.
    await scenario.call('edit_participant', { participantId, data: { '@product.dinner': 1 } })
    const dryRun = await scenario.update(to.code, { add: [{ participantId }], moveOrders: true, dryRun: true })
    const joined = await scenario.update(to.code, { add: [{ participantId }], moveOrders: true })
    expect(joined).toMatchObject({ added: 1, moved: 1, notMoved: [{ ...kept, reason: 'other_group' }], order: { total: euros('89.00') } })
    expect(dryRun.notMoved).toEqual(joined.notMoved)
    // A member who is added again to the first group has no amounts elsewhere, except at the second group.
    await scenario.update(to.code, { remove: [{ participantId }] })
    const back = await scenario.update(from.code, { add: [{ participantId }] })
    expect(back.notMoved).toMatchObject([{ groupCode: to.code, reason: 'other_group', amount: euros('89.00') }])
    expect(await violations()).toEqual({})
  })

  it("reports a new member's own order that was not moved, but not if members pay for themselves", async () => {
    const [paying, own] = [await scenario.group({ name: 'Pays all' }), await scenario.group({ name: 'Own bills', payBy: 'members' })]
    const [one, two] = [await scenario.register({ pass: 1 }), await scenario.register({ pass: 1 })]
    const kept = { participantId: one.participant.id, orderNumber: one.order.number, groupCode: null, reason: 'not_requested' }
    expect((await scenario.update(paying.code, { add: [{ participantId: one.participant.id }] })).notMoved).toMatchObject([
      { ...kept, amount: euros('900.00'), orderBalance: euros('900.00') },
    ])
    expect((await scenario.update(own.code, { add: [{ participantId: two.participant.id }] })).notMoved).toEqual([])
    expect((await scenario.update(own.code, { remove: [{ participantId: two.participant.id }] })).notMoved).toEqual([])
  })

  it('moves no orders to a group whose members pay themselves', async () => {
    const { code } = await scenario.group({ name: 'Selves', payBy: 'members' })
    expect(await scenario.refused('update_managed_group_members', { groupCode: code, moveOrders: true })).toMatchObject({
      fields: [{ path: 'moveOrders' }],
    })
    const before = await invoices()
    expect(await scenario.update(code, { add: memberEntries(3) })).toMatchObject({ created: 3, memberCount: 3 })
    // Each member has a separate order, at the group's price.
    expect(await invoices()).toBe(before + 3)
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ membersBalance: euros('1440.00'), groupBalance: euros('0.00') })
    expect(await violations()).toEqual({})
  })
})

describe('group member row that fails halfway', () => {
  it('rolls back all changes of the one member whose row fails halfway, and keeps the other members', async () => {
    const { code } = await scenario.group({ name: 'Began' })
    const { participant } = await scenario.register({ pass: 1, dinner: 1 })
    await scenario.publish({ products: [{ code: 'dinner', prices: [{ amount: '89.00', tags: ['vip'] }] }] })
    // The member has joined and been credited before the sale of the dinner fails.
    const done = await scenario.update(code, {
      add: [{ participantId: participant.id }, ...memberEntries(1)],
      moveOrders: true,
      partial: true,
    })
    expect(done).toMatchObject({ added: 0, created: 1, memberCount: 1, errors: [{ index: 0, code: 'precondition_failed' }] })
    expect(await scenario.queryNumber(`select balance as figure from orders where participant_id = '${participant.id}'`)).toBe(98_900)
    expect(await violations()).toEqual({})
  })
})

describe('group members', () => {
  it("keeps a member's group and its price when an organizer completes the registration", async () => {
    const { code } = await scenario.group({ name: 'Finished' })
    const begun = await scenario.call('add_participant', {
      flowSlug: 'attendee',
      data: newAttendee({ '@product.pass': 1 }),
      status: 'incomplete',
      groupCode: code,
    })
    await scenario.call('edit_participant', { participantId: begun.participant.id, status: 'complete' })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 1, groupBalance: euros('480.00') })
  })

  it('reprices the order of a group member with the group’s tags', async () => {
    const { code } = await scenario.group({ name: 'Repriced' })
    const { participant } = await scenario.register({ pass: 1 })
    await scenario.update(code, { add: [{ participantId: participant.id }] })
    const edited = await scenario.call('edit_participant', { participantId: participant.id, reprice: true })
    expect(edited.money.balanceAfter).toEqual(euros('480.00'))
  })
})

describe('groups created in test mode', () => {
  it('accepts only test participants in a group created in test mode, also after test mode ends', async () => {
    await scenario.call('update_event', { testMode: true })
    const { code } = await scenario.group({ name: 'Rehearsed' })
    expect(await scenario.update(code, { add: memberEntries(2) })).toMatchObject({ created: 2, order: { number: 'T-R-000001' } })
    await scenario.call('update_event', { testMode: false })
    expect(await scenario.refused('update_managed_group_members', { groupCode: code, add: memberEntries(1) })).toMatchObject({
      code: 'precondition_failed',
    })
  })
})

describe('groups at an event with prices in yen', () => {
  const yen = useGroupScenario(
    {
      ...ACME_PRICING,
      discounts: [],
      taxes: [{ code: 'ct', name: 'Tax', rate: '10' }],
      products: [
        {
          code: 'pass',
          name: 'Pass',
          category: 'admission',
          taxCode: 'ct',
          prices: [{ amount: '33335' }, { amount: '12345', tags: ['acme'] }],
        },
      ],
      flows: [
        {
          ...ACME_PRICING.flows[0],
          pages: ACME_PRICING.flows[0]!.pages.map((page) => ({
            ...page,
            widgets: page.widgets.map((widget) => (widget.id === 'sale' ? { ...widget, products: ['pass'] } : widget)),
          })),
        },
      ],
    },
    { timezone: 'Asia/Tokyo', currency: 'JPY' },
  )

  it('creates one group invoice of 3 × (12,345 + 1,235) yen', async () => {
    const { code } = await yen.group()
    const done = await yen.update(code, { add: memberEntries(3) })
    expect(done.invoice.total).toEqual({ amount: '40740', currency: 'JPY' })
  })
})
