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
import { start } from '../../src/start.ts'
import { Guest } from '../console/guest.ts'
import { digests, install, type Installation } from '../support/installations.ts'
import { exchange, legacy, ORGANIZER, toolCall } from '../support/rpc.ts'
import { freeBaseUrl } from '../support/server.ts'

const onPostgres = Boolean(process.env['TEST_DATABASE_URL'])
/** What is put into an embedded database, or refused before any is opened, is the same whichever one it comes from: told in one run. */
const isTold = onPostgres

/** The demo with everything that it has, in one place; backups of it are put elsewhere. */
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

/** What is noted after the backup is no part of it. */
const rowsOf = (place: Installation) => place.look((pool) => digests(pool, { without: ['backups'] }))

beforeAll(async () => {
  baseUrl = await freeBaseUrl()
  demo = await another(onPostgres ? 'postgres' : 'embedded')
  made = await demo.run(demoCommand, [])
  await demo.look((pool) =>
    pool.query(`update participants set job_title = E'a\\nb\\t"c"\\\\ d, ''ü''' where id = (select min(id) from participants)`),
  )
  before = await rowsOf(demo)
  backup = join(demo.dataDir, 'demo.backup')
  await demo.run(backupCommand, [backup])
})
afterAll(async () => {
  for (const place of places) await place.remove()
})

/** The service over an installation, for as long as `use` takes. */
async function serving<T>(place: Installation, use: (served: { url: (path: string) => string }) => Promise<T>): Promise<T> {
  const log = createLog({ level: 'error', format: 'json', write: () => {} })
  const running = await start({ ...place.environment, role: 'web' }, log)
  try {
    return await use({ url: (path) => baseUrl + path })
  } finally {
    await running.stop()
  }
}

