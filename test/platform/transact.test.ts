import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newAuditDraft, recordChange } from '../../src/kernel/audit.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { commitChange } from '../../src/kernel/commit-change.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let at: EventHandle
beforeAll(async () => {
  world = await newWorld()
  at = await world.event()
})
afterAll(() => world.end())

const lose = (db: Db, code: string) => sql.raw(`do $$ begin raise exception 'lost' using errcode = '${code}'; end $$`).execute(db)

describe('conflicting transaction', () => {
  it.each(['40001', '40P01'])('retries a conflicting transaction from its first statement (%s)', async (code) => {
    let tries = 0
    const rows = await world.database.transact(async (db) => {
      tries++
      await sql`update clients set name = name || '!' where id = ${at.clientId}`.execute(db)
      if (tries < 3) await lose(db, code)
      return db.selectFrom('clients').select('name').where('id', '=', at.clientId).execute()
    })
    expect(tries).toBe(3)
    expect(rows).toHaveLength(1)
  })

  it('gives up a conflicting transaction after three retries, and does not retry after other errors', async () => {
    for (const [code, expected] of [
      ['40001', 4],
      ['23505', 1],
    ] as const) {
      let tries = 0
      const run = world.database.transact(async (db) => {
        tries++
        await lose(db, code)
      })
      await expect(run).rejects.toMatchObject({ code })
      expect(tries).toBe(expected)
    }
  })
})

describe('conflicting change', () => {
  it('writes an audit entry only for the committed attempt', async () => {
    const actor = { kind: 'organizer' as const, id: 'x', name: 'Olga', app: { id: null, name: 'test' } }
    let tries = 0
    await commitChange(
      world.database,
      { name: 'planted', clientId: at.clientId },
      (db) => ({ tenantId: at.tenantId, actor, db, audit: newAuditDraft() }),
      async (ctx) => {
        recordChange(ctx, { kind: 'client', id: at.clientId, after: { tries: ++tries } })
        if (tries < 3) await lose(ctx.db, '40001')
      },
    )
    const { rows } = await world.database.pool.query(`select targets from audit_entries where tool = 'planted'`)
    expect(rows).toEqual([{ targets: [{ kind: 'client', id: at.clientId, fields: { tries: { after: 3 } } }] }])
  })
})
