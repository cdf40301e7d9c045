import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setPassword, setPasswordThroughLink } from '../../../domains/sign-in/passwords.ts'
import { requestPasswordReset, signIn } from '../../../domains/sign-in/sign-in.ts'
import { assignPassword } from '../../../../test/support/browser.ts'
import { resetRateLimits } from '../../../../test/support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../../../../test/support/server.ts'
import { signedInVisitor, type Visitor } from '../../../../test/support/visitor.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

const PASSWORD = 'seven quiet herons at dusk'
const passwords = { hash: async () => 'x', verify: async () => true }

let world: World
let served: Served
let acme: ClientHandle
let olga: OrganizerHandle
let fair: EventHandle
let fiona: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  await world.event({ code: 'summit', at: acme })
  olga = await world.organizer({ at: acme, email: 'olga@acme.example' })
  fair = await world.event({ code: 'fair', at: await world.client({ tenant: 'other', code: 'fairs' }) })
  fiona = await world.organizer({ at: fair, email: 'fiona@fairs.example' })
  served = await serve(world)
})
beforeEach(() => resetRateLimits(world))
afterAll(() => world.end())

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const loginsOf = async (email: string): Promise<number[]> =>
  (await rows('select tenant_id as at from users where email_norm = $1 order by tenant_id', [email])).map(({ at }) => at)
const assign = (who: OrganizerHandle, args: object) =>
  who.call('assign_event_staff', { eventCode: who === olga ? 'summit' : 'fair', role: 'onsite', ...args })
const refused = (args: object) => olga.refused('assign_event_staff', { eventCode: 'summit', role: 'onsite', ...args })
const remove = (email: string, eventCode = 'summit') =>
  (eventCode === 'fair' ? fiona : olga).call('remove_event_staff', { eventCode, email })
/** The last link that the tenant emailed to the address. */
const linkOf = async (email: string, { tenantId }: ClientHandle) => {
  const mails = await rows('select text_body from messages where to_address = $1 and tenant_id = $2 order by id', [email, tenantId])
  return new URL(/https?:\S+/.exec(mails.at(-1)!.text_body)![0]).searchParams.get('token')!
}
const useLink = (token: string) => world.database.transact((db) => setPasswordThroughLink(db, token, PASSWORD, passwords))
const opens = async (token: string) => (await fetch(served.url(`/console/password?token=${token}`))).status

describe('email address that has a login at another tenant', () => {
  const known = 'kim@fairs.example'
  const unknown = 'kit@fairs.example'
  beforeAll(async () => assignPassword(world, await world.organizer({ at: fair, email: known })))

  /** The responses to two calls that differ only in the address, with the address removed. */
  const both = (ask: (email: string) => Promise<unknown>) =>
    Promise.all([known, unknown].map(async (email) => JSON.parse(JSON.stringify(await ask(email)).replaceAll(email, 'somebody'))))

  it('gives the same response for an unknown address and one with a login at another tenant if it sends no email', async () => {
    for (const wrong of [{}, { role: 'admin', name: 'Kim' }, { role: 'admin' }, { name: '\u200b' }]) {
      const [one, other] = await both((email) => refused({ email, ...wrong }))
      expect(one).toEqual(other)
    }
    const [first, second] = await both(async (email) => {
      const answer = await assign(olga, { email, name: 'Kim', sendInvite: false })
      const { userId: _userId, assignedAt: _at, ...staff } = answer.staff
      return { ...answer, staff }
    })
    expect(first).toEqual(second)
    expect(first).toMatchObject({ created: true, invited: false })
    const [again, twice] = await both(async (email) => {
      const answer = await assign(olga, { email })
      return { changed: answer.changed, invited: answer.invited }
    })
    expect(again).toEqual(twice)
    expect(await rows('select 1 from messages where to_address = any($1)', [[known, unknown]])).toEqual([])
    for (const email of [known, unknown]) await remove(email)
    expect([await loginsOf(known), await loginsOf(unknown)]).toEqual([[fair.tenantId], []])
  })

  it('rejects an address with a login at another tenant in calls that would email a new user', async () => {
    expect(await refused({ email: known, name: 'Kim' })).toMatchObject({ code: 'conflict', message: 'this address cannot be assigned' })
    expect(await assign(olga, { email: unknown, name: 'Kit' })).toMatchObject({ created: true, invited: true })
    expect(await loginsOf(known)).toEqual([fair.tenantId])
  })

  it('lets a user still sign in at their tenant after other tenants assigned or removed their address', async () => {
    await assign(olga, { email: known, name: 'Kim', sendInvite: false })
    const { database, baseUrl } = world.services
    const outcome = await signIn(
      { database, baseUrl, passwords },
      { email: known, password: PASSWORD, address: '192.0.2.9', browser: { userAgent: '' } },
    )
    expect(outcome.kind).toBe('open')
    await requestPasswordReset({ database, baseUrl }, { email: known, address: '192.0.2.9' })
    expect(await rows('select tenant_id from messages where to_address = $1', [known])).toEqual([{ tenant_id: fair.tenantId }])
    await remove(known)
  })
})

