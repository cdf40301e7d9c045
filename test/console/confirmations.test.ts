import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiAccount, issueApiToken } from '../../src/domains/access/api-accounts.ts'
import { createAssistantMemory } from '../../src/domains/memories/create.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const BASE = '/console/clients/acme'

let world: World
let served: Served
let summit: EventHandle
let olga: OrganizerHandle
let tom: OrganizerHandle
let guest: ConsoleBrowser

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme' })
  summit = await world.event({ at: acme, code: 'summit' })
  olga = await world.organizer({ at: acme, app: 'Desk' })
  tom = await world.organizer({ at: acme, role: 'registrar', staffOf: summit, app: 'Desk' })
  served = await serve(world)
  guest = await new ConsoleBrowser(served).enter(world, olga)
})
afterAll(() => world.end())

const count = async (text: string, values: unknown[] = []) => (await world.database.pool.query<{ n: number }>(text, values)).rows[0]!.n

interface DestructiveForm {
  page: string
  action: string
  fields: Record<string, string>
  asks: string
  /** Counts the records that the button deletes and that still exist. */
  left: () => Promise<number>
}

const destructiveForms: [string, () => Promise<DestructiveForm>][] = [
  [
    'the user’s own app',
    async () => ({
      page: '/console/account/apps',
      action: '/console/account/apps/disconnect',
      fields: { app: 'app-desk' },
      asks: 'Disconnect Desk?',
      left: () => count(`select count(*)::int as n from oauth_grants where user_id = $1 and revoked_at is null`, [olga.userId]),
    }),
  ],
  [
    'a colleague’s app',
    async () => ({
      page: `${BASE}/users/${tom.userId}`,
      action: `${BASE}/users/${tom.userId}/disconnect`,
      fields: { app: 'app-desk' },
      asks: 'Disconnect this app?',
      left: () => count(`select count(*)::int as n from oauth_grants where user_id = $1 and revoked_at is null`, [tom.userId]),
    }),
  ],
  [
    'a role at an event',
    async () => ({
      page: `${BASE}/users`,
      action: `${BASE}/users/staff/remove`,
      fields: { userId: tom.userId, eventId: summit.eventId },
      asks: 'Remove this user from the event?',
      left: () => count(`select count(*)::int as n from event_staff`),
    }),
  ],
  [
    'a token',
    async () => {
      const accountId = await account()
      await issueApiToken(world.database.write, { tenantId: summit.tenantId, accountId })
      const { html } = await guest.get(`${BASE}/accounts/${accountId}`)
      return {
        page: `${BASE}/accounts/${accountId}`,
        action: `${BASE}/accounts/${accountId}/tokens/revoke`,
        fields: { token: /name="token" value="([^"]+)"/.exec(html)![1]! },
        asks: 'Revoke this token?',
        left: () => count(`select count(*)::int as n from api_tokens where account_id = $1 and revoked_at is null`, [accountId]),
      }
    },
  ],
  [
    'an API account',
    async () => {
      const accountId = await account()
      return {
        page: `${BASE}/accounts/${accountId}`,
        action: `${BASE}/accounts/${accountId}/active`,
        fields: { active: 'no' },
        asks: 'Deactivate this account?',
        left: () => count(`select count(*)::int as n from api_accounts where id = $1 and active`, [accountId]),
      }
    },
  ],
  [
    'a memory',
    async () => {
      await createAssistantMemory(
        world.database.write,
        { tenantId: summit.tenantId, clientId: summit.clientId, userId: olga.userId, eventId: null },
        { title: 'Parking', text: 'Gate C', tags: [] },
      )
      const { rows } = await world.database.pool.query<{ id: string }>('select id from memories')
      return {
        page: `${BASE}/memory/${rows[0]!.id}`,
        action: `${BASE}/memory/${rows[0]!.id}/delete`,
        fields: {},
        asks: 'Delete this memory?',
        left: () => count(`select count(*)::int as n from memories`),
      }
    },
  ],
  [
    'assistants',
    async () => ({
      page: `${BASE}/settings`,
      action: `${BASE}/settings/assistants`,
      fields: { allow: 'no' },
      asks: 'Turn off assistants?',
      left: () => count(`select count(*)::int as n from clients where ai_assistants_allowed`),
    }),
  ],
  [
    'a whole client',
    async () => ({
      page: `${BASE}/settings`,
      action: `${BASE}/settings/active`,
      fields: { active: 'no' },
      asks: 'Deactivate Acme?',
      left: () => count(`select count(*)::int as n from clients where active`),
    }),
  ],
]

const account = () =>
  createApiAccount(world.database.write, {
    tenantId: summit.tenantId,
    name: 'Concierge',
    canActAsParticipantAgent: true,
    restAccess: false,
    allowedClients: [{ tenantCode: 'demo', clientCode: 'acme' }],
    allowedEvents: [],
  })

describe('buttons that delete something', () => {
  it.each(destructiveForms)('shows a confirmation page before a button deletes anything: %s', async (_what, prepare) => {
    const { page, action, fields, asks, left } = await prepare()
    const before = await left()
    expect(before).toBeGreaterThan(0)
    const asked = await guest.submit(page, action, fields)
    expect([asked.status, asked.text.includes(asks)]).toEqual([200, true])
    expect(await left()).toBe(before)
    for (const [name, value] of Object.entries(fields)) expect(asked.html).toContain(`name="${name}" value="${value}"`)
    expect((await guest.submit(page, action, { ...fields, sure: 'yes' })).status).toBe(303)
    expect(await left()).toBe(before - 1)
  })
})
