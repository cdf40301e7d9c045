import { describe, expect, it } from 'vitest'
import { memberEntries, useGroupScenario } from '../../../../test/support/group-scenario.ts'
import { findManagedGroup } from '../../../domains/groups/managers.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'

const scenario = useGroupScenario()

const euros = (amount: string) => ({ amount, currency: 'EUR' })

describe('create_managed_group', () => {
  it('generates a group code from the name, different from existing ones, and rejects an explicit code that is taken', async () => {
    const group = { name: 'Nordic Co', kind: 'delegation', payBy: 'members', flowSlug: 'attendee' }
    const first = await scenario.call('create_managed_group', group)
    const second = await scenario.call('create_managed_group', group)
    expect([first.group.code, second.group.code]).toEqual(['nordic-co', 'nordic-co-2'])
    expect(first.joinUrl).toMatch(/\/event\/[\w-]+\/group\/nordic-co\/join$/)
    expect(await scenario.refused('create_managed_group', { ...group, code: 'nordic-co' })).toMatchObject({ code: 'conflict' })
    expect(first.group).toMatchObject({ memberCount: 0, maxMembers: null, status: 'open', admins: 0, balance: euros('0.00') })
  })

  it('gives each of two concurrent calls with the same name its own code', async () => {
    const asked = { name: 'Twins', kind: 'school', payBy: 'members', flowSlug: 'attendee' }
    const both = await Promise.all([1, 2].map(() => scenario.call('create_managed_group', asked)))
    expect(both.map(({ group }) => group.code as string).toSorted((a, b) => a.localeCompare(b))).toEqual(['twins', 'twins-2'])
  })

  it('sends no emails when a group is created', async () => {
    const mails = () => scenario.queryNumber('select count(*)::int as figure from messages')
    const before = await mails()
    await scenario.group({ name: 'Quiet' })
    expect(await mails()).toBe(before)
  })

  it('rejects unknown names and excessive limits in the settings of a new group', async () => {
    const refused = { name: 'Wrong', kind: 'company', payBy: 'group', flowSlug: 'attendee' }
    expect(await scenario.refused('create_managed_group', { ...refused, tags: ['acmee'] })).toMatchObject({
      code: 'invalid_arguments',
      fields: [{ path: 'tags', message: 'no tag acmee — did you mean acme?' }],
    })
    expect(await scenario.refused('create_managed_group', { ...refused, flowSlug: 'atendee' })).toMatchObject({
      fields: [{ path: 'flowSlug', allowed: ['attendee'] }],
    })
    for (const maxMembers of [0, 10_001]) {
      expect(await scenario.refused('create_managed_group', { ...refused, maxMembers })).toMatchObject({ code: 'invalid_arguments' })
    }
    const twice = [
      { email: 'ada@acme.example', name: 'Ada' },
      { email: 'Ada@Acme.example', name: 'Ada again' },
    ]
    expect(await scenario.refused('create_managed_group', { ...refused, admins: twice })).toMatchObject({
      fields: [{ path: 'admins/1/email' }],
    })
  })
})

