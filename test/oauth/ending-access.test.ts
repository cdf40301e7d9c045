import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setUserRoleAtClient, setStaffRole } from '../../src/domains/access/users.ts'
import { disconnectApp, listConnectedApps } from '../../src/domains/oauth/connected-apps.ts'
import { createPendingAuditEntry } from '../../src/kernel/audit.ts'
import type { Role } from '../../src/kernel/permissions.ts'
import { assignPassword } from '../support/browser.ts'
import { resetRateLimits } from '../support/rpc.ts'
import type { EventHandle, OrganizerHandle, ClientHandle } from '../support/world.ts'
import {
  obtainCode,
  connectOAuthApp,
  openStage,
  refresh,
  type RegisteredClient,
  registerOAuthClient,
  openSignedInVisitor,
  type Stage,
  requestStatus,
} from './flow.ts'

let stage: Stage
let client: RegisteredClient
let acme: ClientHandle
let fair: EventHandle

beforeAll(async () => {
  stage = await openStage()
  client = await registerOAuthClient(stage.served)
  acme = await stage.world.client({ code: 'second' })
  fair = await stage.world.event({ at: acme })
})
beforeEach(async () => {
  await stage.world.clock.reset()
  await resetRateLimits(stage.world)
})
afterAll(() => stage.end())

const run = (text: string, values: unknown[]) => stage.world.database.pool.query(text, values)
const disconnect = (userId: string, clientId = client.client_id) =>
  disconnectApp({ db: stage.world.database.write, audit: createPendingAuditEntry(), tenantId: acme.tenantId }, { userId, clientId })

interface Ending {
  what: string
  end: (person: OrganizerHandle) => Promise<unknown>
  /** Reverts the cause that ended the access, if possible. */
  undo?: (person: OrganizerHandle) => Promise<unknown>
  staff?: boolean
}

const at = (person: OrganizerHandle) => ({ tenantId: acme.tenantId, userId: person.userId })

const ENDINGS: Ending[] = [
  { what: 'the app is disconnected', end: ({ userId }) => disconnect(userId) },
  {
    what: 'the account is deactivated, also after reactivation',
    end: ({ userId }) => run('update users set active = false where id = $1', [userId]),
    undo: ({ userId }) => run('update users set active = true where id = $1', [userId]),
  },
  {
    what: 'the last client is lost, also after it is restored',
    end: ({ userId }) => run('delete from memberships where user_id = $1', [userId]),
    undo: (person) => setUserRoleAtClient(stage.world.database.write, { ...at(person), clientId: acme.clientId, role: 'admin' }),
  },
  {
    what: 'a role changes',
    end: (person) => setUserRoleAtClient(stage.world.database.write, { ...at(person), clientId: acme.clientId, role: 'analyst' }),
    undo: (person) => setUserRoleAtClient(stage.world.database.write, { ...at(person), clientId: acme.clientId, role: 'admin' }),
  },
  { what: 'the only staff role is removed', staff: true, end: ({ userId }) => run('delete from event_staff where user_id = $1', [userId]) },
  {
    what: 'a staff role changes',
    staff: true,
    end: (person) => setStaffRole(stage.world.database.write, { ...at(person), eventId: fair.eventId, role: 'analyst' }),
  },
  { what: 'a new password is set', end: (person) => assignPassword(stage.world, person) },
  { what: 'it is not used for 30 days', end: () => stage.world.clock.advance('30 days 1 second') },
]

