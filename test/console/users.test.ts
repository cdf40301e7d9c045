import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setUserRoleAtClient } from '../../src/domains/access/users.ts'
import { PERMISSIONS, ROLES } from '../../src/kernel/permissions.ts'
import { assignPassword } from '../support/browser.ts'
import { buildLegacyMessage, postMessage as ask } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { readFieldValue, type Visitor, visitor, signedInVisitor } from '../support/visitor.ts'
import { newWorld, type EventHandle, type OrganizerHandle, type ClientHandle, type World } from '../support/world.ts'

const USERS = '/console/clients/acme/users'

let world: World
let served: Served
let acme: ClientHandle
let summit: EventHandle
let olga: OrganizerHandle
let admin: Visitor

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const roleOf = async (email: string, place = acme) =>
  (
    await rows('select role from memberships m join users u on u.id = m.user_id where u.email_norm = lower($1) and m.client_id = $2', [
      email,
      place.clientId,
    ])
  )[0]?.role
const listEmails = async (email: string) => (await rows('select * from messages where to_address = $1 order by id', [email])) as any[]

const signedIn = (person: OrganizerHandle) => signedInVisitor(world, served, person)

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme', name: 'Acme Events' })
  summit = await world.event({ code: 'summit', name: 'Acme Summit', at: acme })
  olga = await world.organizer({ at: acme, email: 'olga@example.org' })
  served = await serve(world)
  admin = await signedIn(olga)
})
afterAll(() => world.end())

