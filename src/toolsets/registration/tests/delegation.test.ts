import { describe, expect, it } from 'vitest'
import { booksOf } from '../../../../test/support/books.ts'
import { delegates, delegationStory } from '../../../../test/support/delegations.ts'
import { somebody } from '../../../../test/support/selling.ts'

const story = delegationStory()

const euros = (amount: string) => ({ amount, currency: 'EUR' })

describe('the life of a delegation', () => {
  it('invites, fills, changes leaders, reduces, pays and deletes a group', async () => {
    const { code } = await story.group({ maxMembers: 6 })
    expect(code).toBe('acme')
    const emails = ['mia', 'noa', 'oda', 'pia'].map((name) => ({ email: `${name}@acme.example`, role: 'member' }))
    expect(await story.call('send_group_invite', { groupCode: code, emails })).toMatchObject({ queued: 4, skipped: [] })
    for (const { email } of emails.slice(0, 3)) {
      const { '@participant.email': _email, ...answers } = somebody({ '@product.pass': 1 })
      await story.accept((await story.tokensMailedTo(email))[0]!, answers)
    }
    expect(await story.update(code, { add: delegates(3) })).toMatchObject({ created: 3, memberCount: 6 })
    expect(await story.refused('update_managed_group_members', { groupCode: code, add: delegates(3) })).toMatchObject({
      code: 'limit_exceeded',
    })
    const full = await story.look(code)
    expect(full.groups[0]).toMatchObject({ memberCount: 6, balance: euros('2880.00'), membersBalance: euros('0.00') })
    expect(full.order).toMatchObject({ total: euros('2880.00'), paid: euros('0.00'), balance: euros('2880.00') })

    const [leader, leaver] = full.members
    await story.call('update_managed_group_leaders', { groupCode: code, add: [leader.participantId] })
    const { to } = await story.call('substitute_participant', { participantId: leader.participantId, replacement: somebody() })
    const led = await story.look(code)
    expect(led.leaders).toMatchObject([{ participantId: to.id }])
    expect(led.groups[0]).toMatchObject({ memberCount: 6, balance: euros('2880.00') })
    expect(led.order).toEqual(full.order)

    expect(await story.update(code, { remove: [{ participantId: leaver.participantId, cancel: true }] })).toMatchObject({
      cancelled: 1,
      memberCount: 5,
      order: { total: euros('2400.00'), balance: euros('2400.00') },
    })
    const owing = await story.refused('delete_managed_group', { groupCode: code })
    expect(owing).toMatchObject({ code: 'precondition_failed', message: '2,400.00 EUR open on R-000001 — settle or write off first' })
    await story.pay('R-000001', '2400.00')
    expect((await story.look(code)).order).toMatchObject({ paid: euros('2400.00'), balance: euros('0.00') })

    const count = () => story.figure('select count(*)::int as figure from participants')
    const before = await count()
    const counts = { membersDetached: 5, membersCancelled: 0, invitesRevoked: 1 }
    expect(await story.call('delete_managed_group', { groupCode: code, dryRun: true })).toMatchObject({ ...counts, deleted: false })
    expect(await story.call('delete_managed_group', { groupCode: code })).toMatchObject({ ...counts, deleted: true })
    expect(await count()).toBe(before)
    expect(
      await story.figure(`select count(*)::int as figure from participants where status = 'complete' and group_id is null and tags = '{}'`),
    ).toBe(5)
    expect(await story.refused('list_managed_groups', { groupCode: code })).toMatchObject({ code: 'not_found' })
    // The order and invoices stay under the group's name; the code can be used again.
    expect(
      await story.figure(`select count(*)::int as figure from invoices i join orders o on o.id = i.order_id
        join managed_groups g on g.id = o.group_id where g.name = 'Acme' and g.deleted_at is not null`),
    ).toBe(5)
    expect((await story.group()).code).toBe('acme')
    expect(await booksOf(story.world, story.event).violations()).toEqual({})
    await expect(story.accept((await story.tokensMailedTo('pia@acme.example'))[0]!)).rejects.toThrow('no longer valid')
  })
})

describe('delete_managed_group', () => {
  it('cancels the members on request, which settles unpaid invoices', async () => {
    const { code } = await story.group({ name: 'Cancelled' })
    await story.update(code, { add: delegates(3) })
    expect(await story.call('delete_managed_group', { groupCode: code, cancelMembers: true })).toMatchObject({
      membersDetached: 0,
      membersCancelled: 3,
    })
    expect(
      await story.figure(`select count(*)::int as figure from orders o join managed_groups g on g.id = o.group_id
        where g.code = 'cancelled' and o.status = 'void' and o.balance = 0`),
    ).toBe(1)
  })

  it('refuses to delete a group that would be left with credit', async () => {
    const { code } = await story.group({ name: 'Paid' })
    const { order } = await story.update(code, { add: delegates(1) })
    await story.pay(order.number, '480.00')
    const refusal = await story.refused('delete_managed_group', { groupCode: code, cancelMembers: true })
    expect(refusal.message).toBe(`480.00 EUR credit on ${order.number} — refund it first`)
    expect((await story.look(code)).groups[0]).toMatchObject({ memberCount: 1 })
  })

  it('refuses to delete a group until its room block is released', async () => {
    const { code, id } = await story.group({ name: 'Housed' })
    const { pool } = story.world.database
    await pool.query(
      `insert into room_blocks (tenant_id, event_id, id, code, name, owner_kind, owner_ref)
       select tenant_id, event_id, 'block-7', 'block-7', 'Block', 'group', id from managed_groups where id = $1`,
      [id],
    )
    await pool.query(`update managed_groups set room_block_id = 'block-7' where id = $1`, [id])
    expect((await story.refused('delete_managed_group', { groupCode: code })).message).toMatch(/^Release block block-7 first/)
  })

  it('keeps manual tags of members when the group is deleted', async () => {
    const { code } = await story.group({ name: 'By hand' })
    const { participant } = await story.register({}, { tags: ['acme'] })
    await story.update(code, { add: [{ participantId: participant.id }] })
    await story.call('delete_managed_group', { groupCode: code })
    expect(await story.figure(`select cardinality(tags) as figure from participants where id = '${participant.id}'`)).toBe(1)
  })
})
