import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WRONG_GROUP_CODE_EVENT_LIMIT, WRONG_GROUP_CODE_NETWORK_LIMIT } from '../../src/domains/checkout/group-code-limit.ts'
import { useGroupScenario, ACME_PRICING } from '../support/group-scenario.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { openFormAs } from '../support/registration-form.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readLatestCode } from '../support/sign-in-codes.ts'
import { visitor } from '../support/visitor.ts'

const [attendee] = ACME_PRICING.flows
const [contact, ...others] = attendee!.pages
const flow = (slug: string, group: object) => ({
  ...attendee!,
  slug,
  name: slug,
  pages: [{ ...contact!, widgets: [...contact!.widgets, { id: 'group', type: 'group', ...group }] }, ...others],
})

const scenario = useGroupScenario(
  { ...ACME_PRICING, flows: [attendee!, flow('join', {}), flow('create', { mode: 'create' }), flow('both', { mode: 'both' })] },
  { baseUrl: await chooseFreeBaseUrl() },
)
let served: Served
beforeAll(async () => {
  served = await serve(scenario.world)
})

let made = 0
const at = async (slug: string) => {
  const who = openFormAs(visitor(served), scenario.event, slug)
  const email = `widget-${++made}@example.org`
  await who.begin(email)
  const names = { '@participant.firstName': 'Wim', '@participant.lastName': `Widget ${made}` }
  return { ...who, email, names }
}
const rowOf = async (email: string) =>
  (
    await scenario.world.database.pool.query<any>(
      `select p.*, g.code, g.self_registered from participants p left join managed_groups g on g.id = p.group_id where p.email = $1`,
      [email],
    )
  ).rows[0]

const query = async (text: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(text, values)).rows
/** Creates a group, and returns it with its join code. */
const groupToJoin = async (more: Record<string, unknown>) => {
  const { code } = await scenario.group(more)
  return { code, joinCode: (await scenario.getGroup(code)).joinCode as string }
}
const noticesAbout = (email: string) =>
  query(
    `select to_address, subject, text_body, category, status from messages where email_code = 'group-member-joined' and text_body like $1 order by to_address`,
    [`%${email}%`],
  )

async function adminOf(code: string, email: string) {
  const who = visitor(served)
  const signIn = `${eventHomePath(scenario.event)}/group/${code}/sign-in`
  await who.post(signIn, { email }, { from: `${signIn}?email=` })
  await who.post(`${signIn}/code`, { email, code: await readLatestCode(scenario.world, email) }, { from: `${signIn}/code?email=${email}` })
  return who
}

beforeEach(() => query('delete from rate_windows'))

