import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assignStaffRole } from '../../../domains/access/event-staff.ts'
import { setStaffRole } from '../../../domains/access/users.ts'
import { createPendingAuditEntry } from '../../../kernel/audit.ts'
import type { ClientContext } from '../../../kernel/context.ts'
import { PERMISSIONS, permissionsOf, type Role } from '../../../kernel/permissions.ts'
import { assignPassword } from '../../../../test/support/browser.ts'
import { buildLegacyMessage, postMessage } from '../../../../test/support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../../../../test/support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ClientHandle, type World } from '../../../../test/support/world.ts'

let world: World
let served: Served
let acme: ClientHandle
let summit: EventHandle
let roadshow: EventHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  summit = await world.event({ code: 'summit', name: 'Acme Summit', at: acme })
  roadshow = await world.event({ code: 'roadshow', at: acme })
  olga = await world.organizer({ at: acme, name: 'Olga Organizer', email: 'olga@acme.example' })
  served = await serve(world)
})
afterAll(() => world.end())

const at = { eventCode: 'summit' }
const mailsTo = async (email: string) =>
  (
    await world.database.pool.query<{ subject: string; text_body: string }>(
      'select subject, text_body from messages where to_address = $1',
      [email],
    )
  ).rows
const status = async ({ token }: OrganizerHandle) => (await postMessage(served, token, buildLegacyMessage('tools/list'))).status
/** Updates all app connections to the current access version. */
const signInAgain = () =>
  world.database.pool.query('update oauth_grants g set access_version = u.access_version from users u where u.id = g.user_id')
const rowOf = async (email: string, event = at) => {
  const { staff } = await olga.call('list_event_staff', { ...event, search: email })
  return staff[0]
}

describe('list_event_staff', () => {
  it('shows a user who is analyst of the client and registrar of the event with the permissions of both roles', async () => {
    const rita = await world.organizer({ at: acme, role: 'analyst', staffOf: summit, staffRole: 'registrar', name: 'Rita Both' })
    const row = await rowOf(rita.email)
    expect(row).toMatchObject({ userId: rita.userId, name: 'Rita Both', role: 'registrar', clientRole: 'analyst', via: 'both' })
    const union = permissionsOf(['analyst', 'registrar'])
    expect(row.effectivePermissions).toEqual(PERMISSIONS.filter((permission) => union.has(permission)))
    expect(row.effectivePermissions).toEqual(expect.arrayContaining(['automation.read', 'registration.write', 'money.write']))
    // At another event of the client only the membership counts.
    const elsewhere = await rowOf(rita.email, { eventCode: 'roadshow' })
    expect(elsewhere).toMatchObject({ role: 'analyst', via: 'membership' })
    expect(elsewhere).not.toHaveProperty('assignedAt')
    expect(elsewhere.effectivePermissions).not.toContain('registration.write')
  })

  it('lists client members and staff of this event only, by name, and filters them', async () => {
    const beta = await world.client({ code: 'beta' })
    await world.organizer({ at: beta, name: 'Ben Elsewhere' })
    await world.organizer({ staffOf: roadshow, name: 'Rob Roadshow' })
    await world.organizer({ staffOf: summit, name: 'adam Staff', staffRole: 'onsite' })
    const { staff, total } = await olga.call('list_event_staff', at)
    expect(staff.map((row: { name: string }) => row.name)).toEqual(['adam Staff', 'Olga Organizer', 'Rita Both'])
    expect(total).toBe(3)
    expect(staff[0]).toMatchObject({ via: 'staff', assignedAt: expect.any(String) })
    expect(staff[0]).not.toHaveProperty('assignedBy')
    expect(staff[1].lastSeenAt).toEqual(expect.any(String))
    const named = async (filter: object) =>
      (await olga.call('list_event_staff', { ...at, ...filter })).staff.map((row: { name: string }) => row.name)
    expect(await named({ role: 'onsite' })).toEqual(['adam Staff'])
    expect(await named({ role: 'analyst' })).toEqual(['Rita Both'])
    expect(await named({ search: 'ADA sta' })).toEqual(['adam Staff'])
    expect((await olga.refused('list_event_staff', { ...at, role: 'emperor' })).fields![0]!.path).toBe('role')
  })
})

