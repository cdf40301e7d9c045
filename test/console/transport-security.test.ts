import { afterAll, beforeAll, expect, it } from 'vitest'
import { exchange } from '../support/rpc.ts'
import { freeBaseUrl, serve } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => void (world = await newWorld({ baseUrl: await freeBaseUrl() })))
afterAll(() => world.end())

const PAGES = ['/', '/docs', '/console', '/console/sign-in', '/nowhere', '/api/oauth/token', '/healthz']

it('every page asks browsers to come by https only, where that is how it is reached', async () => {
  const port = Number(new URL(await freeBaseUrl()).port)
  const [here, there] = [await serve(world), await serve(world, { port, env: { LANYARD_BASE_URL: 'https://events.example.org' } })]
  for (const path of PAGES) {
    const [plain, secure] = [await exchange(here.url(path)), await exchange(there.url(path))]
    expect([path, plain.headers['strict-transport-security'], secure.headers['strict-transport-security']]).toEqual([
      path,
      undefined,
      'max-age=31536000',
    ])
  }
})
