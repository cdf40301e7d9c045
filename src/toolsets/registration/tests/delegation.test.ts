import { describe, expect, it } from 'vitest'
import { openEventLedger } from '../../../../test/support/event-ledger.ts'
import { memberEntries, useGroupScenario } from '../../../../test/support/group-scenario.ts'
import { newAttendee } from '../../../../test/support/sales-scenario.ts'

const scenario = useGroupScenario()

const euros = (amount: string) => ({ amount, currency: 'EUR' })

describe('delegation (managed group) from invitation to deletion', () => {
  it('takes a managed group from invitation through payment to deletion, with changes of members and leaders', async () => {
    const { code } = await scenario.group({ maxMembers: 6 })
    expect(code).toBe('acme')
    const emails = ['mia', 'noa', 'oda', 'pia'].map((name) => ({ email: `${name}@acme.example`, role: 'member' }))
    expect(await scenario.call('send_group_invite', { groupCode: code, emails })).toMatchObject({ queued: 4, skipped: [] })
    for (const { email } of emails.slice(0, 3)) {
      const { '@participant.email': _email, ...answers } = newAttendee({ '@product.pass': 1 })
      await scenario.accept((await scenario.listInvitationTokens(email))[0]!, answers)
    }
    expect(await scenario.update(code, { add: memberEntries(3) })).toMatchObject({ created: 3, memberCount: 6 })
    expect(await scenario.refused('update_managed_group_members', { groupCode: code, add: memberEntries(3) })).toMatchObject({
      code: 'limit_exceeded',
    })
    const full = await scenario.getGroup(code)
    expect(full.groups[0]).toMatchObject({ memberCount: 6, balance: euros('2880.00'), membersBalance: euros('0.00') })
    expect(full.order).toMatchObject({ total: euros('2880.00'), paid: euros('0.00'), balance: euros('2880.00') })

    const [leader, leaver] = full.members
    await scenario.call('update_managed_group_leaders', { groupCode: code, add: [leader.participantId] })
    const { to } = await scenario.call('substitute_participant', { participantId: leader.participantId, replacement: newAttendee() })
    const led = await scenario.getGroup(code)
    expect(led.leaders).toMatchObject([{ participantId: to.id }])
    expect(led.groups[0]).toMatchObject({ memberCount: 6, balance: euros('2880.00') })
    expect(led.order).toEqual(full.order)

    expect(await scenario.update(code, { remove: [{ participantId: leaver.participantId, cancel: true }] })).toMatchObject({
      cancelled: 1,
      memberCount: 5,
      order: { total: euros('2400.00'), balance: euros('2400.00') },
    })
    const owing = await scenario.refused('delete_managed_group', { groupCode: code })
    expect(owing).toMatchObject({ code: 'precondition_failed', message: '2,400.00 EUR open on R-000001 — settle or write off first' })
    await scenario.pay('R-000001', '2400.00')
    expect((await scenario.getGroup(code)).order).toMatchObject({ paid: euros('2400.00'), balance: euros('0.00') })

    const count = () => scenario.queryNumber('select count(*)::int as figure from participants')
    const before = await count()
    const counts = { membersDetached: 5, membersCancelled: 0, invitesRevoked: 1 }
    expect(await scenario.call('delete_managed_group', { groupCode: code, dryRun: true })).toMatchObject({ ...counts, deleted: false })
    expect(await scenario.call('delete_managed_group', { groupCode: code })).toMatchObject({ ...counts, deleted: true })
    expect(await count()).toBe(before)
    expect(
      await scenario.queryNumber(
        `select count(*)::int as figure from participants where status = 'complete' and group_id is null and tags = '{}'`,
      ),
    ).toBe(5)
    expect(await scenario.refused('list_managed_groups', { groupCode: code })).toMatchObject({ code: 'not_found' })
    // After the deletion the order and invoices keep the group's name, and the code can be used again.
    expect(
      await scenario.queryNumber(`select count(*)::int as figure from invoices i join orders o on o.id = i.order_id
        join managed_groups g on g.id = o.group_id where g.name = 'Acme' and g.deleted_at is not null`),
    ).toBe(5)
    expect((await scenario.group()).code).toBe('acme')
    expect(await openEventLedger(scenario.world, scenario.event).violations()).toEqual({})
    await expect(scenario.accept((await scenario.listInvitationTokens('pia@acme.example'))[0]!)).rejects.toThrow('no longer valid')
  })
})

describe('delete_managed_group', () => {
  it('cancels the members of a deleted group on request, which also settles their unpaid invoices', async () => {
    const { code } = await scenario.group({ name: 'Cancelled' })
    await scenario.update(code, { add: memberEntries(3) })
    expect(await scenario.call('delete_managed_group', { groupCode: code, cancelMembers: true })).toMatchObject({
      membersDetached: 0,
      membersCancelled: 3,
    })
    expect(
      await scenario.queryNumber(`select count(*)::int as figure from orders o join managed_groups g on g.id = o.group_id
        where g.code = 'cancelled' and o.status = 'void' and o.balance = 0`),
    ).toBe(1)
  })

  it('refuses to delete a group that would be left with credit', async () => {
    const { code } = await scenario.group({ name: 'Paid' })
    const { order } = await scenario.update(code, { add: memberEntries(1) })
    await scenario.pay(order.number, '480.00')
    const refusal = await scenario.refused('delete_managed_group', { groupCode: code, cancelMembers: true })
    expect(refusal.message).toBe(`480.00 EUR credit on ${order.number} — refund it first`)
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 1 })
  })

  it('refuses to delete a group until its room block is released', async () => {
    const { code, id } = await scenario.group({ name: 'Housed' })
    const { pool } = scenario.world.database
    await pool.query(
      `insert into room_blocks (tenant_id, event_id, id, code, name, owner_kind, owner_ref)
       select tenant_id, event_id, 'block-7', 'block-7', 'Block', 'group', id from managed_groups where id = $1`,
      [id],
    )
    await pool.query(`update managed_groups set room_block_id = 'block-7' where id = $1`, [id])
    expect((await scenario.refused('delete_managed_group', { groupCode: code })).message).toMatch(/^Release block block-7 first/)
  })

  it('keeps manual tags of members when the group is deleted', async () => {
    const { code } = await scenario.group({ name: 'By hand' })
    const { participant } = await scenario.register({}, { tags: ['acme'] })
    await scenario.update(code, { add: [{ participantId: participant.id }] })
    await scenario.call('delete_managed_group', { groupCode: code })
    expect(await scenario.queryNumber(`select cardinality(tags) as figure from participants where id = '${participant.id}'`)).toBe(1)
  })
})
