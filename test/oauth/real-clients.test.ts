import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { disconnectApp, listConnectedApps } from '../../src/domains/oauth/connected-apps.ts'
import { createPendingAuditEntry } from '../../src/kernel/audit.ts'
import { assignPassword, TEST_USER_PASSWORD } from '../support/browser.ts'
import { OAuthClientStore } from '../support/oauth-client-store.ts'
import { resetRateLimits, ORGANIZER_PATH } from '../support/rpc.ts'
import { submitConsent, readConsentForm, LOOPBACK_URI, openStage, type Stage, Visitor } from './flow.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  await assignPassword(stage.world, stage.olga)
})
beforeEach(() => resetRateLimits(stage.world))
afterAll(() => stage.end())

/** Returns a user who signs in on the real page and then agrees on the consent page. */
async function person(): Promise<Visitor> {
  const visitor = new Visitor(stage.served)
  const page = await visitor.go('/console/sign-in')
  const answer = await visitor.go('/console/sign-in', {
    ...readConsentForm(page.text),
    email: stage.olga.email,
    password: TEST_USER_PASSWORD,
  })
  expect(answer.status).toBe(303)
  return visitor
}

interface Session {
  tools: number
  events: unknown
  close: () => Promise<void>
}

interface Kind {
  what: string
  refused: new (...args: never[]) => Error
  /** Connects the client library to the endpoint and calls a tool; throws the error class `refused` if the user has to sign in. */
  connect: (memory: OAuthClientStore) => Promise<Session>
  finish: (memory: OAuthClientStore, callback: URL) => Promise<void>
}

const INFO = { name: 'lanyard-tests', version: '1.0.0' }
const endpoint = () => new URL(stage.served.url(ORGANIZER_PATH))
const call = { name: 'list_my_events', arguments: {} }

const KINDS: Kind[] = [
  {
    what: 'the client 2.4',
    refused: UnauthorizedError,
    async connect(memory) {
      const client = new Client(INFO)
      await client.connect(new StreamableHTTPClientTransport(endpoint(), { authProvider: memory }))
      const [{ tools }, { structuredContent }] = [await client.listTools(), await client.callTool(call)]
      return { tools: tools.length, events: structuredContent, close: () => client.close() }
    },
    finish: (memory, callback) => new StreamableHTTPClientTransport(endpoint(), { authProvider: memory }).finishAuth(callback.searchParams),
  },
  {
    what: 'library version 1.32',
    refused: OldUnauthorizedError,
    async connect(memory) {
      const client = new OldClient(INFO)
      await client.connect(new OldTransport(endpoint(), { authProvider: memory }) as Transport)
      const [{ tools }, { structuredContent }] = [await client.listTools(), await client.callTool(call)]
      return { tools: tools.length, events: structuredContent, close: () => client.close() }
    },
    finish: (memory, callback) => new OldTransport(endpoint(), { authProvider: memory }).finishAuth(callback.searchParams.get('code')!),
  },
]

describe.each(KINDS)('OAuth with $what', ({ what, connect, finish, refused }) => {
  it.each(['none', 'client_secret_post', 'client_secret_basic'])(
    'lets the client sign in (%s), call tools and refresh its token, and refuses it after it is disconnected',
    async (method) => {
      const name = `${what}, ${method}`
      const memory = new OAuthClientStore(name, { method, redirectUrl: LOOPBACK_URI })
      await expect(connect(memory)).rejects.toThrow(refused)
      expect(memory.opened!.href.startsWith(`${stage.served.baseUrl}/api/oauth/authorize?`)).toBe(true)
      const visitor = await person()
      const callback = await submitConsent(visitor, memory.opened!.href)
      expect(callback.origin + callback.pathname).toBe(LOOPBACK_URI)
      await finish(memory, callback)
      const session = await connect(memory)
      expect(session.tools).toBeGreaterThan(5)
      expect(session.events).toMatchObject({ events: [] })
      await session.close()

      // After an hour the client refreshes its token without user interaction.
      const before = memory.saved
      await stage.world.clock.advance('61 minutes')
      await (await connect(memory)).close()
      expect(memory.saved.refresh_token).not.toBe(before.refresh_token)
      await stage.world.clock.reset()

      const apps = await listConnectedApps(stage.world.database.write, stage.olga.userId)
      const own = apps.find((app) => app.name === name)!
      expect(own.websites).toEqual(['this computer (localhost:53682)'])
      const { rows } = await stage.world.database.pool.query<{ tenant_id: number }>('select tenant_id from users where id = $1', [
        stage.olga.userId,
      ])
      await disconnectApp(
        { db: stage.world.database.write, audit: createPendingAuditEntry(), tenantId: rows[0]!.tenant_id },
        { userId: stage.olga.userId, clientId: own.clientId },
      )
      memory.opened = null
      // The client tries its refresh token, gets invalid_grant and asks the user to sign in again.
      await expect(connect(memory)).rejects.toThrow(refused)
      expect(memory.invalidated).toEqual(['tokens'])
      expect(memory.opened).not.toBeNull()
    },
  )
})
