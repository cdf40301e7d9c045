import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPendingAuditEntry, recordChange } from '../../src/kernel/audit.ts'
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

describe('transaction that conflicts with another one', () => {
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

  it('gives up a conflicting transaction after three retries, and does not retry a transaction after other errors', async () => {
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

describe('commit that is sent before the responses of earlier statements arrived', () => {
  const rename = (name: string) => sql`update clients set name = ${name} where id = ${at.clientId}`
  const compile = (db: Db, text: string): CompiledQuery => sql.raw(text).compile(db)
  const readName = async () =>
    (await world.database.pool.query<{ name: string }>('select name from clients where id = $1', [at.clientId])).rows[0]!.name

  it('commits all statements that were started before the commit', async () => {
    const named = await world.database.transact(async (db, end) => {
      const commit = end!.begin(compile(db, 'select 1'))
      const renaming = rename('Early').execute(db)
      commit()
      await renaming
      return 'named'
    })
    expect([named, await readName()]).toEqual(['named', 'Early'])
  })

  it('rolls back a transaction if one of its statements fails, and retries the transaction after a serialization failure', async () => {
    let tries = 0
    await world.database.transact(async (db, end) => {
      tries++
      const commit = end!.begin(compile(db, 'select 1'))
      const renaming = [rename(`Attempt ${tries}`).execute(db), ...(tries < 3 ? [lose(db, '40001')] : [])]
      commit()
      await Promise.all(renaming)
    })
    expect([tries, await readName()]).toEqual([3, 'Attempt 3'])
    const refused = world.database.transact(async (db, end) => {
      const commit = end!.begin(compile(db, 'select 1'))
      const renaming = [rename('Refused').execute(db), lose(db, '23505')]
      commit()
      await Promise.all(renaming)
    })
    await expect(refused).rejects.toMatchObject({ code: '23505' })
    expect(await readName()).toBe('Attempt 3')
  })

  it('reports the SQL statement that failed first, not those that failed because of the first', async () => {
    let tries = 0
    const run = world.database.transact(async (db, end) => {
      tries++
      const commit = end!.begin(
        compile(db, `do $$ begin raise exception 'lost' using errcode = '${tries < 2 ? '40001' : '23505'}'; end $$`),
      )
      const renaming = rename('Late').execute(db)
      commit()
      await renaming
    })
    await expect(run).rejects.toMatchObject({ code: '23505' })
    expect([tries, await readName()]).toEqual([2, 'Attempt 3'])
  })

  it('refuses statements after the commit was sent, and never repeats a committed transaction', async () => {
    let tries = 0
    const run = world.database.transact(async (db, end) => {
      tries++
      const commit = end!.begin(compile(db, 'select 1'))
      const renaming = rename(`Committed ${tries}`).execute(db)
      commit()
      await renaming
      await expect(rename('Outside').execute(db)).rejects.toThrow('after the commit')
      throw Object.assign(new Error('conflict'), { code: '40001' })
    })
    await expect(run).rejects.toThrow('was committed')
    expect([tries, await readName()]).toEqual([1, 'Committed 1'])
  })

  it('commits at the end of a transaction if the early commit was prepared but not sent', async () => {
    await world.database.transact(async (db, end) => {
      end!.begin(compile(db, `update clients set name = name || '!' where id = '${at.clientId}'`))
      await rename('Prepared').execute(db)
    })
    expect(await readName()).toBe('Prepared')
  })
})

describe('change that conflicts with another one', () => {
  it('writes an audit entry only for the committed attempt of a conflicting change', async () => {
    const actor = { kind: 'organizer' as const, id: 'x', name: 'Olga', app: { id: null, name: 'test' } }
    let tries = 0
    await commitChange(
      world.database,
      { name: 'planted', clientId: at.clientId },
      (db) => ({ tenantId: at.tenantId, actor, db, audit: createPendingAuditEntry() }),
      async (ctx) => {
        recordChange(ctx, { kind: 'client', id: at.clientId, after: { tries: ++tries } })
        if (tries < 3) await lose(ctx.db, '40001')
      },
    )
    const { rows } = await world.database.pool.query(`select targets from audit_entries where tool = 'planted'`)
    expect(rows).toEqual([{ targets: [{ kind: 'client', id: at.clientId, fields: { tries: { after: 3 } } }] }])
  })
})