describe('update_managed_group', () => {
  it('adds the group’s tags to all members and removes them again, but keeps manual tags', async () => {
    const { code } = await scenario.group({ name: 'Tagged', tags: [], maxMembers: 10 })
    await scenario.update(code, { add: memberEntries(6) })
    const { members } = await scenario.getGroup(code)
    await scenario.call('edit_participant', { participantId: members[0].participantId, addTags: ['acme'] })
    const tagged = () =>
      scenario.queryNumber(`select count(*)::int as figure from participants p join managed_groups g on g.id = p.group_id
        where g.code = '${code}' and 'acme' = any(p.tags)`)
    const prices = () => scenario.queryNumber(`select coalesce(sum(total), 0)::bigint as figure from orders`)
    const before = await prices()
    expect(await scenario.call('update_managed_group', { groupCode: code, tags: ['acme'] })).toMatchObject({
      changed: ['tags'],
      membersAffected: 5,
    })
    expect(await tagged()).toBe(6)
    expect(await prices()).toBe(before)
    expect(await scenario.call('update_managed_group', { groupCode: code, tags: [] })).toMatchObject({ membersAffected: 5 })
    expect(await tagged()).toBe(1)
  })

  it('changes only the given group settings, and rejects an outdated revision', async () => {
    const { code, revision } = await scenario.group({ name: 'Renamed', maxMembers: 4 })
    const edit = { groupCode: code, name: 'Renamed Energy', maxMembers: 60, billTo: { taxId: 'FR1' }, ifRevision: revision }
    const { group, changed } = await scenario.call('update_managed_group', edit)
    expect(changed).toEqual(['name', 'maxMembers', 'billTo'])
    expect(group).toMatchObject({ code, name: 'Renamed Energy', maxMembers: 60, billTo: { taxId: 'FR1' }, payBy: 'group' })
    expect(await scenario.refused('update_managed_group', edit)).toMatchObject({ code: 'conflict' })
    expect(await scenario.call('update_managed_group', { groupCode: code, name: 'Renamed Energy' })).toMatchObject({ changed: [] })
    expect((await scenario.call('update_managed_group', { groupCode: code, clear: ['maxMembers'] })).group.maxMembers).toBeNull()
  })

  it('rejects fewer group seats than members, naming both numbers, and another payer after invoices were issued', async () => {
    const { code } = await scenario.group({ name: 'Bound', maxMembers: 5 })
    await scenario.update(code, { add: memberEntries(3) })
    const fewer = await scenario.refused('update_managed_group', { groupCode: code, maxMembers: 2 })
    expect(fewer).toMatchObject({ code: 'precondition_failed', message: 'The maximum cannot be 2: group bound has 3 members' })
    const other = await scenario.refused('update_managed_group', { groupCode: code, payBy: 'members' })
    expect(other).toMatchObject({ code: 'precondition_failed', message: '1 invoice issued — credit it first' })
    const each = await scenario.group({ name: 'Each', payBy: 'members' })
    await scenario.update(each.code, { add: memberEntries(3) })
    expect(await scenario.refused('update_managed_group', { groupCode: each.code, payBy: 'group' })).toMatchObject({
      message: '3 invoices issued — credit them first',
    })
    const { members } = await scenario.getGroup(code)
    for (const { participantId } of members)
      await scenario.call('edit_participant', { participantId, data: { '@product.pass': 0 }, credit: 'full' })
    expect(await scenario.call('update_managed_group', { groupCode: code, payBy: 'members' })).toMatchObject({ changed: ['payBy'] })
  })
})

describe('set_managed_group_admins', () => {
  const isAdmin = async (code: string, adminEmail: string) =>
    (await findManagedGroup(await createEventContextAt(scenario.world, scenario.event), code, { adminEmail, participantIds: [] })) !== null

  it('replaces the list of group admins, and ends the access and the open invitations of a removed admin', async () => {
    const { code, revision } = await scenario.group({ name: 'Run' })
    await scenario.call('send_group_invite', { groupCode: code, roles: ['admin'] })
    expect(await isAdmin(code, 'ADA@acme.example')).toBe(true)
    const admins = [{ email: 'ben@acme.example', name: 'Ben' }]
    expect(await scenario.call('set_managed_group_admins', { groupCode: code, admins, ifRevision: revision })).toEqual({
      admins: [{ email: 'ben@acme.example', name: 'Ben' }],
      added: ['ben@acme.example'],
      removed: ['ada@acme.example'],
    })
    expect(await isAdmin(code, 'ada@acme.example')).toBe(false)
    expect((await scenario.getGroup(code)).invites).toMatchObject([{ email: 'ada@acme.example', role: 'admin', status: 'revoked' }])
    const [token] = await scenario.listInvitationTokens('ada@acme.example')
    await expect(scenario.accept(token!)).rejects.toThrow('no longer valid')
    expect(await scenario.refused('set_managed_group_admins', { groupCode: code, admins: [], ifRevision: revision })).toMatchObject({
      code: 'conflict',
    })
  })

  it('rejects an empty list of admins if the group pays, repeated admins, and invalid addresses with their index', async () => {
    const { code } = await scenario.group({ name: 'Needs' })
    const empty = await scenario.refused('set_managed_group_admins', { groupCode: code, admins: [] })
    expect(empty.message).toMatch(/^Someone must receive invoices/)
    const free = await scenario.group({ name: 'Free', payBy: 'members' })
    expect(await scenario.call('set_managed_group_admins', { groupCode: free.code, admins: [] })).toMatchObject({
      removed: ['ada@acme.example'],
    })
    const ada = { email: 'ada@acme.example', name: 'Ada' }
    const wrong = await scenario.refused('set_managed_group_admins', {
      groupCode: code,
      admins: [ada, { email: 'no address', name: 'Ben' }],
    })
    expect(wrong.fields![0]!.path).toBe('admins/1/email')
    expect(await scenario.refused('set_managed_group_admins', { groupCode: code, admins: [ada, ada] })).toMatchObject({
      fields: [{ path: 'admins/1/email', message: 'ada@acme.example is named twice' }],
    })
  })
})

