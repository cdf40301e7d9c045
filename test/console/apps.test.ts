import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectAppWithoutSignInPage, getUserByEmail } from '../../src/domains/access/users.ts'
import { buildLegacyMessage, postMessage } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type ClientHandle, resourceAt, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const PATH = '/console/account/apps'
let world: World
let served: Served
let acme: ClientHandle
let olga: OrganizerHandle
let ben: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  acme = await world.client({ code: 'acme' })
  olga = await world.organizer({ at: acme, app: 'Claude' })
  ben = await world.organizer({ at: acme, app: 'Claude' })
  served = await serve(world)
})
afterAll(() => world.end())

const status = async (token: string) => (await postMessage(served, token, buildLegacyMessage('tools/list'))).status
const disconnect = (guest: ConsoleBrowser, app: string) => guest.submit('/console/account', `${PATH}/disconnect`, { app, sure: 'yes' })

async function connectAnother(person: OrganizerHandle, app: string, website: string): Promise<string> {
  const { id, tenantId, accessVersion } = await getUserByEmail(world.database.write, person.email)
  const { token, grantId } = await connectAppWithoutSignInPage(world.database.write, {
    userId: id,
    tenantId,
    accessVersion,
    clientId: `app-${app.toLowerCase().replaceAll(' ', '-')}`,
    appName: app,
    resource: resourceAt(world.services.baseUrl),
    lifetime: '30 days',
  })
  await world.database.pool.query('update oauth_grants set website = $1 where id = $2', [website, grantId])
  return token.reveal()
}

describe('connected apps', () => {
  it("lists each of the user's own connected apps once, with its redirect address", async () => {
    await connectAnother(olga, 'Claude', 'claude.ai')
    await connectAnother(olga, 'Evil <b>app</b>', 'localhost')
    await connectAnother(ben, 'Only of Ben', 'ben.example')
    const { html, text } = await (await new ConsoleBrowser(served).enter(world, olga)).get(PATH)
    expect(html.match(/aria-label="Disconnect Claude"/g)).toHaveLength(1)
    expect(text).toContain('claude.ai')
    expect(text).toContain('Evil <b>app</b>')
    expect(html).not.toContain('<b>app</b>')
    expect(text).not.toContain('Only of Ben')
  })

  it("disconnects an app immediately, refuses the app's next request, and writes an audit entry", async () => {
    const second = await connectAnother(olga, 'Claude', 'claude.ai')
    const guest = await new ConsoleBrowser(served).enter(world, olga)
    expect([await status(olga.token), await status(second), await status(ben.token)]).toEqual([200, 200, 200])
    const done = await disconnect(guest, 'app-claude')
    expect([done.status, done.location]).toEqual([303, `${PATH}?done=disconnected`])
    // Both grants of the same app end together; another user's grant for that app stays.
    expect([await status(olga.token), await status(second), await status(ben.token)]).toEqual([401, 401, 200])
    expect((await guest.get(done.location!)).html).not.toContain('Disconnect Claude')
    const { rows } = await world.database.pool.query<{ tool: string; targets: { kind: string; id: string }[] }>(
      `select tool, targets from audit_entries where actor_id = $1 and tool = 'disconnect_app'`,
      [olga.userId],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]!.targets[0]).toMatchObject({ kind: 'connectedApp', id: 'app-claude' })
  })

  it('refuses to disconnect an app of another user, without revealing that the app exists', async () => {
    const token = await connectAnother(ben, 'Private app', 'ben.example')
    const guest = await new ConsoleBrowser(served).enter(world, olga)
    const [foreign, unknown] = [await disconnect(guest, 'app-private-app'), await disconnect(guest, 'app-of-absent')]
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(foreign.text).toBe(unknown.text)
    expect(await status(token)).toBe(200)
  })

  it('removes a connected app after 30 days without use', async () => {
    const person = await world.organizer({ at: acme, app: 'Sleepy app' })
    await world.database.pool.query(`update oauth_grants set last_used_at = lanyard_now() - interval '31 days' where id = $1`, [
      person.grantId,
    ])
    expect((await (await new ConsoleBrowser(served).enter(world, person)).get(PATH)).text).toContain('No connected apps')
  })
})
