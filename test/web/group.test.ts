import { beforeAll, describe, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { listCodeEmails, readLatestCode } from '../support/sign-in-codes.ts'
import { memberEntries, useGroupScenario, ACME_PRICING } from '../support/group-scenario.ts'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newAttendee } from '../support/sales-scenario.ts'
import { type Visitor, visitor } from '../support/visitor.ts'

const baseUrl = await chooseFreeBaseUrl()
const scenario = useGroupScenario(ACME_PRICING, { baseUrl })
let served: Served
let home: string

beforeAll(async () => {
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
})

const at = (code: string, path = '') => `${home}/group/${code}${path}`
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows

async function adminOf(code: string, email = 'ada@acme.example', who = visitor(served)): Promise<Visitor> {
  await rows(`delete from one_time_codes where email_norm = $1`, [email])
  await rows(`delete from rate_windows where key like 'mailbox:%'`)
  await who.post(at(code, '/sign-in'), { email }, { from: at(code, '/sign-in?email=') })
  await who.post(
    at(code, '/sign-in/code'),
    { email, code: await readLatestCode(scenario.world, email) },
    { from: at(code, `/sign-in/code?email=${encodeURIComponent(email)}`) },
  )
  return who
}

const NAMES = { '@participant.firstName': 'Nora', '@participant.lastName': 'Neu' }

