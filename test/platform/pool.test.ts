import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PooledConnection, Pool } from '../../src/kernel/ports.ts'
import { runWithoutOtherConnections } from '../../src/platform/pool.ts'
import { createFreshDatabase, type FreshDatabase } from '../support/database.ts'

interface Tables {
  people: { id: number; name: string }
}

let database: FreshDatabase
let pool: Pool
let db: Kysely<Tables>

beforeAll(async () => {
  database = await createFreshDatabase()
  pool = database.pool
  db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
  await pool.query('create table people (id int primary key, name text not null)')
})
afterAll(() => database.drop())
beforeEach(() => pool.query('truncate people'))

const count = async () => (await pool.query<{ n: number }>('select count(*) as n from people')).rows[0]?.n
async function withConnection<T>(run: (connection: PooledConnection) => Promise<T>): Promise<T> {
  const connection = await pool.connect()
  try {
    return await run(connection)
  } finally {
    connection.release()
  }
}
const transact = <T>(run: (tx: Kysely<Tables>) => Promise<T>) =>
  db.connection().execute((connection) => runWithoutOtherConnections(() => connection.transaction().execute(run)))

describe('values of database columns', () => {
  it('returns the values of columns as JavaScript numbers, days, texts and instants', async () => {
    const { rows } = await pool.query(
      `select $1::int8 as big, '{1,null,3}'::int8[] as bigs, date '2027-03-28' as day,
      '{2027-03-28}'::date[] as days, 12.50::numeric as amount, timestamptz '2027-03-28 01:30+00' as instant`,
      [9007199254740991],
    )
    expect(rows).toEqual([
      {
        big: 9007199254740991,
        bigs: [1, null, 3],
        day: '2027-03-28',
        days: ['2027-03-28'],
        amount: '12.50',
        instant: new Date('2027-03-28T01:30:00Z'),
      },
    ])
  })

  it('rejects an integer that a JavaScript number cannot hold', async () => {
    await expect(pool.query('select $1::int8 as big', ['9007199254740993'])).rejects.toThrow('9007199254740993 is too large')
    expect(await count()).toBe(0)
  })

  it('returns the UTC day of an instant', async () => {
    const { rows } = await pool.query(`select (timestamptz '2027-03-28 23:30+00')::date as day`)
    expect(rows).toEqual([{ day: '2027-03-28' }])
  })
})

