import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backupCommand } from '../../src/commands/backup.ts'
import { demoCommand } from '../../src/commands/demo.ts'
import { doctorCommand } from '../../src/commands/doctor.ts'
import { restoreCommand } from '../../src/commands/restore.ts'
import { createLog } from '../../src/platform/log.ts'
import { startService } from '../../src/start.ts'
import { ConsoleBrowser } from '../console/console-browser.ts'
import { readTableDigests, install, type Installation } from '../support/installations.ts'
import { sendHttp, buildLegacyMessage, ORGANIZER_PATH, toolCallParams } from '../support/rpc.ts'
import { chooseFreeBaseUrl } from '../support/server.ts'

const onPostgres = Boolean(process.env['TEST_DATABASE_URL'])
/**
 * Restoring into an embedded database, and early refusals, do not depend on the source database engine, so only one test run covers them.
 */
const isTestedElsewhere = onPostgres

/** An installation with the complete demo; its backups are restored into other installations. */
let demo: Installation
let baseUrl: string
let backup: string
let made: { organizer: string; password: string; organizerToken: string }
let before: Record<string, string>
const secretKey = randomBytes(32).toString('base64')
const places: Installation[] = []

const another = async (engine: 'embedded' | 'postgres' = 'embedded', more: { secretKey?: string } = {}) => {
  const place = await install(engine, { secretKey, LANYARD_BASE_URL: baseUrl, PORT: new URL(baseUrl).port, ...more })
  places.push(place)
  return place
}

/** Reads a digest of every table. Excludes the row that records the backup, which is written after the backup. */
const rowsOf = (place: Installation) => place.useDatabase((pool) => readTableDigests(pool, { without: ['backups'] }))

beforeAll(async () => {
  baseUrl = await chooseFreeBaseUrl()
  demo = await another(onPostgres ? 'postgres' : 'embedded')
  made = await demo.run(demoCommand, [])
  await demo.useDatabase((pool) =>
    pool.query(`update participants set job_title = E'a\\nb\\t"c"\\\\ d, ''ü''' where id = (select min(id) from participants)`),
  )
  before = await rowsOf(demo)
  backup = join(demo.dataDir, 'demo.backup')
  await demo.run(backupCommand, [backup])
})
afterAll(async () => {
  for (const place of places) await place.remove()
})

/** Runs the service on an installation while `use` runs. */
async function serving<T>(place: Installation, use: (served: { url: (path: string) => string }) => Promise<T>): Promise<T> {
  const log = createLog({ level: 'error', format: 'json', write: () => {} })
  const running = await startService({ ...place.environment, role: 'web' }, log)
  try {
    return await use({ url: (path) => baseUrl + path })
  } finally {
    await running.stop()
  }
}

