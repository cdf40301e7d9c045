import { describe, expect, it } from 'vitest'
import { readTableTypes, generateTableTypes } from '../../scripts/table-types.ts'
import { createFreshDatabase } from '../support/database.ts'

describe('migrations/tables.d.ts', () => {
  it('matches tables.d.ts with the schema of a migrated database', async () => {
    const database = await createFreshDatabase()
    try {
      expect(await generateTableTypes(database.pool)).toBe(await readTableTypes())
    } finally {
      await database.drop()
    }
  })

  it('generates another tables.d.ts when a migration adds a column', async () => {
    const database = await createFreshDatabase()
    try {
      await database.pool.query(`alter table managed_groups add column motto text check (motto in ('go', 'stay'))`)
      expect(await generateTableTypes(database.pool)).toContain("    motto: NullableColumn<'go' | 'stay'>\n")
    } finally {
      await database.drop()
    }
  })
})