describe('prepared statements of the database pool', () => {
  it('prepares a statement once per connection', async () => {
    const text = 'select name from people where id = $1 /* named */'
    const { rows } = await withConnection(async (connection) => {
      await connection.query(text, [1])
      await connection.query(text, [2])
      return connection.query('select statement from pg_prepared_statements where statement = $1', [text])
    })
    expect(rows).toEqual([{ statement: text }])
  })

  it('asks the server to describe the result columns of a prepared statement once per connection', async () => {
    const describeColumns = vi.spyOn(pg.Connection.prototype, 'describe')
    try {
      await withConnection(async (connection) => {
        const text = `select $1::int as n, null::text as empty, array[$1::int8] as list /* described once */`
        for (const n of [1, 2, 3]) {
          expect((await connection.query(text, [n])).rows).toEqual([{ n, empty: null, list: [n] }])
          // Other statements in between keep their own columns.
          expect((await connection.query('select $1::text as other', [`${n}`])).rows).toEqual([{ other: `${n}` }])
        }
        expect(describeColumns).toHaveBeenCalledTimes(2)
        const long = `select $1::int as n ${'/* as long as many rows */ '.repeat(400)}`
        for (const n of [1, 2, 3]) expect((await connection.query(long, [n])).rows).toEqual([{ n }])
        expect(describeColumns).toHaveBeenCalledTimes(5)
      })
    } finally {
      describeColumns.mockRestore()
    }
  })

  it('runs a prepared statement without result columns, and again after it failed', async () => {
    await withConnection(async (connection) => {
      const insert = (id: number | null) => connection.query('insert into people values ($1, $2)', [id, 'Ada'])
      await expect(insert(null)).rejects.toMatchObject({ code: '23502' })
      for (const id of [1, 2]) expect(await insert(id)).toMatchObject({ rows: [], rowCount: 1 })
      await expect(insert(2)).rejects.toMatchObject({ code: '23505' })
      expect(await insert(3)).toMatchObject({ rows: [], rowCount: 1 })
    })
  })

  it('does not cache prepared statements for long lists of rows, unless the statement is marked as constant', async () => {
    const long = `select $1::int as n ${'/* as long as many rows */ '.repeat(400)}`
    const mark = '/* same text for every call */'
    const { rows } = await withConnection(async (connection) => {
      for (const end of ['', mark]) await connection.query(`${long}${end}`, [1])
      return connection.query<{ end: string }>(
        `select right(statement, ${mark.length}) as end from pg_prepared_statements where statement like '%as long as%' and statement not like '%pg_prepared%'`,
      )
    })
    expect(rows).toEqual([{ end: mark }])
  })

  it('caches statements up to the limit per connection, never under the name of another statement', async () => {
    await withConnection(async (connection) => {
      const read = async (n: number) => (await connection.query<{ n: number }>(`select ${n} + $1::int as n`, [1])).rows[0]!.n
      for (let n = 0; n < 600; n++) {
        expect(await read(n)).toBe(n + 1)
        // A frequently used statement stays cached.
        await read(0)
      }
      for (let n = 0; n < 600; n += 50) expect(await read(n)).toBe(n + 1)
      const { rows } = await connection.query<{ kept: number; most: number }>(
        `select count(*) as kept, count(*) filter (where statement like 'select 0 + %') as most from pg_prepared_statements`,
      )
      expect(rows[0]!.kept).toBeGreaterThan(400)
      expect(rows[0]!.kept).toBeLessThan(510)
      expect(rows[0]!.most).toBe(1)
    })
  })

  it('evicts prepared statements from the cache inside transactions, including failed transactions', async () => {
    await withConnection(async (connection) => {
      await connection.query('begin')
      for (let n = 0; n < 520; n++) await connection.query(`select ${n} - $1::int`, [1])
      await expect(connection.query('select nosuch($1::int)', [1])).rejects.toThrow('nosuch')
      await expect(connection.query('select 1000 - $1::int', [1])).rejects.toThrow('aborted')
      await connection.query('rollback')
      for (let n = 0; n < 520; n++) await connection.query(`select ${n} * $1::int`, [1])
      const { rows } = await connection.query<{ kept: number }>('select count(*) as kept from pg_prepared_statements')
      expect(rows[0]!.kept).toBeLessThan(510)
    })
  })

  it('runs statements in the order in which they were started while it evicts prepared statements', async () => {
    await withConnection(async (connection) => {
      for (let n = 0; n < 520; n++) await connection.query(`select ${n} + $1::int /* evicted */`, [1])
      for (let n = 1; n <= 5; n++) {
        const [, { rows }] = await Promise.all([
          connection.query(`insert into people values ($1, 'Ada ${n}')`, [n]),
          connection.query<{ n: number }>('select count(*)::int as n from people'),
        ])
        expect(rows).toEqual([{ n }])
      }
    })
  })

  it('returns to each of many concurrent statements its own result or error', async () => {
    const kinds = [
      (n: number) => pool.query('select $1::int as n', [n]).then(({ rows }) => rows[0]),
      (n: number) => pool.query('select $1::int / 0', [n]).catch((error: { code: string }) => error.code),
      (n: number) => pool.query('select nosuch($1::int)', [n]).catch((error: { code: string }) => error.code),
      (n: number) => pool.query('selec $1', [n]).catch((error: { code: string }) => error.code),
      (n: number) => pool.query('insert into people values ($1, $2)', [n, null]).catch((error: { code: string }) => error.code),
    ]
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => kinds[n % kinds.length]!(n)))
    expect(answers).toEqual(Array.from({ length: 60 }, (_, n) => [{ n }, '22012', '42883', '42601', '23502'][n % kinds.length]))
  })

  it('lets timers of the process run between two SQL statements', async () => {
    let ran = false
    const timer = setTimeout(() => (ran = true), 1)
    const giveUp = performance.now() + 5000
    while (!ran && performance.now() < giveUp) await pool.query('select $1::int', [1])
    clearTimeout(timer)
    expect(ran).toBe(true)
  })

  it('returns new columns of a prepared “select *” after “alter table”', async () => {
    await pool.query('create table shapes (a int)')
    await pool.query('insert into shapes values (1)')
    const read = (connection: Pick<Pool, 'query'>) => connection.query('select * from shapes where a = $1', [1])
    await withConnection(async (connection) => {
      await read(connection)
      await connection.query('alter table shapes add column b int default 2')
      expect((await read(connection)).rows).toEqual([{ a: 1, b: 2 }])

      await connection.query('alter table shapes add column c int default 3')
      await connection.query('begin')
      await expect(read(connection)).rejects.toMatchObject({ code: '40001', message: expect.stringContaining('cached plan') })
      await connection.query('rollback')
      expect((await read(connection)).rows).toEqual([{ a: 1, b: 2, c: 3 }])
    })
  })
})

