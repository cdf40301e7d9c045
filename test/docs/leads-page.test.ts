import { afterAll, beforeAll, it } from 'vitest'
import { executePage } from '../support/executed-page.ts'
import { openShowFloor, type ShowFloor } from '../support/lead-requests.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  floor = await openShowFloor(
    { ...world, event: (more) => world.event({ ...more, at: acme, code: 'summit-2027' }) },
    {
      exhibitorConfig: { leadVisibleFields: ['firstName', 'lastName', 'email', 'jobTitle', 'cf:topics'], leadQualifiers: ['topics'] } as never,
    },
  )
  served = await serve(world)
})
afterAll(() => world.end())

it('documents lead requests and responses that match those of the server', async () => {
  const [licensed, other] = [await floor.exhibitors.company({ name: 'Borealis' }), await floor.exhibitors.company({ name: 'Cirrus' })]
  await floor.license(licensed.id)
  await floor.license(licensed.id, ['device'], 2)
  const page = executePage('leads', { served, variables: { ACTIVATION_CODE: licensed.code, UNLICENSED_CODE: other.code } })
  await page.runUntil()
  page.finish()
})