describe('user invitations', () => {
  const invite = (fields: Record<string, string>) => admin.post(USERS, { role: 'manager', where: '', ...fields })

  it('lets an invited user set a password through the emailed link and enter the console', async () => {
    const answer = await invite({ email: 'Nina@new.example', name: 'Nina\u202e \r\n New\u200b', role: 'registrar' })
    expect([answer.status, answer.location]).toEqual([303, `${USERS}?done=invited`])
    const [mail] = await listEmails('Nina@new.example')
    expect(mail).toMatchObject({
      status: 'queued',
      email_code: 'organizer-invite',
      subject: 'Olga Organizer invites you to Acme Events on Lanyard',
    })
    expect(mail.text_body).toContain('72 hours')
    expect((await admin.get(USERS)).text).toMatch(/Nina New Nina@new.example registrar Invited/)
    const link = new URL(/https?:\S+/.exec(mail.text_body)![0])
    const nina = visitor(served)
    const token = link.searchParams.get('token')!
    const done = await nina.post(
      '/console/password',
      { token, password: 'five small words in line' },
      { from: link.pathname + link.search },
    )
    expect([done.status, done.location]).toEqual([303, '/console'])
    expect((await nina.get('/console')).text).toContain('Acme Summit')
    expect((await visitor(served).get(link.pathname + link.search)).status).toBe(410)
    expect((await admin.get(USERS)).text).toMatch(/Nina New Nina@new.example registrar Active/)
    const [{ id: ninaId }] = await rows(`select id from users where email_norm = 'nina@new.example'`)
    expect(await rows('select tool, actor_name, app_name, targets from audit_entries where actor_id = $1', [ninaId])).toEqual([
      {
        tool: 'choose_password',
        actor_name: 'Nina New',
        app_name: 'console',
        targets: [{ kind: 'user', id: ninaId, fields: { password: { after: '[secret]' } } }],
      },
    ])
    const [audit] = await rows(`select * from audit_entries where tool = 'invite_member' order by id desc limit 1`)
    expect(audit).toMatchObject({ app_name: 'console', actor_id: olga.userId, client_id: acme.clientId })
    expect(JSON.stringify(audit.targets)).not.toContain(token)
    expect(served.logged.join('\n')).not.toContain(token)
  })

  it('expires an invitation after 72 hours, and lets an administrator resend it', async () => {
    await invite({ email: 'late@new.example', name: 'Lars Late' })
    const linkOf = async () => {
      const url = new URL(/https?:\S+/.exec((await listEmails('late@new.example')).at(-1).text_body)![0])
      return url.pathname + url.search
    }
    const first = await linkOf()
    expect((await visitor(served).get(first)).status).toBe(200)
    await world.clock.advance('73 hours')
    expect((await visitor(served).get(first)).status).toBe(410)
    await world.clock.reset()
    const [{ id }] = await rows(`select id from users where email_norm = 'late@new.example'`)
    expect((await admin.post(`${USERS}/${id}/invite`, {}, { from: `${USERS}/${id}` })).status).toBe(303)
    expect((await visitor(served).get(first)).status).toBe(410)
    expect((await visitor(served).get(await linkOf())).status).toBe(200)
  })

  it('adds an invited user of the tenant immediately and notifies them', async () => {
    const beta = await world.client({ code: 'beta' })
    const ben = await world.organizer({ at: beta, email: 'ben@example.org' })
    await assignPassword(world, ben)
    expect((await invite({ email: 'BEN@example.org', name: 'x' })).status).toBe(303)
    expect([await roleOf('ben@example.org'), await roleOf('ben@example.org', beta)]).toEqual(['manager', 'admin'])
    const [mail] = await listEmails('ben@example.org')
    expect(mail).toMatchObject({ email_code: 'organizer-added' })
    expect(mail.text_body).not.toContain('token=')
  })

  it('rejects invalid invitations with plain messages, keeps the input and reveals nothing of other tenants', async () => {
    const elsewhere = await world.client({ tenant: 'elsewhere', code: 'acme' })
    await assignPassword(world, await world.organizer({ at: elsewhere, email: 'spy@elsewhere.example' }))
    const empty = await invite({ email: 'not an address', name: '' })
    expect(empty.status).toBe(400)
    expect(empty.text).toContain('Email: not an email address')
    expect(empty.text).toContain('Name: must not be empty')
    expect(empty.html).toContain('value="not an address"')
    const twice = await invite({ email: 'olga@example.org', name: 'Olga' })
    expect(twice.text).toContain('Email: is a member of Acme Events already, as admin')
    const foreign = await invite({ email: 'spy@elsewhere.example', name: 'Spy' })
    expect(foreign.text).toContain('Email: this address cannot be invited here')
    expect(await listEmails('spy@elsewhere.example')).toEqual([])
  })

  it('invites staff of one event, and lists and removes them on the page of that event', async () => {
    expect((await invite({ email: 'eve@new.example', name: 'Eve Event', role: 'onsite', where: summit.eventId })).status).toBe(303)
    expect(await roleOf('eve@new.example')).toBeUndefined()
    const page = await admin.get(USERS)
    expect(page.text).toMatch(/Eve Event eve@new.example Acme Summit onsite/)
    const [{ id }] = await rows(`select id from users where email_norm = 'eve@new.example'`)
    const removed = await admin.post(`${USERS}/staff/remove`, { userId: id, eventId: summit.eventId, sure: 'yes' }, { from: USERS })
    expect(removed.status).toBe(303)
    expect((await admin.get(USERS)).text).not.toContain('Eve Event')
    const audits = await rows(`select tool, client_id, event_id from audit_entries where targets @> $1 order by id`, [
      JSON.stringify([{ kind: 'eventStaff', id }]),
    ])
    const place = { client_id: acme.clientId, event_id: summit.eventId }
    expect(audits).toEqual([
      { tool: 'invite_member', ...place },
      { tool: 'remove_staff', ...place },
    ])
    const ofSummit = await admin.get('/console/audit?event=summit')
    expect(ofSummit.text).toContain('removed the role of Eve Event at Acme Summit in the console')
  })

  it('refuses to invite an administrator of a single event', async () => {
    const answer = await invite({ email: 'ann@new.example', name: 'Ann Admin', role: 'admin', where: summit.eventId })
    expect([answer.status, answer.text.includes('Role: admin is a role for the whole client')]).toEqual([400, true])
    expect(await rows(`select 1 from users where email_norm = 'ann@new.example'`)).toEqual([])
  })
})