describe('OAuth access after changes of permissions', () => {
  it.each(ENDINGS)('ends OAuth access with the next request when $what', async ({ end, undo, staff }) => {
    const person = await stage.world.organizer(staff ? { staffOf: fair } : { at: acme })
    const tokens = await connectOAuthApp(stage, await openSignedInVisitor(stage, person.userId), client)
    expect(await requestStatus(stage.served, tokens.access_token)).toBe(200)
    await end(person)
    const dead = async () => {
      expect(await requestStatus(stage.served, tokens.access_token)).toBe(401)
      expect(await refresh(stage.served, client, tokens.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
      const apps = await listConnectedApps(stage.world.database.write, person.userId)
      expect(apps.map((app) => app.clientId)).not.toContain(client.client_id)
    }
    await dead()
    await undo?.(person)
    await dead()
    if (undo) {
      // The user can sign in and connect again.
      const reconnected = await connectOAuthApp(stage, await openSignedInVisitor(stage, person.userId), client)
      expect(await requestStatus(stage.served, reconnected.access_token)).toBe(200)
    }
  })

  it('keeps OAuth access when permissions are added, and never restores an ended connection', async () => {
    const person = await stage.world.organizer({ at: acme, role: 'analyst' })
    const ended = await connectOAuthApp(stage, await openSignedInVisitor(stage, person.userId), client)
    const give = (role: Role) => setUserRoleAtClient(stage.world.database.write, { ...at(person), clientId: acme.clientId, role })
    await give('finance')
    const tokens = await connectOAuthApp(stage, await openSignedInVisitor(stage, person.userId), client)
    await setStaffRole(stage.world.database.write, { ...at(person), eventId: fair.eventId, role: 'onsite' })
    await give('manager')
    expect(await requestStatus(stage.served, tokens.access_token)).toBe(200)
    const renewed = await refresh(stage.served, client, tokens.refresh_token)
    expect(await requestStatus(stage.served, renewed.json.access_token)).toBe(200)
    expect(await requestStatus(stage.served, ended.access_token)).toBe(401)
    expect(await refresh(stage.served, client, ended.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  })

  it('keeps OAuth access that is used or refreshed within 30 days', async () => {
    const person = await stage.world.organizer({ at: acme })
    let tokens = await connectOAuthApp(stage, await openSignedInVisitor(stage, person.userId), client)
    for (let i = 0; i < 3; i++) {
      await stage.world.clock.advance('20 days')
      tokens = (await refresh(stage.served, client, tokens.refresh_token)).json
      expect(await requestStatus(stage.served, tokens.access_token)).toBe(200)
    }
  })
})

describe('connected apps', () => {
  it('lists connected apps with website, connection time and last use, and ends all connections of an app together', async () => {
    const person = await stage.world.organizer({ at: acme, app: 'Terminal' })
    await disconnect(person.userId, 'app-terminal')
    const visitor = await openSignedInVisitor(stage, person.userId)
    const [one, two] = [await connectOAuthApp(stage, visitor, client), await connectOAuthApp(stage, visitor, client)]
    const other = await connectOAuthApp(stage, visitor, await registerOAuthClient(stage.served, { client_name: 'Other' }))
    const listed = await listConnectedApps(stage.world.database.write, person.userId)
    expect(listed.map(({ name, websites, connections }) => ({ name, websites, connections }))).toEqual([
      { name: 'Other', websites: ['assistant.example'], connections: 1 },
      { name: 'Assistant', websites: ['assistant.example'], connections: 2 },
    ])
    const { connectedAt, lastUsedAt, expiresAt } = listed[1]!
    expect(lastUsedAt.getTime()).toBeGreaterThanOrEqual(connectedAt.getTime())
    const days = (expiresAt.getTime() - lastUsedAt.getTime()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThanOrEqual(30)
    await disconnect(person.userId)
    for (const { access_token } of [one, two]) expect(await requestStatus(stage.served, access_token)).toBe(401)
    expect(await requestStatus(stage.served, other.access_token)).toBe(200)
    await expect(disconnect(person.userId)).rejects.toThrow('No such connected app')
  })

  it('refuses to disconnect an app of another user', async () => {
    const [anna, bert] = [await stage.world.organizer({ at: acme }), await stage.world.organizer({ at: acme })]
    const own = await registerOAuthClient(stage.served)
    const tokens = await connectOAuthApp(stage, await openSignedInVisitor(stage, bert.userId), own)
    await expect(disconnect(anna.userId, own.client_id)).rejects.toThrow('No such connected app')
    expect(await requestStatus(stage.served, tokens.access_token)).toBe(200)
    await disconnect(bert.userId, own.client_id)
    expect(await requestStatus(stage.served, tokens.access_token)).toBe(401)
  })

  it('does not list apps that were approved but never requested tokens', async () => {
    const person = await stage.world.organizer({ at: acme })
    await disconnect(person.userId, 'app-test-app')
    await obtainCode(stage, await openSignedInVisitor(stage, person.userId), client)
    expect(await listConnectedApps(stage.world.database.write, person.userId)).toEqual([])
  })
})
