import { afterAll, beforeAll, it } from 'vitest'
import { executePage } from '../support/executed-page.ts'
import { buildLegacyMessage, postMessage } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  olga = await world.organizer({ at: await world.client({ code: 'acme', name: 'Acme Events' }), email: 'olga@example.org' })
  served = await serve(world)
})
afterAll(() => world.end())

it('runs the commands of the first-event page and gets an event that is open for registration', async () => {
  const page = executePage('first-event', {
    served,
    variables: { ACCESS: olga.token },
    call: async (params) => (await postMessage(served, olga.token, buildLegacyMessage('tools/call', params))).json.result,
  })
  await page.runUntil()
  page.finish()
})
