import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTablesWithTokens, findTokenLines } from '../support/leaks.ts'
import { newWorld, type World } from '../support/world.ts'

/** Every test world scans its log and tables for leaked tokens when it ends. This test verifies that the scan finds planted tokens. */
describe('scan for leaked tokens', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.end())

  it('finds a token in a log line and in a table, and nothing in clean ones', async () => {
    const olga = await world.organizer()
    expect(findTokenLines([`request with ${olga.token} in it`, 'an honest line'])).toEqual(['request with [token] in it'])
    expect(await findTablesWithTokens(world.database.pool)).toEqual([])
    await world.database.pool.query('update users set name = $1 where id = $2', [olga.token, olga.userId])
    expect(await findTablesWithTokens(world.database.pool)).toEqual(['users'])
    await world.database.pool.query(`update users set name = 'clean' where id = $1`, [olga.userId])
  })
})
