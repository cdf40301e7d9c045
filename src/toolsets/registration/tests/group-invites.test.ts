import { describe, expect, it } from 'vitest'
import { memberEntries, useGroupScenario } from '../../../../test/support/group-scenario.ts'
import { newAttendee } from '../../../../test/support/sales-scenario.ts'

const scenario = useGroupScenario()

const addresses = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ email: `${prefix}${i + 1}@acme.example`, role: 'member' }))
const send = (groupCode: string, more: Record<string, unknown>) => scenario.call('send_group_invite', { groupCode, ...more })
const mailsTo = (email: string) => scenario.queryNumber(`select count(*)::int as figure from messages where to_address = '${email}'`)
/** Answers of a person who accepts an invitation; their email address is that of the invitation. */
const answers = () => {
  const { '@participant.email': _email, ...others } = newAttendee({ '@product.pass': 1 })
  return others
}
const tokenFor = async (email: string) => (await scenario.listInvitationTokens(email)).at(-1)!

describe('send_group_invite', () => {
  it('invites only addresses that are neither members nor invited: 3 of 4 addresses, and none in a second call', async () => {
    const { code } = await scenario.group({ name: 'Invited' })
    await scenario.update(code, { add: [{ data: newAttendee({ '@participant.email': 'asked4@acme.example' }) }] })
    const emails = addresses('asked', 4)
    const first = await send(code, { emails, message: 'See you there, and bring your passport.' })
    expect(first).toMatchObject({ queued: 3, skipped: [{ reason: 'already_member', count: 1 }] })
    expect(first.invites.map(({ email }: { email: string }) => email)).toEqual(emails.slice(0, 3).map(({ email }) => email))
    expect(first.invites[0].expiresAt).toBe('2026-05-10T10:00:00.000Z')
    expect(await send(code, { emails })).toMatchObject({
      queued: 0,
      skipped: [
        { reason: 'open_invite', count: 3 },
        { reason: 'already_member', count: 1 },
      ],
      invites: [],
    })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ invitesOpen: 3 })
  })

  it('sends an email with the inviter, expiry, personal message and a link that appears nowhere else', async () => {
    const { code } = await scenario.group({ name: 'Mailed' })
    await send(code, { emails: [{ email: 'eva@acme.example', role: 'leader', name: 'Eva' }], message: 'Bring your <passport>.' })
    const { rows } = await scenario.world.database.pool.query<any>(`select * from messages where to_address = 'eva@acme.example'`)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ category: 'operational', status: 'queued', to_name: 'Eva', event_id: scenario.event.eventId })
    expect(rows[0].subject).toContain('Olga Organizer invites you')
    expect(rows[0].text_body).toContain('Bring your <passport>.')
    expect(rows[0].html_body).toContain('Bring your &lt;passport&gt;.')
    expect(rows[0].text_body).toMatch(/\/group\/mailed\/join\/lgi_[\w-]{43}/)
    const kept = await scenario.world.database.pool.query<any>(`select * from group_invites where email = 'eva@acme.example'`)
    expect(kept.rows).toHaveLength(1)
    expect(kept.rows[0].token_hash).toHaveLength(32)
    expect(JSON.stringify(await scenario.getGroup(code))).not.toContain('lgi_')
  })

  it('resends an invitation with a new link, which invalidates the old one', async () => {
    const { code } = await scenario.group({ name: 'Again' })
    const emails = [{ email: 'again@acme.example', role: 'member' }]
    await send(code, { emails })
    expect(await send(code, { emails, resend: true })).toMatchObject({ queued: 1, skipped: [] })
    const [old, fresh] = await scenario.listInvitationTokens('again@acme.example')
    expect(old).not.toBe(fresh)
    expect((await scenario.getGroup(code)).invites).toMatchObject([{ email: 'again@acme.example', sentCount: 2, status: 'queued' }])
    await expect(scenario.accept(old!, answers())).rejects.toThrow('This invitation is no longer valid')
    const { participant, role } = await scenario.accept(fresh!, answers())
    expect(role).toBe('member')
    expect(participant).toMatchObject({ email: 'again@acme.example', status: 'complete', source: 'group' })
    expect((await scenario.getGroup(code)).invites).toMatchObject([{ status: 'accepted', participantId: participant!.id }])
    // An invitation link can be used once.
    await expect(scenario.accept(fresh!, answers())).rejects.toThrow('no longer valid')
  })

  it('invites everyone with a group role who has no open invitation, or resends to those who have not answered', async () => {
    const { code } = await scenario.group({ name: 'Roles', admins: [{ email: 'ann@acme.example', name: 'Ann' }] })
    await scenario.update(code, { add: memberEntries(2) })
    await send(code, { emails: [{ email: 'late@acme.example', role: 'member' }] })
    expect(await send(code, { roles: ['admin', 'member'] })).toMatchObject({
      queued: 1,
      invites: [{ email: 'ann@acme.example', role: 'admin' }],
      skipped: [
        { reason: 'open_invite', count: 1 },
        { reason: 'already_member', count: 2 },
      ],
    })
    expect(await send(code, { roles: ['member'], resend: true })).toMatchObject({ queued: 1, invites: [{ email: 'late@acme.example' }] })
    expect(await mailsTo('late@acme.example')).toBe(2)
    await scenario.accept(await tokenFor('ann@acme.example'))
    expect(await send(code, { roles: ['admin'], resend: true })).toMatchObject({
      queued: 0,
      skipped: [{ reason: 'already_member', count: 1 }],
    })
  })

  it('skips addresses that bounced or reported an earlier email as spam', async () => {
    const { code } = await scenario.group({ name: 'Gone' })
    const emails = addresses('gone', 3)
    await send(code, { emails })
    const becomes = (email: string, status: string) =>
      scenario.world.database.pool.query(`update messages set status = $2, sent_at = lanyard_now() where to_address = $1`, [email, status])
    await becomes('gone1@acme.example', 'bounced')
    await becomes('gone2@acme.example', 'complained')
    await becomes('gone3@acme.example', 'sent')
    expect((await scenario.getGroup(code)).invites.map(({ status }: { status: string }) => status)).toEqual(['sent', 'bounced', 'bounced'])
    expect(await send(code, { emails, resend: true })).toMatchObject({
      queued: 1,
      skipped: [
        { reason: 'bounced', count: 1 },
        { reason: 'unsubscribed', count: 1 },
      ],
    })
  })

  it('returns one sample invitation email in a dry run and sends none', async () => {
    const { code } = await scenario.group({ name: 'Shown' })
    const before = await mailsTo('shown1@acme.example')
    const would = await send(code, { emails: addresses('shown', 2), dryRun: true })
    expect(would).toMatchObject({ queued: 2, effects: { recipients: 2 } })
    expect(would.effects.samples[0]).toMatchObject({ subject: expect.stringContaining('Shown') })
    expect(would.effects.samples[0].html).toMatch(/^<!doctype html>/i)
    expect(JSON.stringify(would)).not.toContain('lgi_')
    expect(await mailsTo('shown1@acme.example')).toBe(before)
  })

  it('requires a confirm token to invite many addresses to a group', async () => {
    const { code } = await scenario.group({ name: 'Many' })
    const emails = addresses('many', 51)
    expect(await scenario.refused('send_group_invite', { groupCode: code, emails })).toMatchObject({ code: 'precondition_failed' })
    const { confirmToken } = await send(code, { emails, dryRun: true })
    expect(await send(code, { emails, confirmToken })).toMatchObject({ queued: 51 })
  })

  it('rejects invitations to a closed group, and calls with both or neither of addresses and roles', async () => {
    const { code } = await scenario.group({ name: 'Shut' })
    for (const recipients of [{}, { roles: ['admin'], emails: addresses('shut', 1) }]) {
      expect(await scenario.refused('send_group_invite', { groupCode: code, ...recipients })).toMatchObject({ code: 'invalid_arguments' })
    }
    await scenario.call('update_managed_group', { groupCode: code, status: 'closed' })
    expect(await scenario.refused('send_group_invite', { groupCode: code, emails: addresses('shut', 1) })).toMatchObject({
      code: 'precondition_failed',
    })
  })

  it('counts an address that is repeated in the call once', async () => {
    const { code } = await scenario.group({ name: 'Twice' })
    const emails = ['twice@acme.example', 'Twice@Acme.example'].map((email) => ({ email, role: 'member' }))
    expect(await send(code, { emails })).toMatchObject({ queued: 1, skipped: [] })
  })
})

