import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tablesWithTokens, tokensIn } from '../support/leaks.ts'
import { newWorld, type World } from '../support/world.ts'

/** The control of the scan that every world makes at its end: planted tokens must be found. */
describe('the scan for leaked tokens', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.end())

  it('finds a token in a log line and in a table, and nothing where there is none', async () => {
    const olga = await world.organizer()
    expect(tokensIn([`request with ${olga.token} in it`, 'an honest line'])).toEqual(['request with [token] in it'])
    expect(await tablesWithTokens(world.database.pool)).toEqual([])
    await world.database.pool.query('update users set name = $1 where id = $2', [olga.token, olga.userId])
    expect(await tablesWithTokens(world.database.pool)).toEqual(['users'])
    await world.database.pool.query(`update users set name = 'clean' where id = $1`, [olga.userId])
  })
})