describe('update_managed_group_leaders', () => {
  it('accepts only members as group leaders, and removes the role when a leader leaves the group', async () => {
    const { code } = await scenario.group({ name: 'Led' })
    await scenario.update(code, { add: memberEntries(2) })
    const [first, second] = (await scenario.getGroup(code)).members
    const add = [first.participantId, second.participantId]
    const { leaders, changed } = await scenario.call('update_managed_group_leaders', { groupCode: code, add })
    expect(leaders).toHaveLength(2)
    expect(changed).toHaveLength(2)
    await scenario.update(code, { remove: [{ participantId: first.participantId }] })
    await scenario.update(code, { remove: [{ participantId: second.participantId, cancel: true }] })
    expect((await scenario.getGroup(code)).leaders).toEqual([])
    const { participant } = await scenario.register({ pass: 1 })
    const outsider = await scenario.refused('update_managed_group_leaders', { groupCode: code, add: [participant.id] })
    expect(outsider).toMatchObject({ code: 'precondition_failed' })
    expect(outsider.message).toContain('add with update_managed_group_members first')
    expect(await scenario.refused('update_managed_group_leaders', { groupCode: code, add: [second.participantId] })).toMatchObject({
      code: 'precondition_failed',
    })
  })
})

describe('list_managed_groups', () => {
  it('counts the members of each group and sums what the group and its members owe', async () => {
    const { code } = await scenario.group({ name: 'Counted Delegation', maxMembers: 6, kind: 'delegation' })
    const own = await scenario.register({ pass: 1 })
    await scenario.update(code, { add: [...memberEntries(5), { participantId: own.participant.id }] })
    const { groups } = await scenario.call('list_managed_groups', { search: 'counted deleg', kind: 'delegation', status: 'open' })
    expect(groups).toMatchObject([
      {
        code,
        memberCount: 6,
        maxMembers: 6,
        admins: 1,
        leaders: 0,
        groupBalance: euros('2400.00'),
        membersBalance: euros('900.00'),
        balance: euros('3300.00'),
      },
    ])
    const full = await scenario.getGroup(code)
    expect(full.members).toHaveLength(6)
    expect(full.order).toMatchObject({ total: euros('2400.00'), balance: euros('2400.00') })
    const [one] = full.members
    await scenario.update(code, { remove: [{ participantId: one.participantId }] })
    const after = await scenario.getGroup(code)
    expect([after.groups[0].memberCount, after.members.length]).toEqual([5, 5])
  })

  it('returns the members of a group in pages', async () => {
    const { code } = await scenario.group({ name: 'Paged' })
    await scenario.update(code, { add: memberEntries(5) })
    const first = await scenario.call('list_managed_groups', { groupCode: code, limit: 3 })
    const second = await scenario.call('list_managed_groups', { groupCode: code, limit: 3, cursor: first.nextCursor })
    const ids = [...first.members, ...second.members].map(({ participantId }) => participantId)
    expect(new Set(ids).size).toBe(5)
    expect(second.nextCursor).toBeNull()
  })

  it('suggests the nearest group code if the code is unknown', async () => {
    const { code } = await scenario.group({ name: 'Nearly' })
    expect(await scenario.refused('list_managed_groups', { groupCode: 'nearli' })).toMatchObject({
      code: 'not_found',
      message: `No group nearli at this event — did you mean ${code}?`,
    })
  })
})
