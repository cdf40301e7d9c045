import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decryptCredentials, reencryptCredentials } from '../../src/domains/directories/credentials.ts'
import { cleanUpDirectories } from '../../src/domains/directories/cleanup.ts'
import { deriveKeys, type DerivedKeys } from '../../src/kernel/secrets.ts'
import { type DirectoryScenario, openDirectoryScenario } from '../support/directory-scenario.ts'
import { sendJson } from '../support/internet.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

/** All responses that callers received. */
const callerResponses: string[] = []
async function call(tool: string, args: object): Promise<any> {
  const answer = await stage.olga.answer(tool, { ...stage.at, ...args })
  callerResponses.push(JSON.stringify(answer))
  return answer.structuredContent
}

/** Every row of every table, including the job queue, as the database prints it. */
async function dumpAllTables(): Promise<string> {
  const { pool } = stage.world.database
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
  )
  const texts: string[] = []
  for (const { name } of tables)
    texts.push(...(await pool.query<{ row: string }>(`select t::text as row from ${name} t`)).rows.map(({ row }) => row))
  return texts.join('\n')
}

/** The secret itself and its encodings. */
const spellings = (secret: string) => {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
}
const findLeaks = (secrets: readonly string[], text: string) =>
  secrets.filter((secret) => spellings(secret).some((spelling) => text.includes(spelling)))

/** Contains characters that are escaped in a URL. */
const secret = (word: string) => `${word}/${randomBytes(12).toString('hex')}+=`