describe('unused login of a person invited by several tenants', () => {
  it('lets the invited person choose one of several tenants, after which the links of the other tenants expire', async () => {
    const email = 'wanda@wanted.example'
    await assign(fiona, { email, name: 'Wanda' })
    expect(await assign(olga, { email, name: 'Wanda W' })).toMatchObject({ created: true, invited: true })
    expect(await loginsOf(email)).toEqual([acme.tenantId, fair.tenantId].toSorted((a, b) => a - b))
    const [theirs, ours] = [await linkOf(email, fair), await linkOf(email, acme)]
    expect([await opens(theirs), await opens(ours)]).toEqual([200, 200])
    // With several pending logins, no password email is sent, because it is ambiguous which login is meant.
    const { database, baseUrl } = world.services
    await requestPasswordReset({ database, baseUrl }, { email, address: '192.0.2.8' })
    expect(await rows(`select 1 from messages where to_address = $1 and email_code = 'password-reset'`, [email])).toEqual([])
    await useLink(ours)
    expect([await opens(theirs), await opens(ours)]).toEqual([410, 410])
    await expect(useLink(theirs)).rejects.toThrow('This link was already used or has expired')
    // The other tenant has no new records, and calls that send no email still reveal nothing.
    expect(await assign(fiona, { email, note: 'Gate' })).toMatchObject({ changed: ['note'], invited: false })
    await remove(email, 'fair')
    expect(await loginsOf(email)).toEqual([acme.tenantId])
  })

  it('creates a login at only one tenant when the invitation links of two tenants are used concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `race-${round}@wanted.example`
      await assign(fiona, { email, name: 'Racer' })
      await assign(olga, { email, name: 'Racer' })
      const links = [await linkOf(email, fair), await linkOf(email, acme)]
      const outcomes = await Promise.allSettled(links.map(useLink))
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const lost = outcomes.find((outcome) => outcome.status === 'rejected')!
      expect((lost.reason as Error).message).toContain('This link was already used or has expired')
    }
  })

  it('prevents a second login for an address that has one at another tenant, even without an invitation link', async () => {
    const email = 'second@wanted.example'
    const { staff } = await assign(fiona, { email, name: 'Second' })
    await useLink(await linkOf(email, fair))
    const made = await assign(olga, { email, name: 'Second', sendInvite: false })
    const set = world.database.transact((db) => setPassword(db, { id: made.staff.userId, email }, PASSWORD, { passwords }))
    await expect(set).rejects.toThrow('This link was already used or has expired')
    expect(await rows('select id from users where email_norm = $1 and password_hash is not null', [email])).toEqual([{ id: staff.userId }])
  })

  it('deletes an unused login together with its last staff role, but keeps a login that was used', async () => {
    const roadshow = await world.event({ code: 'roadshow', at: acme })
    const email = 'last@wanted.example'
    await assign(olga, { email, name: 'Last' })
    await olga.call('assign_event_staff', { eventCode: 'roadshow', email, role: 'onsite' })
    await remove(email)
    expect(await loginsOf(email)).toEqual([acme.tenantId])
    const link = await linkOf(email, acme)
    await remove(email, 'roadshow')
    expect(await loginsOf(email)).toEqual([])
    expect(await opens(link)).toBe(410)
    const [audit] = await rows(`select targets from audit_entries where event_id = $1 order by id desc limit 1`, [roadshow.eventId])
    expect(audit.targets).toMatchObject([
      { kind: 'eventStaff' },
      { kind: 'user', fields: { email: { before: email }, name: { before: 'Last' } } },
    ])

    await assign(olga, { email, name: 'Last again' })
    await useLink(await linkOf(email, acme))
    await remove(email)
    expect(await loginsOf(email)).toEqual([acme.tenantId])
    expect(await assign(olga, { email })).toMatchObject({ created: false, staff: { name: 'Last again' } })
  })

  it('keeps or deletes a login consistently if it is assigned to an event and removed from it concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const email = `moment-${round}@wanted.example`
      await assign(olga, { email, name: 'Moment' })
      const outcomes = await Promise.all([
        olga.answer('assign_event_staff', { eventCode: 'summit', email, role: 'program', sendInvite: false }),
        olga.answer('remove_event_staff', { eventCode: 'summit', email }),
      ])
      for (const { isError, _meta } of outcomes)
        if (isError) expect(_meta!['lanyard/error'].code).toMatch(/^(conflict|invalid_arguments|not_found)$/)
      const staff = await rows('select 1 from event_staff s join users u on u.id = s.user_id where u.email_norm = $1', [email])
      expect((await loginsOf(email)).length).toBe(staff.length)
    }
  })
})

