import { afterAll, beforeAll, it } from 'vitest'
import { playPage } from '../support/page-play.ts'
import { legacy, post } from '../support/rpc.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let served: Served
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  olga = await world.organizer({ at: await world.client({ code: 'acme', name: 'Acme Events' }), email: 'olga@example.org' })
  served = await serve(world)
})
afterAll(() => world.end())

it('the page about the first event ends with one that people can register for', async () => {
  const page = playPage('first-event', {
    served,
    variables: { ACCESS: olga.token },
    call: async (params) => (await post(served, olga.token, legacy('tools/call', params))).json.result,
  })
  await page.play()
  page.finish()
})