describe('database transactions', () => {
  it('leaves no rows of a transaction after a rollback', async () => {
    const failing = transact(async (tx) => {
      await tx.insertInto('people').values({ id: 1, name: 'Ada' }).execute()
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await count()).toBe(0)
  })

  it('keeps the rows of a transaction after a commit', async () => {
    await transact((tx) => tx.insertInto('people').values({ id: 1, name: 'Ada' }).execute())
    expect(await count()).toBe(1)
  })

  it('rejects the commit of a transaction if its code ignored an error of a statement', async () => {
    const swallowing = transact(async (tx) => {
      await tx.insertInto('people').values({ id: 1, name: 'Ada' }).execute()
      await tx
        .insertInto('people')
        .values({ id: 1, name: 'Grace' })
        .execute()
        .catch(() => {})
    })
    await expect(swallowing).rejects.toThrow('rolled back')
    expect(await count()).toBe(0)
  })

  it('rejects the commit after an ignored error also on a connection without the transaction helper', async () => {
    await withConnection(async (connection) => {
      await connection.query('begin')
      await connection.query('select 1/0').catch(() => {})
      await expect(connection.query('commit')).rejects.toThrow('a statement in it had failed')
    })
  })

  it('rejects immediately a query that code inside a transaction sends on another connection', async () => {
    const refusal = 'a query outside its own transaction: use ctx.db'
    await expect(transact(() => pool.query('select 1'))).rejects.toThrow(refusal)
    await expect(transact(() => pool.connect())).rejects.toThrow(refusal)
    await expect(transact(() => database.reader.query('select 1'))).rejects.toThrow(refusal)
    await expect(transact(() => db.selectFrom('people').selectAll().execute())).rejects.toThrow(refusal)
    await expect(transact(() => transact((tx) => tx.selectFrom('people').selectAll().execute()))).rejects.toThrow(refusal)
    expect(await count()).toBe(0)
  })

  it('allows asynchronous work that is still running after a transaction to use the connection pool', async () => {
    const later = Promise.withResolvers<void>()
    const { outlived } = await transact(async () => ({ outlived: later.promise.then(count) }))
    later.resolve()
    expect(await outlived).toBe(0)
  })
})

describe('connections of the database pool', () => {
  it('returns a connection to the pool outside a transaction after a multi-statement query failed', async () => {
    await expect(pool.query('begin; select 1/0; commit')).rejects.toThrow('division by zero')
    await Promise.all(Array.from({ length: 12 }, () => expect(count()).resolves.toBe(0)))
  })

  it('returns a connection to the pool outside a transaction if its user left one open', async () => {
    await withConnection(async (connection) => {
      await connection.query('begin')
      await connection.query('insert into people values ($1, $2)', [1, 'Ada'])
    })
    expect(await count()).toBe(0)
  })

  it('rejects the use or release of a released connection', async () => {
    const connection = await pool.connect()
    connection.release()
    await expect(connection.query('select 1')).rejects.toThrow('was released')
    expect(() => connection.release()).toThrow('released twice')
    expect(pool.usage().waiting).toBe(0)
  })

  it('counts the database connections in use', async () => {
    const before = pool.usage()
    await withConnection(async () => expect(pool.usage().open - pool.usage().idle).toBe(before.open - before.idle + 1))
    expect(pool.usage().open - pool.usage().idle).toBe(before.open - before.idle)
  })
})
