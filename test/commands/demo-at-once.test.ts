import { afterAll, beforeAll, expect, it } from 'vitest'
import { removeDemo, seedDemo } from '../../src/demo.ts'
import type { Passwords } from '../../src/kernel/ports.ts'
import { newWorld, RESOURCE, type World } from '../support/world.ts'

let world: World
const passwords: Passwords = { hash: (password) => Promise.resolve(`hash of ${password.length}`), verify: () => Promise.resolve(true) }

beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

const seed = () =>
  seedDemo(world.database, { resource: RESOURCE, passwords, keys: world.road.keys, files: world.road.files, people: false })

it('the demo is put in once by those who begin at once, and again when it is gone; the others find it there', async () => {
  for (const _ of ['new', 'again']) {
    const begun = await Promise.allSettled([seed(), seed(), seed()])
    const refused = begun.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []))
    expect(refused).toEqual(['Tenant demo exists already', 'Tenant demo exists already'])
    await world.database.transact((db) => removeDemo(db))
    const { rows } = await world.database.pool.query('select from tenants')
    expect(rows).toHaveLength(0)
  }
})
