import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteDemoTenant, seedDemo } from '../../src/demo.ts'
import type { PasswordHasher } from '../../src/kernel/ports.ts'
import { newWorld, RESOURCE, type World } from '../support/world.ts'

let world: World
const passwords: PasswordHasher = { hash: (password) => Promise.resolve(`hash of ${password.length}`), verify: () => Promise.resolve(true) }

beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

const seed = () =>
  seedDemo(world.database, { resource: RESOURCE, passwords, keys: world.services.keys, files: world.services.files, people: false })

it('creates the demo once for concurrent starts, and again after it was removed', async () => {
  for (const _ of ['new', 'again']) {
    const begun = await Promise.allSettled([seed(), seed(), seed()])
    const refused = begun.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []))
    expect(refused).toEqual(['Tenant demo exists already', 'Tenant demo exists already'])
    await world.database.transact((db) => deleteDemoTenant(db))
    const { rows } = await world.database.pool.query('select from tenants')
    expect(rows).toHaveLength(0)
  }
})