describe('pages of group administrators', () => {
  it('signs administrators in with a group sign-in code that opens no registration, and accepts no registration code for a group', async () => {
    const { code } = await scenario.group({ name: 'Door' })
    const email = 'ada@acme.example'
    const who = visitor(served)
    expect(await who.get(at(code))).toMatchObject({ status: 303, location: at(code, '/sign-in') })
    const door = await who.get(at(code, '/sign-in'))
    expect(door.text).toContain('We will email you a code to manage your group')
    // An unknown group has the same sign-in page, so that group codes cannot be guessed.
    const nowhere = await visitor(served).get(at('nowhere', '/sign-in'))
    expect(nowhere.text.replaceAll('nowhere', code)).toBe(door.text)
    await who.post(at(code, '/sign-in'), { email })
    const digits = await readLatestCode(scenario.world, email)
    const own = await who.post(
      `${home}/registration/sign-in/code`,
      { email, code: digits },
      { from: `${home}/registration/sign-in/code?email=${email}` },
    )
    expect(own.text).toContain('That code is no longer valid.')
    const opened = await who.post(at(code, '/sign-in/code'), { email, code: digits }, { from: at(code, `/sign-in/code?email=${email}`) })
    expect(opened).toMatchObject({ status: 303, location: at(code) })
    expect(opened.headers.getSetCookie().find((line) => line.startsWith('lanyard-groupAdmin='))).toMatch(/HttpOnly.*SameSite=Lax/)
    const page = await who.get(at(code))
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).toContain('0 members')
    expect(page.text).toContain(`Signed in as ${email}`)
    expect((await scenario.getGroup(code)).admins).toMatchObject([{ email, lastSignInAt: '2026-04-10T10:00:00.000Z' }])
    // A session cookie is valid for one kind of session only: a group session under the name of the registration cookie opens nothing.
    const thief = visitor(served)
    thief.cookies.set('lanyard-person', who.cookies.get('lanyard-groupAdmin')!)
    expect((await thief.get(`${home}/registration`)).location).toMatch(/\/registration\/sign-in$/)
    expect((await thief.get(at(code))).location).toBe(at(code, '/sign-in'))
    await who.post(at(code, '/sign-out'), {}, { from: at(code) })
    expect((await who.get(at(code))).status).toBe(303)
  })

  it('shows administrators only their own groups, and the same page for another group as for an unknown one', async () => {
    const [one, other] = [
      await scenario.group({ name: 'Own' }),
      await scenario.group({ name: 'Foreign Circle', admins: [{ email: 'eve@acme.example', name: 'Eve' }] }),
    ]
    const ada = await adminOf(one.code)
    const [foreign, none] = [await ada.get(at(other.code)), await ada.get(at('never-was'))]
    expect([foreign.status, none.status]).toEqual([404, 404])
    expect(foreign.text.replaceAll(other.code, 'x')).toBe(none.text.replaceAll('never-was', 'x'))
    expect(foreign.text).toContain('does not manage a group with this code')
    expect(foreign.text).not.toContain('Foreign Circle')
    // Forms of another group change nothing either.
    const { memberCount } = (await scenario.getGroup(other.code)).groups[0]
    expect((await ada.post(at(other.code, '/add'), { ...NAMES }, { from: at(one.code) })).status).toBe(404)
    expect((await scenario.getGroup(other.code)).groups[0].memberCount).toBe(memberCount)
  })

  it('revokes an administrator’s access with the next request after they are removed', async () => {
    const { code } = await scenario.group({ name: 'Off' })
    const ada = await adminOf(code)
    expect((await ada.get(at(code))).status).toBe(200)
    await scenario.call('set_managed_group_admins', { groupCode: code, admins: [{ email: 'ben@acme.example', name: 'Ben' }] })
    expect((await ada.get(at(code))).status).toBe(404)
    expect((await ada.post(at(code, '/invite'), { emails: 'x@acme.example' }, { from: at(code) })).status).toBe(404)
  })

  it('adds a member at the group’s price after validation errors are fixed, and shows the cost', async () => {
    const { code } = await scenario.group({ name: 'Adds', maxMembers: 1 })
    const ada = await adminOf(code)
    const form = await ada.get(at(code, '/add'))
    expect(form.text).toContain('€400.00 each (group price)')
    const email = 'nora@acme.example'
    const wrong = await ada.post(at(code, '/add'), { ...NAMES, '@participant.lastName': '', '@participant.email': 'absent' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('Please complete: Last name')
    expect(wrong.text).toContain('Enter an email address such as name@example.org')
    expect(wrong.html).toContain('value="Nora"')
    expect(await scenario.queryNumber(`select count(*)::int as figure from participants where email = '${email}'`)).toBe(0)
    const added = await ada.post(at(code, '/add'), { ...NAMES, '@participant.email': email, '@product.pass': '1' })
    expect(added).toMatchObject({ status: 303, location: at(code, '?done=added') })
    const page = await ada.get(added.location!)
    for (const expected of ['Done. A new member is in the list below', 'Nora Neu', email, '1 of 1 seats taken', 'Pass', '€480.00'])
      expect(page.text).toContain(expected)
    // The new member receives no email, and a full group shows no form.
    expect(await rows(`select from messages where to_address = $1`, [email])).toEqual([])
    expect(page.text).toContain('All seats of the group are taken.')
    expect((await ada.get(at(code, '/add'))).location).toBe(at(code))
    expect((await ada.post(at(code, '/add'), { ...NAMES, '@participant.email': 'late@acme.example' }, { from: at(code) })).location).toBe(
      at(code),
    )
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('shows the same page for a registered and a new member, and adds the registered person only after they agree', async () => {
    const { code } = await scenario.group({ name: 'Consent' })
    const { participant } = await scenario.register({ pass: 1 })
    const ada = await adminOf(code)
    const add = (firstName: string, lastName: string, email: string) =>
      ada.post(at(code, '/add'), { '@participant.firstName': firstName, '@participant.lastName': lastName, '@participant.email': email })
    const known = await add(participant.firstName, participant.lastName, participant.email)
    const unknown = await add('Nina', 'Neu', 'nina@acme.example')
    expect([known.status, known.location]).toEqual([unknown.status, unknown.location])
    expect((await ada.get(known.location!)).text).not.toContain('already registered')
    expect((await scenario.getGroup(code)).groups[0].memberCount).toBe(1)
    const invited = (address: string) => rows(`select from messages where to_address = $1 and email_code = 'group.invited'`, [address])
    expect([await invited(participant.email), await invited('nina@acme.example')]).toMatchObject([[{}], []])
    // Adding again neither registers nor answers differently, and the mailbox gets at most three invitations an hour.
    for (let round = 0; round < 4; round++)
      expect((await add(participant.firstName, participant.lastName, participant.email)).location).toBe(known.location)
    expect(await invited(participant.email)).toHaveLength(3)
    expect(await rows(`select group_id from participants where id = $1`, [participant.id])).toEqual([{ group_id: null }])
  })

  it('limits the invitations to one mailbox over all groups, and keeps the links that were sent before', async () => {
    const email = 'flooded@acme.example'
    const codes = []
    for (const name of ['Flood one', 'Flood two', 'Flood three', 'Flood four']) codes.push((await scenario.group({ name })).code as string)
    const sent = () => rows(`select from messages where to_address = $1`, [email])
    const visitors = []
    for (const code of codes) visitors.push({ code, who: await adminOf(code) })
    for (const { code, who } of visitors)
      expect((await who.post(at(code, '/invite'), { emails: email })).location).toContain('done=invited&sent=1&skipped=0')
    expect(await sent()).toHaveLength(3)
    const token = () => rows(`select token_hash from group_invites where email = $1 order by id limit 1`, [email])
    const before = await token()
    const { code, who } = visitors[0]!
    const again = await who.post(at(code, '/invites'), { resend: `member ${email}` }, { from: at(code) })
    expect(again.location).toContain('done=invited&sent=1')
    expect([await sent(), await token()]).toEqual([[{}, {}, {}], before])
    // Organizers are not limited.
    await scenario.call('send_group_invite', { groupCode: code, emails: [{ email, role: 'member' }], resend: true })
    expect(await sent()).toHaveLength(4)
  })

  it('sends, resends and withdraws invitations in the administrator’s name', async () => {
    const { code } = await scenario.group({ name: 'Inviting' })
    const ada = await adminOf(code)
    expect((await ada.post(at(code, '/invite'), { emails: '' })).text).toContain('Enter at least one email address.')
    expect((await ada.post(at(code, '/invite'), { emails: 'ina@acme.example absent' })).text).toContain('absent is not an email address.')
    const many = Array.from({ length: 51 }, (_, i) => `m${i}@acme.example`).join('\n')
    expect((await ada.post(at(code, '/invite'), { emails: many })).text).toContain('Enter at most 50 addresses at a time.')
    expect((await ada.post(at(code, '/invite'), { emails: 'ina@acme.example', message: 'x'.repeat(1001) })).text).toContain(
      'at most 1,000 characters',
    )
    const sent = await ada.post(at(code, '/invite'), {
      emails: 'ina@acme.example, ole@acme.example\nole@acme.example',
      role: 'leader',
      message: 'Come!',
    })
    expect(sent.location).toBe(at(code, '?done=invited&sent=2&skipped=0'))
    const page = await ada.get(sent.location!)
    expect(page.text).toContain('2 invitations are being sent.')
    const message = (await rows(`select subject, text_body from messages where to_address = 'ina@acme.example'`))[0]
    expect(message.subject).toContain('Ada invites you')
    expect(message.text_body).toContain('Come!')
    expect((await ada.post(at(code, '/invite'), { emails: 'ina@acme.example', role: 'leader' })).location).toContain('sent=0&skipped=1')
    const [old] = await scenario.listInvitationTokens('ina@acme.example')
    expect((await ada.post(at(code, '/invites'), { resend: 'leader ina@acme.example' }, { from: at(code) })).location).toContain('sent=1')
    const fresh = (await scenario.listInvitationTokens('ina@acme.example')).at(-1)!
    expect((await visitor(served).get(at(code, `/join/${old}`))).status).toBe(410)
    expect((await visitor(served).get(at(code, `/join/${fresh}`))).status).toBe(200)
    await ada.post(at(code, '/invites'), { revoke: 'leader ina@acme.example' }, { from: at(code) })
    expect((await visitor(served).get(at(code, `/join/${fresh}`))).status).toBe(410)
    // Administrators cannot change who receives the invoices.
    await ada.post(at(code, '/invite'), { emails: 'boss@acme.example', role: 'admin' })
    expect((await scenario.getGroup(code)).invites.find(({ email }: { email: string }) => email === 'boss@acme.example')).toMatchObject({
      role: 'member',
    })
  })

  it('limits the number of invitations of a group', async () => {
    const { code } = await scenario.group({ name: 'Spammer' })
    const ada = await adminOf(code)
    for (let i = 0; i < 20; i++) expect((await ada.post(at(code, '/invite'), { emails: `s${i}@acme.example` })).status).toBe(303)
    const refused = await ada.post(at(code, '/invite'), { emails: 's21@acme.example' })
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('Please try again later.')
    expect(refused.html).toContain('s21@acme.example')
    expect(await rows(`select from messages where to_address = 's21@acme.example'`)).toEqual([])
  })

  it('corrects a member’s name and answers but not the email address', async () => {
    const { code } = await scenario.group({ name: 'Corrects' })
    await scenario.update(code, { add: [{ data: newAttendee({ '@participant.firstName': 'Jhon' }) }] })
    const [member] = (await scenario.getGroup(code)).members
    const ada = await adminOf(code)
    const page = await ada.get(at(code, `/members/${member.participantId}`))
    expect(page.html).toContain('value="Jhon"')
    expect(page.html).not.toContain('name="@participant.email"')
    const here = at(code, `/members/${member.participantId}`)
    const names = { '@participant.firstName': 'John', '@participant.lastName': member.name.replace('Jhon ', '') }
    expect((await ada.post(here, { ...names, '@participant.firstName': '' })).text).toContain('Please complete: First name')
    expect((await ada.post(here, { ...names, '@participant.email': 'thief@acme.example' })).location).toBe(at(code, '?done=saved'))
    const [row] = await rows(`select first_name, email from participants where id = $1`, [member.participantId])
    expect(row).toEqual({ first_name: 'John', email: member.email })
    const [audited] = await rows(`select actor_name from audit_entries where tool = 'edit_group_member' order by id desc limit 1`)
    expect(audited.actor_name).toBe('Ada')
    // Participants outside the group cannot be opened.
    const { participant: stranger } = await scenario.register({})
    expect((await ada.get(at(code, `/members/${stranger.id}`))).status).toBe(404)
    expect((await ada.post(at(code, `/members/${stranger.id}`), names, { from: here })).status).toBe(404)
    expect((await ada.post(at(code, `/members/${stranger.id}/out`), {}, { from: here })).status).toBe(404)
  })

  it('removes a member who keeps the registration, or cancels the registration for exactly the amount that the page showed', async () => {
    const { code } = await scenario.group({ name: 'Smaller' })
    await scenario.update(code, { add: memberEntries(2) })
    const [stays, goes] = (await scenario.getGroup(code)).members
    const ada = await adminOf(code)
    const page = await ada.get(at(code, `/members/${goes.participantId}`))
    expect(page.text).toContain('€480.00 is deducted from the group’s order')
    const unsure = await ada.post(
      at(code, `/members/${goes.participantId}/cancel`),
      {},
      { from: at(code, `/members/${goes.participantId}`) },
    )
    expect(unsure.text).toContain('Tick the box to confirm that you want to cancel.')
    expect((await scenario.getGroup(code)).order).toMatchObject({ total: { amount: '960.00' } })
    await ada.post(at(code, `/members/${goes.participantId}/cancel`), { agree: 'on' }, { from: at(code, `/members/${goes.participantId}`) })
    expect((await scenario.getGroup(code)).order).toMatchObject({ total: { amount: '480.00' } })
    expect(await rows(`select email_code from messages where to_address = $1`, [goes.email])).toEqual([
      { email_code: 'registration.cancelled' },
    ])
    await ada.post(at(code, `/members/${stays.participantId}/out`), {}, { from: at(code, `/members/${stays.participantId}`) })
    const after = await scenario.getGroup(code)
    expect(after.groups[0].memberCount).toBe(0)
    expect(after.order).toMatchObject({ total: { amount: '480.00' } })
    expect((await scenario.call('get_participant', { participantId: stays.participantId })).participant.status).toBe('complete')
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it('offers the group’s invoices as PDF, and no other invoices', async () => {
    const [one, other] = [await scenario.group({ name: 'Papers' }), await scenario.group({ name: 'Papers too' })]
    for (const { code } of [one, other]) await scenario.update(code, { add: memberEntries(1) })
    const number = async (code: string) =>
      (
        await rows(
          `select i.number from invoices i join orders o on o.id = i.order_id join managed_groups g on g.id = o.group_id where g.code = $1`,
          [code],
        )
      )[0].number
    const ada = await adminOf(one.code)
    const page = await ada.get(at(one.code))
    const own = await number(one.code)
    expect(page.text).toContain(`Invoice ${own}`)
    const pdf = await ada.get(at(one.code, `/invoices/${own}.pdf`))
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    expect(pdf.html.startsWith('%PDF')).toBe(true)
    expect((await ada.get(at(one.code, `/invoices/${await number(other.code)}.pdf`))).status).toBe(404)
  })

  it('escapes typed text on every group page', async () => {
    const payload = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    const { code } = await scenario.group({ name: payload, code: 'payload' })
    await scenario.update(code, { add: [{ data: newAttendee({ '@participant.firstName': payload }) }] })
    const [member] = (await scenario.getGroup(code)).members
    const ada = await adminOf(code)
    await ada.post(at(code, '/invite'), { emails: 'xss@acme.example', message: payload })
    const [token] = await scenario.listInvitationTokens('xss@acme.example')
    for (const path of ['', '/add', '/invite', `/members/${member.participantId}`, `/join/${token}`, '?done=%3Cscript%3Ealert(1)'])
      expect([path, /<script>alert|<img src=x/.test((await ada.get(at(code, path))).html)]).toEqual([path, false])
  })

  it('rejects group forms submitted from another site', async () => {
    const { code } = await scenario.group({ name: 'Forged' })
    await scenario.update(code, { add: memberEntries(1) })
    const [member] = (await scenario.getGroup(code)).members
    const ada = await adminOf(code)
    for (const path of ['/add', '/invite', '/invites', `/members/${member.participantId}/out`]) {
      const fields = { ...NAMES, '@participant.email': 'forged@acme.example', emails: 'forged@acme.example' }
      expect((await ada.post(at(code, path), fields, { csrf: 'made-up' })).location).toBe(at(code))
      expect((await ada.post(at(code, path), fields, { from: at(code, '/add'), origin: 'https://evil.example' })).location).toBe(at(code))
    }
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 1, invitesOpen: 0 })
  })
})

describe('pages of group leaders', () => {
  const led = async (more: Record<string, unknown>) => {
    const { code } = await scenario.group(more)
    await scenario.update(code, { add: memberEntries(2) })
    const [lea, other] = (await scenario.getGroup(code)).members
    await scenario.call('update_managed_group_leaders', { groupCode: code, add: [lea.participantId] })
    return { code, lea, other, who: await signInVisitor(scenario.world, served, scenario.event, lea.email) }
  }

  it('lets leaders of a paying group see and correct members, but neither see amounts nor remove members', async () => {
    const { code, lea, other, who } = await led({ name: 'Led' })
    const page = await who.get(at(code))
    expect(page.status).toBe(200)
    for (const { name } of [lea, other]) expect(page.text).toContain(name)
    expect(page.text).toContain('Group leader')
    expect(page.text).not.toMatch(/€|480|Invoice|Order/)
    const { rows: invoices } = await scenario.world.database.pool.query<any>(
      `select i.number from invoices i join orders o on o.id = i.order_id join managed_groups g on g.id = o.group_id where g.code = $1`,
      [code],
    )
    expect((await who.get(at(code, `/invoices/${invoices[0].number}.pdf`))).status).toBe(404)
    for (const path of ['/add', '/invite']) expect((await who.get(at(code, path))).location).toBe(at(code))
    const member = await who.get(at(code, `/members/${other.participantId}`))
    expect(member.text).not.toMatch(/€|Remove from the group|Cancel the registration/)
    const names = { '@participant.firstName': 'Renamed', '@participant.lastName': 'Person' }
    expect((await who.post(at(code, `/members/${other.participantId}`), names)).location).toBe(at(code, '?done=saved'))
    for (const path of ['out', 'cancel'])
      await who.post(
        at(code, `/members/${other.participantId}/${path}`),
        { agree: 'on' },
        { from: at(code, `/members/${other.participantId}`) },
      )
    await who.post(at(code, '/invite'), { emails: 'no@acme.example' }, { from: at(code, `/members/${other.participantId}`) })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 2, invitesOpen: 0 })
    // The leader's own registration links to the group.
    expect((await who.get(`${home}/registration`)).html).toContain(`href="${at(code)}"`)
  })

  it('lets leaders of a group whose members pay individually add and invite members but not cancel them', async () => {
    const { code, other, who } = await led({ name: 'Each', payBy: 'members' })
    const added = await who.post(at(code, '/add'), {
      '@participant.firstName': 'Nils',
      '@participant.lastName': 'Neu',
      '@participant.email': 'nils@acme.example',
      '@product.pass': '1',
    })
    expect(added.location).toBe(at(code, '?done=added'))
    expect((await who.post(at(code, '/invite'), { emails: 'nele@acme.example', role: 'leader' })).location).toContain('sent=1')
    expect((await scenario.getGroup(code)).invites).toMatchObject([{ email: 'nele@acme.example', role: 'member' }])
    const page = await who.get(at(code, `/members/${other.participantId}`))
    expect(page.text).toContain('Remove from the group')
    expect(page.text).not.toContain('Cancel the registration')
    await who.post(
      at(code, `/members/${other.participantId}/cancel`),
      { agree: 'on' },
      { from: at(code, `/members/${other.participantId}`) },
    )
    expect((await scenario.call('get_participant', { participantId: other.participantId })).participant.status).toBe('complete')
    await who.post(at(code, `/members/${other.participantId}/out`), {}, { from: at(code, `/members/${other.participantId}`) })
    expect((await scenario.getGroup(code)).groups[0].memberCount).toBe(2)
  })

  it('redirects former leaders and leaders of another group to the sign-in page', async () => {
    const { code, lea, who } = await led({ name: 'Former' })
    const another = await scenario.group({ name: 'Not led' })
    expect((await who.get(at(another.code))).location).toBe(at(another.code, '/sign-in'))
    await scenario.call('update_managed_group_leaders', { groupCode: code, remove: [lea.participantId] })
    expect((await who.get(at(code))).location).toBe(at(code, '/sign-in'))
    expect((await who.post(at(code, `/members/${lea.participantId}`), NAMES, { from: `${home}/registration/sharing` })).location).toBe(
      at(code, '/sign-in'),
    )
  })
})

describe('pages of a group', () => {
  it('shows a closed group without forms to add members', async () => {
    const { code } = await scenario.group({ name: 'Shut' })
    await scenario.call('update_managed_group', { groupCode: code, status: 'closed' })
    const ada = await adminOf(code)
    const page = await ada.get(at(code))
    expect(page.text).toContain('The group is closed and does not accept new members.')
    for (const path of ['/add', '/invite']) expect((await ada.get(at(code, path))).location).toBe(at(code))
  })

  it('paginates the members of a large group', async () => {
    const { code } = await scenario.group({ name: 'Large', payBy: 'members' })
    await scenario.update(code, { add: Array.from({ length: 60 }, () => ({ data: newAttendee() })) })
    const ada = await adminOf(code)
    const first = await ada.get(at(code))
    const listed = (html: string) => [...html.matchAll(/\/members\/([0-9a-f]{24})"/g)].map(([, id]) => id)
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.html)![1]!
    const second = await ada.get(next)
    expect(listed(first.html)).toHaveLength(50)
    expect(new Set([...listed(first.html), ...listed(second.html)]).size).toBe(60)
    expect((await ada.get(at(code, '?cursor=made-up'))).location).toBe(at(code))
  })

  it('sends at most three group sign-in codes an hour, counted separately from codes for assistants and registrations', async () => {
    const { code } = await scenario.group({ name: 'Codes' })
    const email = 'codes@acme.example'
    const who = visitor(served)
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await who.post(at(code, '/sign-in'), { email })).status)
    expect(statuses).toEqual([303, 303, 303, 429])
    expect((await who.post(`${home}/registration/sign-in`, { email })).status).toBe(303)
    expect(await listCodeEmails(scenario.world, email)).toHaveLength(4)
  })
})