describe('assign_event_staff', () => {
  it('creates a login and sends one email for a new address, even if the call is repeated', async () => {
    const assign = (more: object = {}) =>
      olga.call('assign_event_staff', { ...at, email: 'new@x.org', name: 'Nora New', role: 'registrar', note: 'Desk 3', ...more })
    const first = await assign()
    expect(first).toMatchObject({ created: true, invited: true, changed: ['role', 'note'] })
    expect(first.staff).toMatchObject({
      name: 'Nora New',
      role: 'registrar',
      via: 'staff',
      active: false,
      assignedBy: 'Olga Organizer',
      note: 'Desk 3',
    })
    const [mail, ...more] = await mailsTo('new@x.org')
    expect(more).toEqual([])
    expect(mail!.subject).toBe('Olga Organizer invites you to Acme Summit on Lanyard')
    expect(mail!.text_body).toContain('within 72 hours')
    const link = new URL(/https?:\S+/.exec(mail!.text_body)![0])
    const opens = async () => (await fetch(served.url(link.pathname + link.search))).status
    await world.clock.advance('71 hours')
    expect(await opens()).toBe(200)
    await world.clock.advance('2 hours')
    expect(await opens()).toBe(410)
    await world.clock.reset()

    const again = await assign({ email: 'NEW@x.org', name: undefined, note: undefined })
    expect(again).toMatchObject({ created: false, invited: false, changed: [], staff: first.staff })
    expect(await mailsTo('new@x.org')).toHaveLength(1)
  })

  it('replaces the role of a staff member without a second email', async () => {
    const changed = await olga.call('assign_event_staff', { ...at, email: 'new@x.org', role: 'housing' })
    expect(changed).toMatchObject({ created: false, invited: false, changed: ['role'], staff: { role: 'housing', note: 'Desk 3' } })
    expect(await mailsTo('new@x.org')).toHaveLength(1)
    const { rows } = await world.database.pool.query(
      `select tool, event_id, targets from audit_entries where tool = 'assign_event_staff' order by id desc limit 1`,
    )
    expect(rows).toMatchObject([
      {
        event_id: summit.eventId,
        targets: [{ kind: 'eventStaff', fields: { role: { before: 'registrar', after: 'housing' } } }],
      },
    ])
  })

  it('revokes app tokens of a staff member if the new role removes permissions, but not if it only adds some', async () => {
    const sam = await world.organizer({ staffOf: summit, staffRole: 'onsite' })
    const assign = (more: object) => olga.call('assign_event_staff', { ...at, email: sam.email, sendInvite: false, ...more })
    expect((await assign({ role: 'onsite', note: 'Gate C' })).changed).toEqual(['note'])
    expect(await status(sam)).toBe(200)
    expect((await assign({ role: 'registrar' })).changed).toEqual(['role'])
    expect(await status(sam)).toBe(200)
    expect((await assign({ role: 'program' })).changed).toEqual(['role'])
    expect(await status(sam)).toBe(401)
    await olga.call('remove_event_staff', { ...at, email: sam.email })
  })

  it('emails an existing user once when assigned to the event, unless sendInvite is false', async () => {
    const known = await world.organizer({ staffOf: roadshow, email: 'known@acme.example' })
    const assign = (more: object) => olga.call('assign_event_staff', { ...at, email: known.email, role: 'onsite', ...more })
    expect(await assign({ sendInvite: false })).toMatchObject({ created: false, invited: false, changed: ['role'] })
    expect(await mailsTo(known.email)).toEqual([])
    await olga.call('remove_event_staff', { ...at, userId: known.userId })
    expect(await assign({})).toMatchObject({ created: false, invited: true })
    expect(await mailsTo(known.email)).toHaveLength(1)
  })

  it('requires a name for a new user, and rejects the role admin and an address of another tenant', async () => {
    expect((await olga.refused('assign_event_staff', { ...at, email: 'nameless@x.org', role: 'onsite' })).fields![0]!.path).toBe('name')
    const admin = await olga.refused('assign_event_staff', { ...at, email: 'boss@x.org', name: 'Boss', role: 'admin' })
    expect([admin.code, admin.fields![0]!.path]).toEqual(['invalid_arguments', 'role'])
    const spy = await world.organizer({ at: await world.client({ tenant: 'elsewhere' }), email: 'spy@elsewhere.example' })
    await assignPassword(world, spy)
    const foreign = await olga.refused('assign_event_staff', { ...at, email: spy.email, name: 'Spy', role: 'onsite' })
    expect([foreign.code, foreign.message]).toEqual(['conflict', 'this address cannot be assigned'])
    expect(await mailsTo(spy.email)).toEqual([])
    const { rows } = await world.database.pool.query(`select 1 from users where email_norm in ('nameless@x.org', 'boss@x.org')`)
    expect(rows).toEqual([])
  })

  it('rejects roles with permissions that the organizer lacks at this event', async () => {
    const pia = await world.organizer({ staffOf: roadshow })
    /** No current role can assign staff while lacking permissions of another role; the rule must hold for future roles. */
    const give = (holder: Role, role: Role) =>
      world.database.transact((db) => {
        const ctx = {
          db,
          tenantId: acme.tenantId,
          actor: { id: olga.userId },
          permissions: permissionsOf([holder]),
          audit: createPendingAuditEntry(),
        }
        return assignStaffRole(ctx as unknown as ClientContext, { userId: pia.userId, eventId: summit.eventId, role })
      })
    await expect(give('registrar', 'manager')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Forbidden — assign_event_staff requires the events.write permission',
    })
    await expect(give('analyst', 'onsite')).rejects.toThrow('requires the onsite.write permission')
    expect(await give('registrar', 'onsite')).toMatchObject({ changed: ['role'] })
    await olga.call('remove_event_staff', { ...at, userId: pia.userId })
  })

  it('sends one email and assigns the staff member once for eight concurrent calls', async () => {
    const twin = await world.organizer({ staffOf: roadshow })
    const calls = Array.from({ length: 8 }, () => olga.call('assign_event_staff', { ...at, email: twin.email, role: 'onsite' }))
    const invited = (await Promise.all(calls)).filter((answer) => answer.invited)
    expect(invited).toHaveLength(1)
    expect(await mailsTo(twin.email)).toHaveLength(1)
  })
})

