import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { restoreCommand } from '../../src/commands/restore.ts'
import { listFileHashes } from '../../src/domains/files/file-hashes.ts'
import { newId } from '../../src/kernel/ids.ts'
import { deriveKeys } from '../../src/kernel/secrets.ts'
import type { Pool } from '../../src/kernel/ports.ts'
import { type BackupDependencies, writeBackup } from '../../src/platform/backup/write-backup.ts'
import { createDiskFileStore } from '../../src/platform/disk-file-store.ts'
import { openEmbeddedPostgres } from '../../src/platform/embedded-database.ts'
import { migrate, migrationsFolder } from '../../src/platform/migrations.ts'
import { createFreshDatabase } from '../support/database.ts'
import { createTestFolder } from '../support/folder.ts'
import { install } from '../support/installations.ts'
import { startChild } from './children.ts'

const onPostgres = Boolean(process.env['TEST_DATABASE_URL'])
const secretKey = randomBytes(32)
const settings = { secretKey: secretKey.toString('base64') }

function folder(): string {
  const made = createTestFolder()
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

const parts = (dataDir: string, reader: Pool): BackupDependencies => ({
  reader,
  files: createDiskFileStore(join(dataDir, 'files')),
  keys: deriveKeys(secretKey),
  listFiles: listFileHashes,
})

const elsewhere = async (engine: 'embedded' | 'postgres' = 'embedded') => {
  const place = await install(engine, settings)
  onTestFinished(() => place.remove())
  return place
}

describe('interrupted backup', () => {
  // Always uses an embedded database, so the test is skipped in the PostgreSQL run.
  it.skipIf(onPostgres)(
    'leaves no file with the final name of a backup when the process is killed, and does not block the next backup',
    async () => {
      const dataDir = folder()
      const child = startChild('write-backup', dataDir)
      expect(await child.line()).toBe('in the midst of it')
      await child.kill()
      const left = (await readdir(dataDir)).filter((name) => name.startsWith('a.backup'))
      expect(left).toEqual([expect.stringMatching(/^a\.backup\..+\.part$/)])
    },
  )

  it('leaves no file and no open transaction after a failed backup', async () => {
    const dataDir = folder()
    const database = await createFreshDatabase()
    onTestFinished(() => database.drop())
    const failing = { ...parts(dataDir, database.reader), listFiles: () => Promise.reject(new Error('gone')) }
    await expect(writeBackup(join(dataDir, 'a.backup'), failing)).rejects.toThrow('gone')
    expect(await readdir(dataDir)).toEqual([])
    // The transaction is closed, and its connection is reused.
    expect((await database.reader.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })
})

describe.skipIf(onPostgres)('backup of an earlier version', () => {
  it('restores a backup of an earlier version and then migrates it', async () => {
    const dataDir = folder()
    const earlier = join(dataDir, 'migrations')
    await mkdir(earlier)
    const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).toSorted()
    const then = names.filter((name) => name < '0012')
    for (const name of then) await copyFile(join(migrationsFolder, name), join(earlier, name))
    const { pool, close } = await openEmbeddedPostgres(join(dataDir, 'then'))
    // Emptying the schema is much faster than creating a database.
    await pool.query('drop schema public cascade; create schema public')
    expect(await migrate(pool, earlier)).toEqual(then)
    await pool.query(`insert into tenants (code, name) values ('acme', 'Acme'), ('other', 'Other')`)
    await pool.query(`delete from tenants where code = 'other'`)
    await pool.query(`insert into clients (tenant_id, id, code, name) values (1, '${newId()}', 'main', 'Zoë’s "Events"')`)
    const backup = join(dataDir, 'earlier.backup')
    await writeBackup(backup, parts(dataDir, pool))
    await close()

    const place = await elsewhere()
    expect(await place.run(restoreCommand, [backup])).toMatchObject({ migrated: names.slice(then.length), broken: [] })
    await place.useDatabase(async (restored) => {
      expect((await restored.query('select code, name from clients')).rows).toEqual([{ code: 'main', name: 'Zoë’s "Events"' }])
      await restored.query(`insert into tenants (code, name) values ('next', 'Next')`)
      const { rows } = await restored.query(`select code, id = 1 as first from tenants order by code`)
      expect(rows).toEqual([
        { code: 'acme', first: true },
        { code: 'next', first: false },
      ])
    })
  })
})

describe.runIf(onPostgres)('backup of a database during writes', () => {
  it('backs up a consistent snapshot during writes: a row that moves between tables is in exactly one table of the backup', async () => {
    const dataDir = folder()
    const database = await createFreshDatabase()
    onTestFinished(() => database.drop())
    const run = (text: string) => database.pool.query(text)
    await run(`insert into tenants (id, code, name) values (1, 'acme', 'Acme')`)
    const [client, event] = [newId(), newId()]
    await run(`insert into clients (tenant_id, id, code, name, confirm_recipients) values (1, '${client}', 'main', 'Main', 60)`)
    await run(
      `insert into events (tenant_id, client_id, id, code, name, starts_on, ends_on, timezone, currency)
       values (1, '${client}', '${event}', 'summit', 'Summit', '2027-05-11', '2027-05-12', 'Europe/Lisbon', 'EUR')`,
    )
    await run(`insert into number_series (tenant_id, event_id, series, last) values (1, '${event}', 'R', 40)`)
    const moved: number[] = []
    /** Between two table reads, ten rows move from one table to the other, and both get a new row. */
    const move = async () => {
      if (moved.length === 5) return
      const n = moved.push(10)
      await run(
        `with a as (update clients set confirm_recipients = confirm_recipients - 10 where id = '${client}'),
           t as (insert into tenants (code, name) values ('tenant-${n}', 'T') returning id),
           c as (insert into clients (tenant_id, id, code, name, confirm_recipients) select id, '${newId()}', 'c${n}', 'C', 1 from t)
         update number_series set last = last + 10`,
      )
    }
    const reader: Pool = {
      ...database.reader,
      async connect() {
        const connection = await database.reader.connect()
        return {
          ...connection,
          async query<R>(text: string, values?: readonly unknown[]) {
            const answer = await connection.query<R>(text, values)
            if (text.startsWith('close')) await move()
            return answer
          },
        }
      },
    }
    const backup = join(dataDir, 'moment.backup')
    await writeBackup(backup, parts(dataDir, reader))
    expect(moved).toHaveLength(5)

    const place = await elsewhere('postgres')
    await place.run(restoreCommand, [backup])
    await place.useDatabase(async (pool) => {
      const { rows } = await pool.query(
        `select (select confirm_recipients from clients where id = '${client}') + (select last from number_series) as sum,
           (select count(*)::int from tenants) as tenants, (select count(*)::int from clients) as clients`,
      )
      expect(rows).toEqual([{ sum: 100, tenants: 1, clients: 1 }])
    })
  })
})
