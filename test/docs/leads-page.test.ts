import { afterAll, beforeAll, it } from 'vitest'
import { playPage } from '../support/page-play.ts'
import { openShowFloor, type ShowFloor } from '../support/scanning.ts'
import { freeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let floor: ShowFloor

beforeAll(async () => {
  world = await newWorld({ baseUrl: await freeBaseUrl() })
  const acme = await world.client({ code: 'acme', name: 'Acme Events' })
  floor = await openShowFloor({ ...world, event: (more) => world.event({ ...more, at: acme, code: 'summit-2027' }) })
  served = await serve(world)
})
afterAll(() => world.end())

it('the page about leads is what a scanner asks and reads', async () => {
  const [licensed, other] = [await floor.licensed(), await floor.exhibitors.company({ name: 'Cirrus' })]
  const page = playPage('leads', { served, variables: { ACTIVATION_CODE: licensed.code, UNLICENSED_CODE: other.code } })
  await page.play()
  page.finish()
})