describe('client members', () => {
  it("changes the role of a member, and disconnects the member's apps if the role removes permissions", async () => {
    const mia = await world.organizer({ at: acme, role: 'analyst', name: 'Mia Member' })
    const page = `${USERS}/${mia.userId}`
    const works = async () => (await ask(served, mia.token, buildLegacyMessage('tools/list'))).status
    expect(await works()).toBe(200)
    expect((await admin.post(`${page}/role`, { role: 'manager' }, { from: page })).status).toBe(303)
    expect(await works()).toBe(200)
    expect((await admin.post(`${page}/role`, { role: 'finance' }, { from: page })).status).toBe(303)
    expect(await roleOf(mia.email)).toBe('finance')
    expect(await works()).toBe(401)
    expect((await admin.post(`${page}/role`, { role: 'emperor' }, { from: page })).text).toContain('Choose a role.')
    expect(await roleOf(mia.email)).toBe('finance')
  })

  it('ends the access of an app that an administrator disconnects, and stores the reason', async () => {
    const dan = await world.organizer({ at: acme, role: 'manager', app: 'Desk assistant' })
    const page = `${USERS}/${dan.userId}`
    expect((await admin.get(page)).text).toContain('Desk assistant')
    expect((await ask(served, dan.token, buildLegacyMessage('tools/list'))).status).toBe(200)
    expect((await admin.post(`${page}/disconnect`, { app: 'app-desk-assistant', sure: 'yes' }, { from: page })).status).toBe(303)
    expect((await ask(served, dan.token, buildLegacyMessage('tools/list'))).status).toBe(401)
    const [grant] = await rows('select revoked_because from oauth_grants where id = $1', [dan.grantId])
    expect(grant.revoked_because).toBe('disconnected by an administrator of acme')
    expect((await admin.get(page)).text).toContain('has no connected apps')
  })

  it('removes a member only after the email address is typed, and does not find members of other clients', async () => {
    const rob = await world.organizer({ at: acme, role: 'manager' })
    const page = `${USERS}/${rob.userId}`
    const wrong = await admin.post(`${page}/remove`, { email: 'x' }, { from: page })
    expect([wrong.status, wrong.text.includes('Enter their email exactly')]).toEqual([400, true])
    const right = await admin.post(`${page}/remove`, { email: rob.email }, { from: page })
    expect([right.status, right.location]).toEqual([303, `${USERS}?done=removed`])
    expect(await roleOf(rob.email)).toBeUndefined()
    const stranger = await world.organizer({ at: await world.client({ code: 'gamma' }) })
    expect((await admin.get(`${USERS}/${stranger.userId}`)).status).toBe(404)
    const answer = await admin.post(`${USERS}/${stranger.userId}/disconnect`, { app: 'app-test-app', sure: 'yes' }, { from: USERS })
    expect(answer.status).toBe(404)
  })

  it('shows the members of the client to an analyst, but without forms', async () => {
    const analyst = await signedIn(await world.organizer({ at: acme, role: 'analyst' }))
    const page = await analyst.get(USERS)
    expect([page.status, page.text.includes('Invite a user')]).toEqual([200, false])
    const refused = await analyst.post(`${USERS}/${olga.userId}/role`, { role: 'analyst' }, { from: USERS })
    expect([refused.status, refused.text.includes('clients.admin permission')]).toEqual([403, true])
    expect(await roleOf(olga.email)).toBe('admin')
  })

  it('shows a table with the permissions of every role', async () => {
    const { html } = await admin.get(USERS)
    const table = html.slice(html.indexOf('class="table matrix"'))
    for (const name of [...ROLES, ...PERMISSIONS]) expect(table).toContain(`>${name}<`)
    expect(table.match(/<td/g)).toHaveLength(ROLES.length * PERMISSIONS.length)
  })
})