describe('group question of a registration form', () => {
  it('adds the participant to the group by its join code, at the group’s price and on the group’s order, and informs its admins', async () => {
    const admins = [
      { email: 'ada@acme.example', name: 'Ada' },
      { email: 'bob@acme.example', name: 'Bob' },
    ]
    const { code, joinCode } = await groupToJoin({ name: 'Acme by code', admins })
    expect(joinCode).toMatch(/^[B-DF-HJ-NP-TV-W]{4}(-[B-DF-HJ-NP-TV-W]{4}){2}$/)
    const wim = await at('join')
    expect((await wim.fill('contact', wim.names)).text).toContain('Enter your group code')
    const unknown = await wim.fill('contact', { ...wim.names, '@group.code': 'nowhere' })
    expect(unknown.status).toBe(400)
    expect(unknown.text).toContain('There is no group with this code')
    // People type the join code without hyphens and in lower case.
    const typed = joinCode.replaceAll('-', ' ').toLowerCase()
    expect((await wim.fill('contact', { ...wim.names, '@group.code': typed })).location).toMatch(/\/choices$/)
    expect((await wim.open('choices')).text).toContain('€400.00')
    await wim.fill('choices', { '@product.pass': '1' })
    expect((await wim.open('summary')).text).toContain('Your group pays this.')
    expect((await wim.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await rowOf(wim.email)).toMatchObject({ status: 'complete', code, tags: ['acme'], group_leader: false })
    expect((await scenario.getGroup(code)).order).toMatchObject({ total: { amount: '480.00' } })
    const notices = await noticesAbout(wim.email)
    expect(notices.map(({ to_address }) => to_address)).toEqual(['ada@acme.example', 'bob@acme.example'])
    expect(notices[0]).toMatchObject({ subject: expect.stringMatching(/^Wim Widget \d+ joined Acme by code$/), category: 'transactional' })
    for (const part of ['€480.00', joinCode, `/group/${code}`]) expect(notices[0].text_body).toContain(part)
    // The join code is in no answer, audit entry or webhook message, which more people read than the group's admins.
    const shown = await query(
      `select (select answers::text from participants where email = $1) as answers,
      (select string_agg(to_jsonb(a)::text, '') from audit_entries a) as audit`,
      [wim.email],
    )
    expect(shown[0].answers).toContain(code)
    for (const text of Object.values(shown[0])) expect(text).not.toContain(joinCode)
  })

  it('rejects the public code of a group that pays, and accepts that of a group whose members pay', async () => {
    const paying = await scenario.group({ name: 'Guessable Ltd' })
    const wim = await at('join')
    for (const guess of ['guessable-ltd', 'GUESSABLE-LTD', paying.id]) {
      const refused = await wim.fill('contact', { ...wim.names, '@group.code': guess })
      expect(refused.status).toBe(400)
      expect(refused.text).toContain('There is no group with this code')
    }
    // A refused code is not stored, so that sending the page again does not pass.
    expect((await wim.fill('contact', wim.names)).text).toContain('Enter your group code')
    const free = await scenario.group({ name: 'Each pays', payBy: 'members' })
    expect((await wim.fill('contact', { ...wim.names, '@group.code': free.code })).location).toMatch(/\/choices$/)
    await wim.fill('choices', { '@product.pass': '1' })
    // The organizer lets the group pay. The public code does not spend its money.
    await scenario.call('update_managed_group', { groupCode: free.code, payBy: 'group' })
    const late = await wim.fill('summary', {}, { press: 'finish' })
    expect(late.status).toBe(400)
    expect(late.text).toContain('There is no group with this code')
    expect(await rowOf(wim.email)).toMatchObject({ status: 'incomplete', code: null })
    expect(await scenario.getGroup(free.code)).not.toHaveProperty('order')
    expect(await noticesAbout(wim.email)).toEqual([])
    // Control: the same code of the same group is a way in if it is the secret.
    await query(`update managed_groups set join_code = 'GUES-SABL-ELTD' where id = $1`, [paying.id])
    expect((await wim.fill('contact', { ...wim.names, '@group.code': 'guessable-ltd' })).location).toMatch(/\/choices$/)
  })

  it('rejects a join code that was replaced meanwhile, and notifies the organizer of a new member if the group has no admin', async () => {
    const { code, joinCode } = await groupToJoin({ name: 'Leaked', admins: [] })
    const [stranger, friend] = [await at('join'), await at('join')]
    await stranger.fill('contact', { ...stranger.names, '@group.code': joinCode })
    await stranger.fill('choices', { '@product.pass': '1' })
    const replaced = await scenario.call('update_managed_group', { groupCode: code, replaceJoinCode: joinCode })
    expect(replaced.changed).toEqual(['joinCode'])
    expect(replaced.joinCode).not.toBe(joinCode)
    // Repeating the call, as clients do after a lost response, does not replace the new code.
    expect(await scenario.call('update_managed_group', { groupCode: code, replaceJoinCode: joinCode })).toMatchObject({
      changed: [],
      joinCode: replaced.joinCode,
    })
    expect((await stranger.fill('summary', {}, { press: 'finish' })).text).toContain('There is no group with this code')
    expect((await rowOf(stranger.email)).code).toBeNull()
    expect((await friend.fill('contact', { ...friend.names, '@group.code': joinCode })).status).toBe(400)
    await friend.fill('contact', { ...friend.names, '@group.code': replaced.joinCode })
    await friend.fill('choices', { '@product.pass': '1' })
    expect((await friend.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect((await rowOf(friend.email)).code).toBe(code)
    expect(await noticesAbout(friend.email)).toMatchObject([{ to_address: 'olga@example.org' }])
  })

  it('limits wrong join codes per network and event, but not right ones, and accepts a right code again after a short time', async () => {
    const { joinCode } = await groupToJoin({ name: 'Guarded' })
    const enter = async (typed: string, who?: Awaited<ReturnType<typeof at>>) => {
      const one = who ?? (await at('join'))
      return one.fill('contact', { ...one.names, '@group.code': typed })
    }
    const wim = await at('join')
    const guess = (n: number) => enter(`guess-${n}`, wim)
    const { clock } = scenario.world
    await clock.stopAt('2026-04-10T11:00:00Z')
    // Right codes do not count: more people than the limit join from one network.
    const { burst } = WRONG_GROUP_CODE_NETWORK_LIMIT
    await query(
      `insert into rate_windows (key, window_start, count) values ($1, lanyard_now() + interval '${(burst - 2) * 15} seconds', 1)`,
      [`group-code:${scenario.event.eventId}:127.0.0.1`],
    )
    for (let n = 0; n < 4; n++) expect((await enter(joinCode)).location).toMatch(/\/choices$/)
    expect([(await guess(1)).status, (await guess(2)).status]).toEqual([400, 400])
    const limited = await guess(3)
    expect(limited.status).toBe(429)
    expect(limited.text).toContain('Too many wrong group codes were entered. Wait a minute, then try again')
    // A right code is also refused while the network is limited, because its response would reveal that the guess was right.
    expect((await enter(joinCode)).status).toBe(429)
    // Attempts while the network is limited do not extend the limit.
    for (let n = 4; n < 8; n++) await guess(n)
    await clock.stopAt('2026-04-10T11:00:16Z')
    expect((await enter(joinCode, wim)).location).toMatch(/\/choices$/)
    // Concurrent guesses are counted before they are checked.
    await query(
      `update rate_windows set window_start = lanyard_now() + interval '${(burst - 1) * 15} seconds' where key like 'group-code:%:127.0.0.1'`,
    )
    const others = [await at('join'), await at('join'), await at('join'), await at('join')]
    const guessAtOnce = async () =>
      (await Promise.all(others.map((one) => enter('at-once', one)))).map(({ status }) => status).toSorted((a, b) => a - b)
    expect(await guessAtOnce()).toEqual([400, 429, 429, 429])
    // Control: all of them are checked, and the right one is found, if wrong codes are not counted.
    await query(`delete from rate_windows`)
    expect(await guessAtOnce()).toEqual([400, 400, 400, 400])
    expect((await enter(joinCode)).location).toMatch(/\/choices$/)
    // Guesses from many networks are limited together.
    await query(
      `update rate_windows set window_start = lanyard_now() + interval '${WRONG_GROUP_CODE_EVENT_LIMIT.burst} seconds' where key = $1`,
      [`group-code:${scenario.event.eventId}`],
    )
    await query(`delete from rate_windows where key like $1`, [`group-code:${scenario.event.eventId}:%`])
    expect((await enter('anything')).status).toBe(429)
    await clock.stopAt('2026-04-10T10:00:00Z')
  })

  it('reports a closed or full group when its join code is entered, and a group that filled up afterwards at the end', async () => {
    const shut = await groupToJoin({ name: 'Shut by code' })
    await scenario.call('update_managed_group', { groupCode: shut.code, status: 'closed' })
    const small = await groupToJoin({ name: 'One seat', maxMembers: 1 })
    const [wim, ann] = [await at('join'), await at('join')]
    expect((await wim.fill('contact', { ...wim.names, '@group.code': shut.joinCode })).text).toContain(
      'This group does not accept new members',
    )
    for (const one of [wim, ann]) {
      await one.fill('contact', { ...one.names, '@group.code': small.joinCode })
      await one.fill('choices', { '@product.pass': '1' })
    }
    expect((await wim.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    const late = await ann.fill('summary', {}, { press: 'finish' })
    expect(late.status).toBe(400)
    expect(late.text).toContain('This group is full')
    expect((await rowOf(ann.email)).status).toBe('incomplete')
    const third = await at('join')
    expect((await third.fill('contact', { ...third.names, '@group.code': small.joinCode })).text).toContain('This group is full')
  })

  it("shows the join code to those who may spend the group’s money, and lets the group's admins replace the code", async () => {
    const email = 'ada@acme.example'
    const { code, joinCode } = await groupToJoin({ name: 'Shown' })
    const home = `${eventHomePath(scenario.event)}/group/${code}`
    // An analyst reads groups, but cannot add people to one.
    const ana = await scenario.world.organizer({ at: scenario.event, role: 'analyst' })
    const read = await ana.call('list_managed_groups', { eventCode: scenario.event.eventCode, groupCode: code })
    expect(read.groups[0].code).toBe(code)
    expect(JSON.stringify(read)).not.toContain(joinCode)
    // Invitations contain the code for admins only.
    const emails = [
      { email: 'new-admin@acme.example', role: 'admin' },
      { email: 'new-member@acme.example', role: 'member' },
    ]
    await scenario.callConfirmed('send_group_invite', { groupCode: code, emails })
    const invitations = await query(
      `select to_address, text_body like $1 as contained from messages where to_address like 'new-%' order by 1`,
      [`%${joinCode}%`],
    )
    expect(invitations.map(({ contained }) => contained)).toEqual([true, false])

    const ada = await adminOf(code, email)
    expect((await ada.get(home)).text).toContain(joinCode)
    const replaced = await ada.post(`${home}/join-code`, { replaced: joinCode }, { from: home })
    expect(replaced.location).toBe(`${home}?done=code`)
    const page = await ada.get(replaced.location!)
    expect(page.text).toContain('The previous code no longer works.')
    const renewed = (await scenario.getGroup(code)).joinCode
    expect(renewed).not.toBe(joinCode)
    expect(page.text).toContain(renewed)
    // A leader of a group that pays may not spend its money: the page shows no code and replaces none.
    const lead = await at('join')
    await lead.fill('contact', { ...lead.names, '@group.code': renewed })
    await lead.fill('choices', { '@product.pass': '1' })
    await lead.fill('summary', {}, { press: 'finish' })
    await scenario.call('update_managed_group_leaders', { groupCode: code, add: [(await rowOf(lead.email)).id] })
    const shown = await lead.who.get(home)
    expect(shown.status).toBe(200)
    expect(shown.text).not.toContain(renewed)
    await lead.who.post(`${home}/join-code`, { replaced: renewed }, { from: home })
    expect((await scenario.getGroup(code)).joinCode).toBe(renewed)
  })

  it('creates a new group with the participant as its leader', async () => {
    const wim = await at('create')
    expect((await wim.fill('contact', wim.names)).text).toContain('Enter your new group name')
    await wim.fill('contact', { ...wim.names, '@group.name': 'Friends of Wim' })
    await wim.fill('choices', { '@product.pass': '1' })
    expect((await wim.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    expect(await rowOf(wim.email)).toMatchObject({ code: 'friends-of-wim', self_registered: true, group_leader: true })
    const home = eventHomePath(scenario.event)
    expect((await wim.who.get(`${home}/registration`)).html).toContain(`href="${home}/group/friends-of-wim"`)
    const group = await wim.who.get(`${home}/group/friends-of-wim`)
    expect(group.text).toContain('Each member pays individually.')
    expect((await wim.who.post(`${home}/group/friends-of-wim/invite`, { emails: 'friend@example.org' })).location).toContain('sent=1')
  })

  it('requires either a join code or the name of a new group, not both', async () => {
    const { code } = await scenario.group({ name: 'Either' })
    const wim = await at('both')
    expect((await wim.fill('contact', wim.names)).text).toContain('Enter the code of your group, or a name for a new group')
    const both = await wim.fill('contact', { ...wim.names, '@group.code': code, '@group.name': 'Mine' })
    expect(both.status).toBe(400)
    expect(both.text).toContain('not both')
    expect((await wim.fill('contact', { ...wim.names, '@group.code': '', '@group.name': 'Mine' })).location).toMatch(/\/choices$/)
  })
})