describe('directory credential', () => {
  it('stores no plain directory credential in any table, log line, audit row, job or response', async () => {
    const [apiKey, wrong, clientSecret, password, token] = ['api', 'wrong', 'client', 'pass', 'token'].map(secret) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const secrets = [apiKey, wrong, clientSecret, password, token]
    const inputs = { email: 'ada@example.org' }
    const connection = await stage.connect({ onFailure: 'queue' })
    stage.directory.key = apiKey
    await call('set_directory_credential', { connection, name: 'apiKey', value: wrong })
    await call('test_directory_connection', { connection, inputs })
    await call('set_directory_credential', { connection, name: 'apiKey', value: apiKey })
    await call('test_directory_connection', { connection, inputs, showValues: true })
    await call('set_directory_credential', { connection, name: 'nothing', value: wrong })
    await call('set_directory_credential', { connection, name: 'apiKey', value: [wrong] })
    await call('set_directory_credential', { connection, name: 'apiKey', value: wrong, remove: true })
    await call('set_directory_credential', { connection: 'nowhere', name: 'apiKey', value: wrong })
    await call('describe_directory_connection', { connection })
    await call('list_directory_connections', {})
    await stage.lookUp(connection, inputs)
    stage.directory.answer = (request, response) =>
      sendJson(response, { error: `no ${String(request.headers['x-api-key'])}`, url: request.url }, 500)
    await stage.lookUp(connection, { email: 'new@example.org' })
    stage.directory.answer = null

    // An OAuth token request, whose token is a secret too. The directory's error response repeats the request.
    const signing = await stage.connect()
    const auth = { kind: 'oauth2Password', settings: { tokenUrl: '{base}/token' } }
    await call('configure_directory_connection', { connection: signing, auth })
    for (const [name, value] of Object.entries({ username: 'api-user-name', password, clientId: 'client', clientSecret }))
      await call('set_directory_credential', { connection: signing, name, value })
    let signedIn = false
    stage.directory.answer = (request, response) => {
      if (!request.url.endsWith('/token')) return sendJson(response, { members: [{ Email: 'ada@example.org' }] })
      return signedIn ? sendJson(response, { access_token: token, expires_in: 3600 }) : sendJson(response, { error: request.body }, 400)
    }
    await call('test_directory_connection', { connection: signing, inputs })
    signedIn = true
    expect(await call('test_directory_connection', { connection: signing, inputs })).toMatchObject({ ok: true, status: 'ready' })
    expect(stage.directory.received.at(-1)!.headers.authorization).toBe(`Bearer ${token}`)
    stage.directory.answer = null

    const kept = await dumpAllTables()
    expect(kept).toContain('directory credential')
    expect(findLeaks(secrets, kept)).toEqual([])
    expect(findLeaks(secrets, stage.world.logged.join('\n'))).toEqual([])
    expect(findLeaks(secrets, callerResponses.join('\n'))).toEqual([])
    const { rows } = await stage.world.database.pool.query<{ targets: { kind: string; fields: object }[] }>(
      `select targets from audit_entries where tool = 'set_directory_credential'`,
    )
    const audited = rows.flatMap(({ targets }) => targets).filter(({ kind }) => kind === 'directory credential')
    expect(audited.length).toBeGreaterThan(5)
    expect(new Set(audited.flatMap(({ fields }) => Object.keys(fields)))).toEqual(new Set(['name', 'hint']))

    // Control: the search finds a planted secret.
    await call('configure_directory_connection', { connection, name: `Planted ${apiKey}` })
    expect(findLeaks(secrets, await dumpAllTables())).toEqual([apiKey])
    for (const one of [connection, signing]) await call('delete_directory_connection', { connection: one })
    expect((await stage.world.database.pool.query('select 1 from directory_credentials')).rows).toEqual([])
  })

  it('decrypts a directory credential only for its own connection, name and tenant', async () => {
    const { pool, write } = stage.world.database
    const far = await stage.world.event({ at: await stage.world.client({ tenant: 'other' }) })
    const stranger = await stage.world.organizer({ at: far })
    const codes = [await stage.connect(), await stage.connect()]
    await stranger.call('create_directory_connection', {
      eventCode: far.eventCode,
      name: 'Far',
      preset: 'hubspot',
      baseUrl: 'https://members.example',
    })
    await stranger.call('set_directory_credential', {
      eventCode: far.eventCode,
      connection: 'far',
      name: 'token',
      value: 'far-away-secret-1',
    })
    await stage.olga.call('configure_directory_connection', { ...stage.at, connection: codes[1], auth: { kind: 'basic' } })
    for (const name of ['username', 'password'])
      await stage.olga.call('set_directory_credential', { ...stage.at, connection: codes[1], name, value: `the-${name}-of-two` })

    interface Row {
      tenant_id: number
      event_id: string
      connection_id: string
      name: string
      sealed: string
    }
    const { rows } = await pool.query<Row>(
      'select tenant_id, event_id, connection_id, name, sealed from directory_credentials order by connection_id, name',
    )
    const open = async (row: Row) => {
      const ctx = { tenantId: row.tenant_id, event: { id: row.event_id }, db: write, keys: stage.world.services.keys }
      return (await decryptCredentials(ctx, row.connection_id))(row.name)?.reveal() ?? null
    }
    const put = (row: Row, sealed: string) =>
      pool.query('update directory_credentials set sealed = $1 where connection_id = $2 and name = $3', [
        sealed,
        row.connection_id,
        row.name,
      ])
    expect(rows).toHaveLength(4)
    let tried = 0
    for (const row of rows) {
      for (const other of rows.filter((one) => one !== row)) {
        await put(row, other.sealed)
        expect(await open(row)).toBeNull()
        tried++
      }
      await put(row, row.sealed)
      expect(await open(row)).not.toBeNull()
    }
    expect(tried).toBe(12)
    for (const code of codes) await stage.olga.call('delete_directory_connection', { ...stage.at, connection: code })
  })

  it('decrypts directory credentials during a rotation of the master key under load', async () => {
    const { world } = stage
    const [old, next] = [randomBytes(32), randomBytes(32)]
    world.services.keys = deriveKeys(old)
    const connection = await stage.connect()
    const csv = 'email,name\nada@example.org,Ada\n'
    const { connection: list } = await call('create_directory_connection', { name: 'List', preset: 'uploaded-list', settings: { csv } })
    await call('test_directory_connection', { connection: list.code, inputs: { email: 'ada@example.org' } })
    const { connection: described } = await call('describe_directory_connection', { connection })
    const { id } = described as { id: string }
    const place = { tenantId: stage.event.tenantId, event: { id: stage.event.eventId }, db: world.database.write }

    let [stopped, reads, failed, writes] = [false, 0, 0, 0]
    const rounds = new Map<number, number>()
    const worker = async (number: number, step: () => Promise<void>) => {
      while (!stopped) {
        await step()
        rounds.set(number, (rounds.get(number) ?? 0) + 1)
      }
    }
    const readers = Array.from({ length: 4 }, (_, i) =>
      worker(i, async () => {
        const opened = (await decryptCredentials({ ...place, keys: world.services.keys }, id))('apiKey')
        const found = await stage.lookUp(list.code, { email: 'ada@example.org' })
        reads++
        if (!opened || found.outcome !== 'found') failed++
      }),
    )
    const writers = [4, 5].map((number) =>
      worker(number, async () => {
        const answer = await stage.olga.answer('set_directory_credential', {
          ...stage.at,
          connection,
          name: 'apiKey',
          value: `value-${++writes}-of-many`,
        })
        if (answer.isError) failed++
      }),
    )
    /** Waits until every process has started and finished a read with the new keys. */
    async function settled(keys: DerivedKeys): Promise<void> {
      world.services.keys = keys
      const start = new Map(rounds)
      while ([0, 1, 2, 3, 4, 5].some((number) => (rounds.get(number) ?? 0) < (start.get(number) ?? 0) + 2))
        await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const sealedBy = async (keys: DerivedKeys) => {
      const prefix = `${keys.seal('directory credential', '', '').split('.')[0]}.`
      const { rows: counted } = await world.database.pool.query<{ n: number }>(
        `select (select count(*) from directory_credentials where starts_with(sealed, $1))::int + (select count(*) from directory_list_entries where starts_with(sealed, $1))::int as n`,
        [prefix],
      )
      return counted[0]!.n
    }
    await settled(deriveKeys(old))
    // All processes first learn the new key and then use it, because one of two processes may be slightly behind.
    await settled(deriveKeys(old, [next]))
    await settled(deriveKeys(next, [old]))
    await cleanUpDirectories(world.database.write, world.services.keys)
    expect(await sealedBy(deriveKeys(next))).toBe(2)
    await settled(deriveKeys(next))
    stopped = true
    await Promise.all([...readers, ...writers])
    expect(failed).toBe(0)
    expect(reads).toBeGreaterThan(20)
    expect(writes).toBeGreaterThan(5)

    // Control: without re-encryption the old key could not be removed.
    world.services.keys = deriveKeys(old)
    await call('set_directory_credential', { connection, name: 'apiKey', value: 'sealed-by-the-old-key' })
    const opened = async (keys: DerivedKeys) => (await decryptCredentials({ ...place, keys }, id))('apiKey')?.reveal() ?? null
    expect(await opened(deriveKeys(next))).toBeNull()
    expect(await reencryptCredentials(world.database.write, deriveKeys(next, [old]))).toBe(1)
    expect(await reencryptCredentials(world.database.write, deriveKeys(next, [old]))).toBe(0)
    expect(await opened(deriveKeys(next))).toBe('sealed-by-the-old-key')
    expect(await opened(deriveKeys(old))).toBeNull()
  })
})