describe('last administrator of a tenant or client', () => {
  const place = async (code: string) => {
    const client = await world.client({ code })
    const [a, b] = [await world.organizer({ at: client }), await world.organizer({ at: client })]
    return { client, a, b, base: `/console/clients/${code}/users` }
  }

  it('refuses to demote or remove the last administrator, not counting administrators who never signed in', async () => {
    const { client, a, b, base } = await place('solo')
    const who = await signedIn(a)
    const own = `${base}/${a.userId}`
    for (const [what, fields] of [
      ['role', { role: 'manager' }],
      ['remove', { email: a.email }],
    ] as const) {
      const answer = await who.post(`${own}/${what}`, fields, { from: own })
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('needs an administrator who can sign in')
    }
    await assignPassword(world, b)
    expect((await who.post(`${own}/role`, { role: 'manager' }, { from: own })).status).toBe(303)
    expect([await roleOf(a.email, client), await roleOf(b.email, client)]).toEqual(['manager', 'admin'])
  })

  it('requires administrators to confirm giving up their own last role, with a token for that change only', async () => {
    const { client, a, b, base } = await place('leaving')
    await assignPassword(world, b)
    const who = await signedIn(a)
    const own = `${base}/${a.userId}`
    const remove = (more: object = {}) => who.post(`${own}/remove`, { email: a.email, ...more }, { from: own })
    const asked = await remove()
    expect([asked.status, asked.text.includes('removes your own last role')]).toEqual([400, true])
    expect(await roleOf(a.email, client)).toBe('admin')
    expect((await remove({ confirmToken: 'made up' })).text).toContain('has expired or was already used')
    await world.clock.advance('11 minutes')
    expect((await remove({ confirmToken: readFieldValue(asked.html, 'confirmToken')! })).status).toBe(400)
    await world.clock.reset()
    expect(await roleOf(a.email, client)).toBe('admin')
    const token = readFieldValue((await remove()).html, 'confirmToken')!
    expect((await remove({ confirmToken: token })).location).toBe('/console?done=removed')
    expect(await roleOf(a.email, client)).toBeUndefined()
  })

  it('requires no confirmation for giving up a role if the user has another role elsewhere', async () => {
    const { client, a, b, base } = await place('changing')
    await assignPassword(world, b)
    await setUserRoleAtClient(world.database.write, { ...(await world.client({ code: 'staying' })), userId: a.userId, role: 'analyst' })
    const own = `${base}/${a.userId}`
    const who = await signedIn(a)
    expect((await who.post(`${own}/remove`, { email: a.email }, { from: own })).location).toBe('/console?done=removed')
    expect(await roleOf(a.email, client)).toBeUndefined()
  })

  it('keeps one administrator when two administrators remove each other concurrently', async () => {
    const { a, b } = await place('home')
    const [one, two] = [await signedIn(a), await signedIn(b)]
    const csrf = async (who: Visitor) => readFieldValue((await who.get('/console')).html, '_csrf')!
    const proofs = [await csrf(one), await csrf(two)]
    for (let round = 0; round < 20; round++) {
      const client = await world.client({ code: `duel-${round}` })
      for (const { userId } of [a, b]) await setUserRoleAtClient(world.database.write, { ...client, userId, role: 'admin' })
      const base = `/console/clients/duel-${round}/users`
      const answers = await Promise.all([
        one.post(`${base}/${b.userId}/remove`, { email: b.email }, { csrf: proofs[0]! }),
        two.post(`${base}/${a.userId}/remove`, { email: a.email }, { csrf: proofs[1]! }),
      ])
      expect(await rows('select user_id from memberships where client_id = $1', [client.clientId])).toHaveLength(1)
      expect(answers.filter((answer) => answer.status === 303)).toHaveLength(1)
    }
  })
})