describe('group invitations', () => {
  it('allows more invitations than seats; the last person to accept gets an error that the group is full', async () => {
    const { code } = await scenario.group({ name: 'Short', maxMembers: 2 })
    const { warnings } = await send(code, { emails: addresses('short', 3) })
    expect(warnings).toEqual(['3 invitations are open for 2 free seats. Invitees who accept after the group is full are refused.'])
    const outcomes = await Promise.allSettled(
      ['short1', 'short2', 'short3'].map(async (name) => scenario.accept(await tokenFor(`${name}@acme.example`), answers())),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    const [late] = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(late!.reason).toMatchObject({ code: 'limit_exceeded', message: 'Group short is full: all 2 seats are taken' })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 2, invitesOpen: 1, groupBalance: { amount: '960.00' } })
  })

  it('expires an invitation after 30 days, after which it can be sent again', async () => {
    const { code } = await scenario.group({ name: 'Old' })
    const emails = [{ email: 'old@acme.example', role: 'member' }]
    await send(code, { emails })
    await scenario.world.clock.stopAt('2026-05-10T10:00:00Z')
    try {
      await scenario.world.renewTokens()
      await expect(scenario.accept(await tokenFor('old@acme.example'), answers())).rejects.toThrow('has expired')
      expect((await scenario.getGroup(code)).invites).toMatchObject([{ status: 'expired' }])
      expect(await send(code, { emails })).toMatchObject({ queued: 1 })
      expect((await scenario.accept(await tokenFor('old@acme.example'), answers())).participant).toMatchObject({ status: 'complete' })
    } finally {
      await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
      await scenario.world.renewTokens()
    }
  })

  it('makes the invited person a group leader, or a group admin who does not attend', async () => {
    const { code } = await scenario.group({ name: 'Offices', admins: [] })
    await send(code, {
      emails: [
        { email: 'lead@acme.example', role: 'leader' },
        { email: 'boss@acme.example', role: 'admin', name: 'Bo' },
      ],
    })
    const lead = await scenario.accept(await tokenFor('lead@acme.example'), answers())
    expect(lead.participant).toMatchObject({ group_leader: true })
    const boss = await scenario.accept(await tokenFor('boss@acme.example'))
    expect(boss).toMatchObject({ role: 'admin', participant: null })
    const { admins, leaders, groups } = await scenario.getGroup(code)
    expect(admins).toMatchObject([{ email: 'boss@acme.example', name: 'Bo' }])
    expect(leaders).toMatchObject([{ participantId: lead.participant!.id }])
    expect(groups[0]).toMatchObject({ memberCount: 1, admins: 1, leaders: 1 })
  })

  it("adds a person who is already registered to the group, together with the person's order", async () => {
    const { code } = await scenario.group({ name: 'Adopted' })
    const { participant } = await scenario.register({ pass: 1 })
    await send(code, { emails: [{ email: participant.email, role: 'member' }] })
    const joined = await scenario.accept(await tokenFor(participant.email), {}, participant.id)
    expect(joined.participant).toMatchObject({ id: participant.id, group_id: joined.group.id })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 1, membersBalance: { amount: '900.00' } })
  })

  it('rejects an invitation accepted with another email address', async () => {
    const { code } = await scenario.group({ name: 'Strange' })
    const { participant } = await scenario.register({})
    await send(code, { emails: [{ email: 'strange@acme.example', role: 'member' }] })
    const token = await tokenFor('strange@acme.example')
    await expect(scenario.accept(token, {}, participant.id)).rejects.toMatchObject({ code: 'not_found' })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 0, invitesOpen: 1 })
  })

  it('assigns a seat to an invited person at once, and leaves the questions of the flow to that person', async () => {
    const { code } = await scenario.group({ name: 'Asking' })
    await send(code, { emails: [{ email: 'asking@acme.example', role: 'member' }] })
    const { participant } = await scenario.accept(await tokenFor('asking@acme.example'))
    expect(participant).toMatchObject({ status: 'incomplete', email: 'asking@acme.example', source: 'group', flow_slug: 'attendee' })
    const { invites, groups, members } = await scenario.getGroup(code)
    expect(invites).toMatchObject([{ status: 'accepted', participantId: participant!.id }])
    expect(groups[0]).toMatchObject({ memberCount: 1, groupBalance: { amount: '0.00' } })
    expect(members).toMatchObject([{ participantId: participant!.id, status: 'incomplete' }])
  })

  it('adds the personal link to a custom invitation email of the event if the email lacks it', async () => {
    const own = { code: 'ask', name: 'Ask', trigger: 'group.invited', subject: 'Come along' }
    await scenario.publish({ emails: [{ ...own, blocks: [{ id: 'text', type: 'text', markdown: 'Please join us.' }] }] })
    const { code } = await scenario.group({ name: 'Linked' })
    await send(code, { emails: [{ email: 'lena@acme.example', role: 'member' }] })
    const { rows } = await scenario.world.database.pool.query<{ text_body: string; html_body: string }>(
      `select text_body, html_body from messages where to_address = 'lena@acme.example'`,
    )
    const [{ text_body: text, html_body: html }] = rows as [(typeof rows)[number]]
    for (const part of ['Please join us.', 'Invited by: Olga', 'Valid until: ', `/group/${code}/join/lgi_`]) expect(text).toContain(part)
    expect(html).toContain(`/group/${code}/join/lgi_`)
    expect((await scenario.accept(await tokenFor('lena@acme.example'), answers())).participant!.status).toBe('complete')
  })
})