describe('limit on staff invitations', () => {
  const USERS = '/console/clients/acme/users'
  let admin: Visitor
  beforeAll(async () => {
    admin = await signedInVisitor(world, served, olga)
    // After choosing a password, users connect their apps again.
    await world.database.pool.query('update oauth_grants g set access_version = u.access_version from users u where u.id = g.user_id')
  })
  const asked = (count: number) =>
    world.database.pool.query(`insert into rate_windows (key, window_start, count) values ($1, lanyard_now(), $2)`, [
      `invite:${acme.tenantId}:${acme.clientId}`,
      count,
    ])
  const invite = (email: string) => admin.post(USERS, { email, name: 'Some One', role: 'manager', where: '' })

  it('limits invitations to 100 per hour and client, by tool and console together', async () => {
    await asked(98)
    expect(await assign(olga, { email: 'limit-1@x.example', name: 'One' })).toMatchObject({ invited: true })
    expect((await invite('limit-2@x.example')).status).toBe(303)
    const last = await refused({ email: 'limit-3@x.example', name: 'Three' })
    expect([last.code, last.message]).toEqual([
      'limit_exceeded',
      expect.stringMatching(/^At most 100 invitations of a client an hour\. Try again in (59|60) minutes$/),
    ])
    expect(last.retryAfterSeconds).toBeGreaterThan(3500)
    const page = await invite('limit-4@x.example')
    expect([page.status, page.text.includes('At most 100 invitations of a client an hour')]).toEqual([400, true])
    const [{ id }] = await rows(`select id from users where email_norm = 'limit-2@x.example'`)
    const again = await admin.post(`${USERS}/${id}/invite`, {}, { from: `${USERS}/${id}` })
    expect([again.status, again.text.includes('At most 100 invitations')]).toEqual([400, true])
    expect(await rows(`select 1 from users where email_norm in ('limit-3@x.example', 'limit-4@x.example')`)).toEqual([])
    // Other clients, and changes without an email, are not limited.
    expect(await assign(fiona, { email: 'limit-5@x.example', name: 'Five' })).toMatchObject({ invited: true })
    expect(await assign(olga, { email: 'limit-1@x.example', role: 'program' })).toMatchObject({ changed: ['role'] })
  })

  it('counts rejected staff invitations towards the limit, so that addresses of other tenants cannot be probed', async () => {
    const otherOrganizer = await world.organizer({ at: fair })
    await assignPassword(world, otherOrganizer)
    await asked(99)
    expect((await refused({ email: otherOrganizer.email, name: 'X' })).code).toBe('conflict')
    expect((await refused({ email: otherOrganizer.email, name: 'X' })).code).toBe('limit_exceeded')
  })
})