describe('remove_event_staff', () => {
  it('revokes all tokens of a removed staff member at once, who finds only their other event after signing in again', async () => {
    const max = await world.organizer({ staffOf: summit, staffRole: 'manager', email: 'max@staff.example' })
    await setStaffRole(world.database.write, { tenantId: acme.tenantId, userId: max.userId, eventId: roadshow.eventId, role: 'manager' })
    await signInAgain()
    expect(await status(max)).toBe(200)
    expect((await max.call('list_event_staff', at)).total).toBeGreaterThan(0)
    expect(await olga.call('remove_event_staff', { ...at, email: 'MAX@staff.example' })).toEqual({
      removed: true,
      remaining: { via: 'none', permissions: [] },
    })
    expect(await status(max)).toBe(401)
    await signInAgain()
    expect((await max.refused('list_event_staff', at)).code).toBe('not_found')
    expect((await max.call('list_event_staff', { eventCode: 'roadshow' })).total).toBeGreaterThan(0)
    expect((await olga.call('remove_event_staff', { ...at, userId: max.userId })).removed).toBe(false)
  })

  it('keeps permissions from the client membership, and rejects removing a user without a staff role', async () => {
    const rita = await rowOf('Rita Both')
    const { removed, remaining } = await olga.call('remove_event_staff', { ...at, userId: rita.userId })
    expect([removed, remaining.via]).toEqual([true, 'membership'])
    expect(new Set(remaining.permissions)).toEqual(permissionsOf(['analyst']))
    const refused = await olga.refused('remove_event_staff', { ...at, userId: rita.userId })
    expect([refused.code, refused.message]).toEqual(['precondition_failed', 'role comes from the client; change it there'])
  })

  it('requires a confirm token before an organizer removes their own last role, but not one of several', async () => {
    const leaver = await world.organizer({ staffOf: summit, staffRole: 'manager' })
    const call = { ...at, userId: leaver.userId }
    const refused = await leaver.refused('remove_event_staff', call)
    expect(refused).toMatchObject({
      code: 'precondition_failed',
      fix: { tool: 'remove_event_staff', arguments: { ...call, dryRun: true } },
    })
    expect(refused.message).toContain('This removes your own last role')
    const preview = await leaver.call('remove_event_staff', { ...call, dryRun: true })
    expect(preview).toMatchObject({ removed: true, dryRun: true, effects: { changes: 1 } })
    expect(await rowOf(leaver.email)).toMatchObject({ role: 'manager' })
    await setStaffRole(world.database.write, { tenantId: acme.tenantId, userId: leaver.userId, eventId: roadshow.eventId, role: 'manager' })
    // A user with another role left needs no confirmation, and the dry run's effects no longer match.
    expect((await leaver.refused('remove_event_staff', { ...call, confirmToken: preview.confirmToken })).message).toContain('has changed')
    expect(await leaver.call('remove_event_staff', call)).toMatchObject({ removed: true })
    await signInAgain()
    const last = { eventCode: 'roadshow', email: leaver.email }
    expect((await leaver.refused('remove_event_staff', last)).code).toBe('precondition_failed')
    const { confirmToken } = await leaver.call('remove_event_staff', { ...last, dryRun: true })
    expect(await leaver.call('remove_event_staff', { ...last, confirmToken })).toMatchObject({ removed: true })
    await signInAgain()
    expect(await status(leaver)).toBe(401)
  })

  it('requires exactly one of the arguments userId and email', async () => {
    for (const who of [{}, { userId: olga.userId, email: olga.email }])
      expect((await olga.refused('remove_event_staff', { ...at, ...who })).fields!.map(({ path }) => path)).toEqual(['userId', 'email'])
  })
})