const call = async (name: string, args: object) => {
  const { headers, body } = legacy('tools/call', toolCall(name, args))
  const sent = { ...headers, 'content-type': 'application/json', authorization: `Bearer ${made.organizerToken}` }
  const answer = await exchange(`${baseUrl}${ORGANIZER}`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
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

describe('a backup', () => {
  it('is restored elsewhere row by row, file by file, and used as if nothing had been, also where a service has begun and nobody has come yet', async () => {
    const place = await another(onPostgres ? 'postgres' : 'embedded')
    await place.look((pool) => pool.query(`insert into recurring_slots (name, slot) values ('tidy', now())`))
    const restored = await place.run(restoreCommand, [backup])
    expect(restored).toMatchObject({ migrated: [], sealedOpens: true, broken: [], missingFiles: [], events: 4 })
    expect(restored.files).toBeGreaterThan(0)
    expect(await rowsOf(place)).toEqual(before)
    expect(before['participants']).toMatch(/^[1-9]\d* rows/)

    const latest = await place.look(async (pool) => {
      const { rows } = await pool.query<{ unchecked: number; asleep: number }>(
        `select (select count(*)::int from pg_constraint where contype = 'f' and not convalidated) as unchecked,
           (select count(*)::int from pg_trigger where not tgisinternal and tgenabled <> 'O') as asleep`,
      )
      expect(rows[0]).toEqual({ unchecked: 0, asleep: 0 })
      await expect(pool.query(`update ledger_entries set amount = amount + 1`)).rejects.toThrow('never changed')
      await expect(pool.query(`delete from clients`)).rejects.toThrow('foreign key')
      // Numbers of the database's own go on where they were.
      const [{ highest }] = (await pool.query<{ highest: number }>('select max(id)::int as highest from tenants')).rows as [
        { highest: number },
      ]
      const { rows: next } = await pool.query<{ id: number }>(`insert into tenants (code, name) values ('next', 'Next') returning id`)
      expect(next[0]!.id).toBeGreaterThan(highest)
      await pool.query(`delete from tenants where code = 'next'`)
      const { rows: orders } = await pool.query<{ number: string }>(
        `select number from orders o join events e on e.tenant_id = o.tenant_id and e.id = o.event_id
         where e.code = 'summit-2027' and not o.is_test_data`,
      )
      return Math.max(...orders.map(({ number }) => countOf(number)))
    })

    await serving(place, async (served) => {
      const page = await new Guest(served as never).signIn(made.organizer, made.password)
      expect(page.status).toBe(303)
      expect((await call('list_my_events', {})).total).toBe(4)
      // The orders' own numbers have no gap and none comes twice.
      const numbers = [await newOrder('ana'), await newOrder('ben')]
      expect(numbers).toEqual([latest + 1, latest + 2])
    })
  })

  it.skipIf(isTold)('is noted by itself, and says nothing to whoever has them made elsewhere', async () => {
    const place = await another()
    const noted = async () =>
      (await place.run(doctorCommand, [])).findings.find(({ check }: { check: string }) => check === 'backups') as {
        state: string
        says: string
      }
    expect(await noted()).toMatchObject({ state: 'warn', says: expect.stringContaining('none was noted yet: run `lanyard backup <file>`') })
    await place.run(backupCommand, [join(place.dataDir, 'first.backup')])
    expect(await noted()).toMatchObject({ state: 'ok', says: expect.stringContaining('the last was noted on') })
    await place.run(backupCommand, [], { elsewhere: true })
    await place.run(backupCommand, [join(place.dataDir, 'second.backup')])
    expect(await noted()).toMatchObject({ state: 'ok', says: expect.stringContaining('made elsewhere') })
  })

  it('never takes the place of another file', async () => {
    const there = await readFile(backup)
    await expect(demo.run(backupCommand, [backup])).rejects.toThrow('is there already')
    expect(await readFile(backup)).toEqual(there)
    await expect(demo.run(backupCommand, [join(demo.dataDir, 'nowhere', 'a.backup')])).rejects.toThrow('There is no folder')
  })

  it.skipIf(isTold)('tells nothing to whoever has not the key', async () => {
    const bytes = await readFile(backup)
    expect(bytes.includes('summit-2027')).toBe(false)
    const place = await another('embedded', { secretKey: randomBytes(32).toString('base64') })
    await expect(place.run(restoreCommand, [backup])).rejects.toThrow('does not open with this key')
    expect(existsSync(join(place.dataDir, 'postgres'))).toBe(false)
  })

  it.skipIf(isTold)('opens with a key of its own where it was made with one, and says what stays sealed without the other', async () => {
    const keyFile = join(demo.dataDir, 'backup.key')
    await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`)
    const file = join(demo.dataDir, 'own-key.backup')
    await demo.run(backupCommand, [file], { 'key-file': keyFile })
    const place = await another('embedded', { secretKey: randomBytes(32).toString('base64') })
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('does not open with this key')
    const answer = await restoreCommand.run({ environment: place.environment, words: [file], flags: { 'key-file': keyFile } })
    expect(answer.data).toMatchObject({ sealedOpens: false, broken: [] })
    expect(answer.text).toContain('another secret key than the one that made the backup')
    expect(await rowsOf(place)).toEqual(before)
    await expect(demo.run(backupCommand, [`${file}.2`], { 'key-file': join(demo.dataDir, 'none') })).rejects.toThrow('openssl rand')
  })
})

describe('a restore', () => {
  it.skipIf(isTold).each([
    ['one byte is another', async (file: string) => flip(file, 0.5)],
    ['the last byte is another', async (file: string) => flip(file, 1)],
    ['its end is missing', async (file: string) => truncate(file, Math.floor((await readFile(file)).length / 2))],
    ['a whole piece at its end is missing', withoutLastPiece],
    ['something was added', async (file: string) => writeFile(file, Buffer.concat([await readFile(file), Buffer.from('more')]))],
  ])('is refused before anything is written where %s', async (_, damage) => {
    const place = await another()
    const file = join(place.dataDir, 'damaged.backup')
    await writeFile(file, await readFile(backup))
    await damage(file)
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('damaged or was cut off')
    expect(existsSync(join(place.dataDir, 'postgres'))).toBe(false)
    expect(existsSync(join(place.dataDir, 'files'))).toBe(false)
  })

  it.skipIf(isTold)('is refused for what a later version made, and for what is no backup', async () => {
    const place = await another()
    const file = join(place.dataDir, 'later.backup')
    const bytes = await readFile(backup)
    await writeFile(file, Buffer.concat([Buffer.from('lanyard backup 2\n'), bytes.subarray(bytes.indexOf('\n') + 1)]))
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('later version of Lanyard (format 2, this one reads 1)')
    await writeFile(file, 'something else\n')
    await expect(place.run(restoreCommand, [file])).rejects.toThrow('no backup that Lanyard made')
    await expect(place.run(restoreCommand, [`${file}.gone`])).rejects.toThrow('There is no file')
    await expect(place.run(restoreCommand, [])).rejects.toThrow('The file of a backup is needed')
    expect(existsSync(join(place.dataDir, 'postgres'))).toBe(false)
  })

  it('is refused where somebody is at home already, and changes nothing there', async () => {
    const place = await another(onPostgres ? 'postgres' : 'embedded')
    await place.look((pool) => pool.query(`insert into tenants (code, name) values ('mine', 'Mine')`))
    const there = await rowsOf(place)
    await expect(place.run(restoreCommand, [backup])).rejects.toThrow('into an empty database only')
    expect(await rowsOf(place)).toEqual(there)
    expect(existsSync(join(place.dataDir, 'files', '1'))).toBe(false)
  })
})

describe.runIf(onPostgres)('between databases', () => {
  it('goes from PostgreSQL to the embedded one and back, with every row', async () => {
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

/** Pieces say how long they are, so one that ends where another did looks whole. */
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
