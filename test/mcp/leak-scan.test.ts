import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newToken } from '../../src/kernel/secrets.ts'
import { findTablesWithTokens, findTokenLines } from '../support/leaks.ts'
import { newWorld, type World } from '../support/world.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Ids of OAuth clients and of visitors, which give no access. */
const PUBLIC_PREFIXES = new Set(['loc_', 'v_'])

/** Every test world scans its log and tables for leaked tokens when it ends. This test verifies that the scan finds planted tokens. */
describe('scan for leaked tokens', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.end())

  it('finds a token in a log line and in a table, and reports no log lines and tables without tokens', async () => {
    const olga = await world.organizer()
    expect(findTokenLines([`request with ${olga.token} in it`, 'an honest line'])).toEqual(['request with [token] in it'])
    expect(await findTablesWithTokens(world.database.pool)).toEqual([])
    await world.database.pool.query('update users set name = $1 where id = $2', [olga.token, olga.userId])
    expect(await findTablesWithTokens(world.database.pool)).toEqual(['users'])
    await world.database.pool.query(`update users set name = 'clean' where id = $1`, [olga.userId])
  })
  it.each([
    ['at the start', ''],
    ['after a space', 'Bearer '],
    ['in JSON', '{"token":"'],
    ['after a line break', 'Your link:\n'],
    ['in a URL', 'https://example.org/?token='],
    ['in an encoded URL', 'next=%2Fsign-in%3Ftoken%3D'],
  ])('finds a leaked token %s', async (_place, before) => {
    const olga = await world.organizer()
    const text = `${before}${olga.token}`
    expect(findTokenLines([text, JSON.stringify({ text })])).toHaveLength(2)
    await expectTables(olga.userId, text, ['users'])
    await expectTables(olga.userId, JSON.stringify({ text }), ['users'])
  })

  it('finds every kind of token that the product issues', () => {
    const texts = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/**/tests/**'] }).map((path) => readFileSync(join(ROOT, path), 'utf8'))
    const prefixes = texts.flatMap((text) => [...text.matchAll(/(?:newToken\(|LINK_PREFIX = )'([a-z]+_)'/g)].map(([, prefix]) => prefix!))
    const secret = [...new Set([...prefixes, 'sign_'])].filter((prefix) => !PUBLIC_PREFIXES.has(prefix))
    expect(secret.filter((prefix) => findTokenLines([newToken(prefix)]).length === 0)).toEqual([])
    expect(secret).toEqual(expect.arrayContaining(['supplier_', 'sign_', 'hotel_', 'door_', 'report_']))
  })

  it('ignores random characters inside an encrypted value that look like a token', async () => {
    const olga = await world.organizer()
    for (const before of ['x', '9', '_', '-']) {
      const text = `v1.${before}${olga.token}`
      expect(findTokenLines([text])).toEqual([])
      await expectTables(olga.userId, text, [])
    }
  })

  async function expectTables(userId: string, name: string, tables: string[]) {
    await world.database.pool.query('update users set name = $1 where id = $2', [name, userId])
    expect(await findTablesWithTokens(world.database.pool)).toEqual(tables)
    await world.database.pool.query(`update users set name = 'clean' where id = $1`, [userId])
  }
})