const call = async (name: string, args: object) => {
  const { headers, body } = buildLegacyMessage('tools/call', toolCallParams(name, args))
  const sent = { ...headers, 'content-type': 'application/json', authorization: `Bearer ${made.organizerToken}` }
  const answer = await sendHttp(`${baseUrl}${ORGANIZER_PATH}`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  return answer.json.result.structuredContent
}

const countOf = (number: string) => Number(/\d+$/.exec(number)![0])

const newOrder = async (name: string) => {
  const data = {
    '@participant.firstName': name,
    '@participant.lastName': 'Novak',
    '@participant.email': `${name}@restored.example.org`,
    '@participant.company': 'Novak',
    '@participant.country': 'PT',
    '@custom.diet': 'vegetarian',
    '@product.conference-pass': 1,
    '@policy.conduct': true,
    '@policy.terms': true,
  }
  const { order } = await call('add_participant', { eventCode: 'summit-2027', flowSlug: 'attendee', data })
  return countOf(order.number)
}

describe('lanyard backup', () => {
  it('restores a backup with every row and file into another installation, also while a service without users runs there', async () => {
    const place = await another(onPostgres ? 'postgres' : 'embedded')
    await place.useDatabase((pool) => pool.query(`insert into recurring_slots (name, slot) values ('tidy', now())`))
    const restored = await place.run(restoreCommand, [backup])
    expect(restored).toMatchObject({ migrated: [], sealedOpens: true, broken: [], missingFiles: [], events: 4 })
    expect(restored.files).toBeGreaterThan(0)
    expect(await rowsOf(place)).toEqual(before)
    expect(before['participants']).toMatch(/^[1-9]\d* rows/)

    const latest = await place.useDatabase(async (pool) => {
      const { rows } = await pool.query<{ unchecked: number; asleep: number }>(
        `select (select count(*)::int from pg_constraint where contype = 'f' and not convalidated) as unchecked,
           (select count(*)::int from pg_trigger where not tgisinternal and tgenabled <> 'O') as asleep`,
      )
      expect(rows[0]).toEqual({ unchecked: 0, asleep: 0 })
      await expect(pool.query(`update ledger_entries set amount = amount + 1`)).rejects.toThrow('never changed')
      await expect(pool.query(`delete from clients`)).rejects.toThrow('foreign key')
      // Identity columns continue after the highest restored value.
      const { rows: identities } = await pool.query<{ behind: string; name: string }>(
        `select attrelid::regclass::text as name, format('select from %s having max(%I) > coalesce(pg_sequence_last_value(%L), 0)',
           attrelid::regclass, attname, pg_get_serial_sequence(attrelid::regclass::text, attname)) as behind
         from pg_attribute where attidentity <> '' and attrelid > 16000`,
      )
      expect(identities.length).toBeGreaterThan(3)
      for (const { name, behind } of identities) expect([name, (await pool.query(behind)).rows]).toEqual([name, []])
      const { rows: orders } = await pool.query<{ number: string }>(
        `select number from orders o join events e on e.tenant_id = o.tenant_id and e.id = o.event_id
         where e.code = 'summit-2027' and not o.is_test_data`,
      )
      return Math.max(...orders.map(({ number }) => countOf(number)))
    })

    await serving(place, async (served) => {
      const page = await new ConsoleBrowser(served as never).signIn(made.organizer, made.password)
      expect(page.status).toBe(303)
      expect((await call('list_my_events', {})).total).toBe(4)
      // Order numbers continue without gaps and duplicates.
      const numbers = [await newOrder('ana'), await newOrder('ben')]
      expect(numbers).toEqual([latest + 1, latest + 2])
    })
  })

  it.skipIf(isTestedElsewhere)('warns in lanyard doctor until a backup was recorded or declared as made elsewhere', async () => {
    const place = await another()
    const noted = async () =>
      (await place.run(doctorCommand, [])).findings.find(({ check }: { check: string }) => check === 'backups') as {
        state: string
        says: string
      }
    expect(await noted()).toMatchObject({
      state: 'warn',
      says: expect.stringContaining('no backup recorded yet: run `lanyard backup <file>`'),
    })
    await place.run(backupCommand, [join(place.dataDir, 'first.backup')])
    expect(await noted()).toMatchObject({ state: 'ok', says: expect.stringContaining('the last was recorded on') })
    await place.run(backupCommand, [], { elsewhere: true })
    await place.run(backupCommand, [join(place.dataDir, 'second.backup')])
    expect(await noted()).toMatchObject({ state: 'ok', says: expect.stringContaining('made elsewhere') })
  })

  it('never overwrites an existing file with a backup', async () => {
    const there = await readFile(backup)
    await expect(demo.run(backupCommand, [backup])).rejects.toThrow('already exists')
    expect(await readFile(backup)).toEqual(there)
    await expect(demo.run(backupCommand, [join(demo.dataDir, 'nowhere', 'a.backup')])).rejects.toThrow('Cannot write to the folder')
  })

  it.skipIf(isTestedElsewhere)("does not open a backup without the installation's key", async () => {
    const bytes = await readFile(backup)
    expect(bytes.includes('summit-2027')).toBe(false)
    const place = await another('embedded', { secretKey: randomBytes(32).toString('base64') })
    await expect(place.run(restoreCommand, [backup])).rejects.toThrow('does not open with this key')
    expect(existsSync(join(place.dataDir, 'postgres'))).toBe(false)
  })

  it.skipIf(isTestedElsewhere)("encrypts a backup with a separate key, and reports values that need the installation's key", async () => {
    const keyFile = join(demo.dataDir, 'backup.key')
    await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`)
    const file = join(demo.dataDir, 'own-key.backup')
    await demo.run(backupCommand, [file], { 'key-file': keyFile })
    const place = await another('embedded', { secretKey: randomBytes(32).toString('base64') })
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('does not open with this key')
    const answer = await restoreCommand.run({ environment: place.environment, words: [file], flags: { 'key-file': keyFile } })
    expect(answer.data).toMatchObject({ sealedOpens: false, broken: [] })
    expect(answer.text).toContain('a different secret key than the backup')
    expect(await rowsOf(place)).toEqual(before)
    await expect(demo.run(backupCommand, [`${file}.2`], { 'key-file': join(demo.dataDir, 'none') })).rejects.toThrow('openssl rand')
  })
})

describe('lanyard restore', () => {
  it.skipIf(isTestedElsewhere).each([
    ['one byte differs', async (file: string) => flip(file, 0.5)],
    ['the last byte differs', async (file: string) => flip(file, 1)],
    ['the end is missing', async (file: string) => truncate(file, Math.floor((await readFile(file)).length / 2))],
    ['the last chunk is missing', withoutLastPiece],
    ['bytes were added', async (file: string) => writeFile(file, Buffer.concat([await readFile(file), Buffer.from('more')]))],
  ])('refuses to restore a backup, before anything is written, if %s', async (_, damage) => {
    const place = await another()
    const file = join(place.dataDir, 'damaged.backup')
    await writeFile(file, await readFile(backup))
    await damage(file)
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('damaged or incomplete')
    expect(existsSync(join(place.dataDir, 'postgres'))).toBe(false)
    expect(existsSync(join(place.dataDir, 'files'))).toBe(false)
  })

  it.skipIf(isTestedElsewhere)('rejects a backup of a later version and a file that is not a backup', async () => {
    const place = await another()
    const file = join(place.dataDir, 'later.backup')
    const bytes = await readFile(backup)
    await writeFile(file, Buffer.concat([Buffer.from('lanyard backup 2\n'), bytes.subarray(bytes.indexOf('\n') + 1)]))
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('later version of Lanyard (format 2, this one reads 1)')
    await writeFile(file, 'something else\n')
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('not a Lanyard backup')
    await expect(place.run(restoreCommand, [`${file}.gone`])).rejects.toThrow('Cannot read the file')
    await expect(place.run(restoreCommand, [])).rejects.toThrow('Give the file of a backup')
    expect(existsSync(join(place.dataDir, 'postgres'))).toBe(false)
  })

  it('refuses to restore a backup into a database with data, and changes nothing in that database', async () => {
    const place = await another(onPostgres ? 'postgres' : 'embedded')
    await place.useDatabase((pool) => pool.query(`insert into tenants (code, name) values ('mine', 'Mine')`))
    const there = await rowsOf(place)
    await expect(place.run(restoreCommand, [backup])).rejects.toThrow('into an empty database')
    expect(await rowsOf(place)).toEqual(there)
    expect(existsSync(join(place.dataDir, 'files', '1'))).toBe(false)
  })
})

describe.runIf(onPostgres)('backup between database engines', () => {
  it('moves every row from PostgreSQL to the embedded database and back', async () => {
    const embedded = await another('embedded')
    await embedded.run(restoreCommand, [backup])
    expect(await rowsOf(embedded)).toEqual(before)
    const further = join(embedded.dataDir, 'further.backup')
    await embedded.run(backupCommand, [further])
    const back = await another('postgres')
    expect(await back.run(restoreCommand, [further])).toMatchObject({ broken: [], events: 4 })
    expect(await rowsOf(back)).toEqual(before)
  })
})

async function flip(file: string, part: number): Promise<void> {
  const bytes = await readFile(file)
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * part))
  bytes[at]! ^= 1
  await writeFile(file, bytes)
}

/** Chunks start with their length, so a file that ends between two chunks looks complete. */
async function withoutLastPiece(file: string): Promise<void> {
  const bytes = await readFile(file)
  let at = bytes.indexOf('\n', bytes.indexOf('\n') + 1) + 1
  let last = at
  while (at < bytes.length) {
    last = at
    at += 4 + bytes.readUInt32BE(at) + 16
  }
  await truncate(file, last)
}
