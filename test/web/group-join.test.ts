import { beforeAll, describe, expect, it } from 'vitest'
import { openEventLedger } from '../support/event-ledger.ts'
import { useGroupScenario, ACME_PRICING } from '../support/group-scenario.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { openFormAs } from '../support/registration-form.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'

const scenario = useGroupScenario(ACME_PRICING, { baseUrl: await chooseFreeBaseUrl() })
let served: Served
let home: string

beforeAll(async () => {
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
})

const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const joinPath = (code: string, token: string) => `${home}/group/${code}/join/${token}`

let made = 0
async function invited(group: Record<string, unknown>, role = 'member', email = `guest-${++made}@acme.example`) {
  const { code } = await scenario.group(group)
  await scenario.call('send_group_invite', { groupCode: code, emails: [{ email, role, name: 'Gil' }] })
  const token = (await scenario.listInvitationTokens(email)).at(-1)!
  return { code, email, token, path: joinPath(code, token), who: visitor(served) }
}

describe('accepting a group invitation', () => {
  it('explains on the page of a group invitation what joining means, and changes nothing when the page is opened', async () => {
    const { code, path } = await invited({ name: 'Looked at' })
    for (let i = 0; i < 3; i++) {
      const page = await visitor(served).get(path)
      expect(page.status).toBe(200)
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(page.headers.get('cache-control')).toBe('no-store')
      for (const expected of ['Join Looked at', 'The group pays for your order', 'can correct your answers'])
        expect(page.text).toContain(expected)
    }
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 0, invitesOpen: 1 })
  })

  it('leads from a group invitation to the group’s registration form, with the group’s price on the group’s order', async () => {
    const { code, email, path, who } = await invited({ name: 'Welcome' })
    const accepted = await who.post(path, { do: 'accept' }, { origin: 'null' })
    expect(accepted).toMatchObject({ status: 303, location: `${home}/register/attendee` })
    expect((await scenario.getGroup(code)).groups[0]).toMatchObject({ memberCount: 1, invitesOpen: 0 })
    const gil = openFormAs(who, scenario.event)
    expect((await gil.open('')).location).toMatch(/\/contact$/)
    expect((await gil.open('contact')).text).toContain(email)
    await gil.fill('contact', { '@participant.firstName': 'Gil', '@participant.lastName': 'Guest' })
    expect((await gil.open('choices')).text).toContain('€400.00')
    await gil.fill('choices', { '@product.pass': '1' })
    expect((await gil.open('summary')).text).toContain('Your group pays this.')
    expect((await gil.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
    const [row] = await rows(`select status, source, tags from participants where email = $1`, [email])
    expect(row).toEqual({ status: 'complete', source: 'group', tags: ['acme'] })
    expect((await scenario.getGroup(code)).order).toMatchObject({ total: { amount: '480.00' }, balance: { amount: '480.00' } })
    expect(await rows(`select from orders o join participants p on p.id = o.participant_id where p.email = $1`, [email])).toEqual([])
    await openEventLedger(scenario.world, scenario.event).assertInvariants()
  })

  it("gives a new group member who is on the form's invite list the tags of that list, and uses up the invitation", async () => {
    const email = `listed-${++made}@acme.example`
    await scenario.call('add_invite_list_participants', { flowSlug: 'attendee', rows: [{ email, tags: ['acme'] }] })
    const { path, who } = await invited({ name: 'Listed', tags: [] }, 'member', email)
    await who.post(path, { do: 'accept' })
    const [row] = await rows(`select id, manual_tags, answers->>'@invite.code' as invite from participants where email = $1`, [email])
    expect(row).toMatchObject({ manual_tags: ['acme'], invite: 'listed' })
    expect(await rows(`select status, participant_id from invite_list_entries where email = $1`, [email])).toEqual([
      { status: 'opened', participant_id: row.id },
    ])
  })

  it('accepts a group invitation once, even for concurrent submissions, and explains to later visitors what to do', async () => {
    const { code, path, who } = await invited({ name: 'Once' })
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await who.get(path)).html)![1]!
    const answers = await Promise.all(Array.from({ length: 5 }, () => who.post(path, { do: 'accept' }, { csrf })))
    expect(answers.filter(({ location }) => location?.endsWith('/register/attendee'))).toHaveLength(1)
    expect((await scenario.getGroup(code)).groups[0].memberCount).toBe(1)
    const again = await visitor(served).get(path)
    expect(again.status).toBe(410)
    expect(again.text).toContain('This invitation is no longer valid')
    expect(again.html).toContain(`href="${home}/registration/sign-in"`)
  })

  it('lets a registered participant join with the existing registration and order', async () => {
    const { participant } = await scenario.register({ pass: 1 })
    const { code, path, who } = await invited({ name: 'Known' }, 'member', participant.email)
    const page = await who.get(path)
    expect(page.text).toContain('You are already registered. Who is joining the group?')
    expect(page.text).toContain(participant.name)
    const stranger = await scenario.register({})
    // A registration with another email address is not accepted: a new registration is started.
    expect((await who.post(path, { do: 'accept', who: participant.id })).location).toBe(`${home}/registration`)
    const after = await scenario.getGroup(code)
    expect(after.members).toMatchObject([{ participantId: participant.id, balance: { amount: '900.00' } }])
    expect((await who.get(`${home}/registration`)).text).toContain(participant.confirmationNumber)
    const other = await invited({ name: 'Taker' })
    await other.who.post(other.path, { do: 'accept', who: stranger.participant.id })
    expect((await scenario.getGroup(other.code)).members).toMatchObject([{ email: other.email, status: 'incomplete' }])
  })

  it('makes an invited member the group’s leader, and explains to a member of another group what to do first', async () => {
    const first = await invited({ name: 'First' })
    await first.who.post(first.path, { do: 'accept' })
    await scenario.call('send_group_invite', { groupCode: first.code, emails: [{ email: first.email, role: 'leader' }] })
    const token = (await scenario.listInvitationTokens(first.email)).at(-1)!
    const again = visitor(served)
    await again.post(joinPath(first.code, token), { do: 'accept' })
    expect((await scenario.getGroup(first.code)).leaders).toMatchObject([{ email: first.email }])
    expect((await again.get(`${home}/group/${first.code}`)).status).toBe(200)
    const second = await invited({ name: 'Second' }, 'member', first.email)
    expect((await second.who.get(second.path)).text).toContain('is already in another group')
  })

  it('makes an invited admin an administrator of the group, who can open its pages immediately without attending', async () => {
    const { code, email, path, who } = await invited({ name: 'Bosses', admins: [{ email: 'x@acme.example', name: 'X' }] }, 'admin')
    expect((await who.get(path)).text).toContain('You do not have to attend yourself.')
    expect((await who.post(path, { do: 'accept' })).location).toBe(`${home}/group/${code}`)
    expect((await who.get(`${home}/group/${code}`)).status).toBe(200)
    expect((await scenario.getGroup(code)).admins).toMatchObject([
      { email, lastSignInAt: '2026-04-10T10:00:00.000Z' },
      { email: 'x@acme.example' },
    ])
    expect(await rows(`select from participants where email = $1`, [email])).toEqual([])
  })

  it('declines a group invitation once', async () => {
    const { code, path, who } = await invited({ name: 'Declined' })
    expect((await who.post(path, { do: 'decline' })).text).toContain('You declined the invitation')
    expect((await scenario.getGroup(code)).invites).toMatchObject([{ status: 'declined' }])
    expect((await who.get(path)).status).toBe(410)
  })

  it('reports a full, closed or not yet open group before the registration form, and keeps the invitation valid', async () => {
    const full = await invited({ name: 'Full', maxMembers: 1 })
    const seated = await invited({ name: 'Seat' })
    await scenario.call('send_group_invite', { groupCode: full.code, emails: [{ email: seated.email, role: 'member' }] })
    await visitor(served).post(joinPath(full.code, (await scenario.listInvitationTokens(seated.email)).at(-1)!), { do: 'accept' })
    const page = await full.who.get(full.path)
    expect(page.text).toContain('All seats of the group are taken')
    expect(page.html).not.toContain('value="accept"')
    expect((await full.who.post(full.path, { do: 'accept' }, { from: `${home}/registration/sign-in` })).location).toBe(full.path)
    expect((await scenario.getGroup(full.code)).groups[0]).toMatchObject({ memberCount: 1, invitesOpen: 1 })
    const closed = await invited({ name: 'Closed' })
    await scenario.call('update_managed_group', { groupCode: closed.code, status: 'closed' })
    expect((await closed.who.get(closed.path)).text).toContain('The group does not accept new members at the moment')
    await scenario.call('update_managed_group', { groupCode: closed.code, status: 'open' })
    expect((await closed.who.post(closed.path, { do: 'accept' })).location).toMatch(/\/register\/attendee$/)
  })

  it('rejects an invitation of another group or event, or one older than 30 days', async () => {
    const one = await invited({ name: 'Mine' })
    const other = await invited({ name: 'Yours' })
    expect((await one.who.get(joinPath(other.code, one.token))).status).toBe(410)
    expect((await one.who.get(joinPath(one.code, 'lgi_made-up'))).status).toBe(410)
    const elsewhere = await scenario.world.event({ at: scenario.event, code: 'elsewhere' })
    await rows(`update events set test_mode = true where id = $1`, [elsewhere.eventId])
    expect((await one.who.get(one.path.replace(home, eventHomePath(elsewhere)))).status).toBe(410)
    await scenario.world.clock.stopAt('2026-05-10T10:00:00Z')
    try {
      const late = await one.who.get(one.path)
      expect(late.status).toBe(410)
      expect(late.text).toContain('Ask the person who invited you to send a new one.')
    } finally {
      await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
    }
  })

  it('rejects a group invitation form without a valid CSRF token', async () => {
    const { code, path, who } = await invited({ name: 'Forged' })
    await who.get(path)
    for (const options of [{ csrf: null }, { csrf: 'made-up' }, { origin: 'https://evil.example' }])
      expect((await who.post(path, { do: 'accept' }, options)).location).toBe(path)
    expect((await scenario.getGroup(code)).groups[0].memberCount).toBe(0)
  })
})

describe('badge page', () => {
  it('shows the event of a badge on the badge page but not the participant', async () => {
    const { participant } = await scenario.register({})
    const [{ badge_id }] = await rows(`select badge_id from participants where id = $1`, [participant.id])
    const page = await visitor(served).get(`/b/${badge_id}`)
    expect(page.status).toBe(200)
    expect(page.text).toMatch(/This badge belongs to /)
    expect(page.html).toContain(`href="${home}"`)
    for (const personal of [participant.lastName, participant.email, participant.confirmationNumber, participant.id])
      expect(page.html).not.toContain(personal)
    expect((await visitor(served).get(`/b/${badge_id.toUpperCase()}`)).status).toBe(200)
    await scenario.call('edit_participant', { participantId: participant.id, status: 'cancelled' })
    for (const none of [badge_id, 'f'.repeat(16), 'x'.repeat(500), '%00'])
      expect([none, (await visitor(served).get(`/b/${none}`)).status]).toEqual([none, 404])
  })
})
