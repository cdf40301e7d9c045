import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ENTITIES } from '../index.ts'

const MIGRATIONS = new URL('../../../../../migrations/', import.meta.url)

/** The text of the migrations that give rights to the role of reports. */
const grants = readdirSync(MIGRATIONS)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'))
  .filter((text) => text.includes('lanyard_show_to_reports'))
  .join('\n')

describe('tables of the dictionary', () => {
  it('grants the database role of reports access to every table of the dictionary', () => {
    const tables = new Set([...ENTITIES.values()].flatMap((entity) => entity.tables))
    expect([...tables].filter((table) => !new RegExp(`\\b${table}\\b`).test(grants))).toEqual([])
    expect(tables.size).toBeGreaterThan(50)
  })

  it('includes tables that only a relation reads in the tables of an entity', () => {
    expect(ENTITIES.get('contract')!.tables).toContain('rfp_responses')
  })
})
