import { describe, expect, it } from 'vitest'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { useSalesScenario, newAttendee, WORKED_EXAMPLE } from '../../../../test/support/sales-scenario.ts'
import { plainRow, runStandardReport } from '../../../../test/support/standard-reports.ts'

/** An event with a discount code for two uses: 15 % off pass and workshop. */
const scenario = useSalesScenario({
  ...WORKED_EXAMPLE,
  discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: 2 })),
})

const used = () => scenario.queryNumber(`select sold as figure from inventory where key = 'discount:save15'`)
const sound = () => openEventLedger(scenario.world, scenario.event).assertInvariants()
const withCode = () => ({ ...newAttendee(), '@product.pass': 1, '@discount.code': 'save15' })
const join = (groupCode: string) => scenario.call('update_managed_group_members', { groupCode, add: [{ data: withCode() }] })
const membersOf = async (groupCode: string) =>
  (await scenario.call('list_managed_groups', { groupCode })).members.map(
    ({ participantId }: { participantId: string }) => participantId,
  ) as string[]

describe('counted uses of a discount code', () => {
  it('frees the discount use of a cancelled member whose group paid, but not of a member who only leaves the group', async () => {
    await scenario.call('create_managed_group', {
      name: 'Acme',
      code: 'acme',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email: 'admin@acme.example', name: 'Ada' }],
    })
    await join('acme')
    await join('acme')
    expect(await used()).toBe(2)
    const third = await scenario.refused('update_managed_group_members', { groupCode: 'acme', add: [{ data: withCode() }] })
    expect(third.message).toContain('save15')
    await sound()
    const [first, second] = await membersOf('acme')
    await scenario.call('update_managed_group_members', { groupCode: 'acme', remove: [{ participantId: first, cancel: true }] })
    expect(await used()).toBe(1)
    await scenario.call('update_managed_group_members', { groupCode: 'acme', remove: [{ participantId: second }] })
    expect(await used()).toBe(1)
    await sound()
    // The freed discount use can be used once more.
    await scenario.call('add_participant', { flowSlug: 'attendee', data: withCode() })
    expect((await scenario.refused('add_participant', { flowSlug: 'attendee', data: withCode() })).code).toBe('precondition_failed')
    expect(await used()).toBe(2)
  })

  it('transfers the discount use to a substitute, and frees it when the substitute cancels', async () => {
    await scenario.publish({ discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: 20 })) })
    const before = await used()
    const { participant } = await scenario.call('add_participant', { flowSlug: 'attendee', data: withCode() })
    const { to } = await scenario.call('substitute_participant', { participantId: participant.id, replacement: newAttendee() })
    expect(await used()).toBe(before + 1)
    await sound()
    await scenario.call('edit_participant', { participantId: to.id, status: 'cancelled' })
    expect(await used()).toBe(before)
    // Cancelling again does not free a second use.
    await scenario.call('edit_participant', { participantId: to.id, status: 'cancelled' })
    expect(await used()).toBe(before)
    await sound()
  })

  it('counts one discount use per member when group members take the last uses concurrently', async () => {
    const before = await used()
    await scenario.publish({ discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: before + 2 })) })
    await scenario.call('create_managed_group', {
      name: 'Zeta',
      code: 'zeta',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email: 'admin@zeta.example', name: 'Zoe' }],
    })
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(() => join('zeta')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    const members = await membersOf('zeta')
    expect([members.length, await used()]).toEqual([2, before + 2])
    // All are cancelled concurrently, two of them twice: each use is freed once.
    await Promise.allSettled(
      [...members, ...members].map((participantId) => scenario.call('edit_participant', { participantId, status: 'cancelled' })),
    )
    expect(await used()).toBe(before)
    await sound()
  })

  it('gives the discount code of one group member to none of the other members, neither for later purchases nor when repricing', async () => {
    await scenario.publish({ discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: null })) })
    const given = async () => {
      const { rows } = await scenario.call('query_data', { entity: 'discount', fields: ['code', 'discount'] })
      const { tables } = await runStandardReport(scenario.world, scenario.event, 'discount-usage')
      const sum = (list: any[]) => list.find(({ code }) => code === 'save15').discount.amount
      return [sum(rows), plainRow(tables[0]!.rows.find((row) => row['code'] === 'save15')!)['discount']].map(Number)
    }
    const before = await given()
    const { group } = await scenario.call('create_managed_group', {
      name: 'Leak',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email: 'admin@leak.example', name: 'Lea' }],
    })
    const add = [{ data: withCode() }, { data: { ...newAttendee(), '@product.pass': 1 } }]
    const { order } = await scenario.call('update_managed_group_members', { groupCode: group.code, add })
    expect(order.total.amount).toBe('1665.00')
    const uses = await used()
    const people = await scenario.call('find_participants', { groupCode: group.code })
    const ids = people.participants.map(({ id }: { id: string }) => id) as string[]
    const { rows } = await scenario.world.database.pool.query('select id from participants where id = any($1) order by discount_code', [
      ids,
    ])
    const [owner, other] = rows.map(({ id }) => id as string)
    const buy = async (participantId: string) =>
      (await scenario.call('edit_participant', { participantId, data: { '@product.workshop': 1 } })).money.invoice.total.amount
    expect([await buy(other!), await buy(owner!)]).toEqual(['179.99', '152.99'])
    for (const participantId of [owner, other])
      expect(await scenario.call('edit_participant', { participantId, reprice: true })).toMatchObject({ changed: [] })
    expect(await used()).toBe(uses)
    // Both figures include the discounts of the member with the code: 112.50 on the pass and 22.50 on the workshop.
    expect(await given()).toEqual(before.map((amount) => amount + 135))
    await sound()
  })

  it('books the discounts of a group order to the code of each member, and those of guests to the code of the host', async () => {
    await scenario.publish({ discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: null })) })
    const readUsage = async () => {
      const { rows } = await scenario.call('query_data', { entity: 'discount', fields: ['code', 'discount'] })
      const { tables } = await runStandardReport(scenario.world, scenario.event, 'discount-usage')
      const usage = new Map(tables[0]!.rows.map(plainRow).map((row) => [row['code'], row]))
      return ['save15', 'less100'].map((code) => {
        const { list, discount, net } = usage.get(code)!
        expect(rows.find((row: any) => row.code === code).discount.amount).toBe(discount)
        return [list, discount, net].map(Number)
      })
    }
    const before = await readUsage()
    const { group } = await scenario.call('create_managed_group', {
      name: 'Mixed codes',
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email: 'admin@mixed.example', name: 'Mia' }],
    })
    const member = (more: object) => ({ data: { ...newAttendee(), '@product.pass': 1, ...more } })
    const add = [member({ '@discount.code': 'save15' }), member({ '@discount.code': 'less100' }), member({})]
    await scenario.call('update_managed_group_members', { groupCode: group.code, add })
    const added = async () => (await readUsage()).map((row, i) => row.map((amount, j) => Math.round((amount - before[i]![j]!) * 100) / 100))
    const [save15, less100] = [
      [750, 112.5, 637.5],
      [750, 100, 650],
    ]
    expect(await added()).toEqual([save15, less100])
    // Former versions stored the code of the first member on the order of the group.
    const { pool } = scenario.world.database
    await pool.query(`update orders set discount_code = 'save15' where group_id = (select id from managed_groups where code = $1)`, [
      group.code,
    ])
    expect(await added()).toEqual([save15, less100])
    await pool.query(`update orders set discount_code = null where group_id is not null`)
    const [owner, guest] = await pool
      .query(
        `select id from participants where discount_code in ('save15', 'less100') and group_id = (select id from managed_groups where code = $1)
         order by discount_code desc`,
        [group.code],
      )
      .then(({ rows }) => rows.map(({ id }) => id as string))
    const setHost = (host: string | null, code: string | null) =>
      pool.query('update participants set host_id = $2, discount_code = $3 where id = $1', [guest, host, code])
    await setHost(owner!, null)
    expect(await added()).toEqual([
      [1500, 212.5, 1287.5],
      [0, 0, 0],
    ])
    await setHost(null, 'less100')
    await sound()
  })

  describe('discount code set by an organizer on a complete registration', () => {
    const holding = { pass: 1 }
    const codeOf = (participantId: string) =>
      scenario.queryNumber(
        `select count(*)::int as figure from orders where participant_id = '${participantId}' and discount_code = 'save15'`,
      )
    const give = (participantId: string, discountCode: string, more = {}) =>
      scenario.call('edit_participant', { participantId, discountCode, ...more })
    const takeAway = (participantId: string) => scenario.call('edit_participant', { participantId, data: { '@discount.code': null } })
    const newcomer = async () => (await scenario.register(holding)).participant.id as string

    it('counts one use of an added discount code, lowers new and repriced prices, and frees the use on removal', async () => {
      const before = await used()
      await scenario.publish({ discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: before + 1 })) })
      const person = await newcomer()
      const planned = await give(person, 'SAVE15', { dryRun: true })
      expect([planned.changed, await used()]).toEqual([['discountCode'], before])
      const given = await give(person, 'SAVE15', { reprice: true })
      expect(given.changed).toEqual(['discountCode', 'prices'])
      expect([await used(), await codeOf(person)]).toEqual([before + 1, 1])
      expect((await give(person, 'save15')).changed).toEqual([])
      expect(await used()).toBe(before + 1)
      await sound()
      const { money } = await give(person, 'save15', { data: { '@product.workshop': 1 } })
      const full = await scenario.register({ workshop: 1 })
      expect(Number(money.invoice.total.amount)).toBeLessThan(Number(full.invoice.total.amount))

      const gone = await takeAway(person)
      expect(gone.changed).toEqual(['discountCode'])
      expect([await used(), await codeOf(person)]).toEqual([before, 0])
      await takeAway(person)
      expect(await used()).toBe(before)
      await sound()
    })

    it('rejects a used-up, unknown or unsuitable discount code and changes nothing', async () => {
      const before = await used()
      await scenario.publish({ discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: before })) })
      const person = await newcomer()
      const refused = (discountCode: string) => scenario.refused('edit_participant', { participantId: person, discountCode, reprice: true })
      expect(await refused('save15')).toMatchObject({ code: 'precondition_failed', message: expect.stringContaining('used up') })
      expect(await refused('save99')).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining('This code is unknown') })
      const diner = (await scenario.register({ dinner: 1 })).participant.id
      expect(await scenario.refused('edit_participant', { participantId: diner, discountCode: 'save15' })).toMatchObject({
        message: expect.stringContaining('does not apply to anything in your selection'),
      })
      expect([await used(), await codeOf(person)]).toEqual([before, 0])
      // overrideCapacity also allows uses beyond the limit of a discount code.
      await give(person, 'save15', { overrideCapacity: true })
      expect(await used()).toBe(before + 1)
      await takeAway(person)
      await sound()
    })

    it('frees the use of the old discount code when another code replaces it', async () => {
      const [save] = WORKED_EXAMPLE.discounts
      const other = { ...save!, code: 'save20', name: 'Save 20', value: '20' }
      await scenario.publish({
        discounts: [
          { ...save!, maxUses: null },
          { ...other, maxUses: 1 },
        ],
      })
      const usedOther = () => scenario.queryNumber(`select sold as figure from inventory where key = 'discount:save20'`)
      const before = await used()
      const person = (await scenario.call('add_participant', { flowSlug: 'attendee', data: withCode() })).participant.id
      expect(await used()).toBe(before + 1)
      await give(person, 'save20')
      expect([await used(), await usedOther()]).toEqual([before, 1])
      await sound()
      await scenario.call('edit_participant', { participantId: person, status: 'cancelled' })
      expect([await used(), await usedOther()]).toEqual([before, 0])
      await sound()
    })

    it('counts one use when several participants concurrently get the last use of a discount code', async () => {
      const before = await used()
      await scenario.publish({ discounts: WORKED_EXAMPLE.discounts.map((discount) => ({ ...discount, maxUses: before + 1 })) })
      const people = [await newcomer(), await newcomer(), await newcomer()]
      const outcomes = await Promise.allSettled(people.map((person) => give(person, 'save15')))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await used()).toBe(before + 1)
      await sound()
    })
  })
})
