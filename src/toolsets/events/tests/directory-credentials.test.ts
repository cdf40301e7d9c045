import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DirectoryScenario, openDirectoryScenario, DIRECTORY_LOOKUP } from '../../../../test/support/directory-scenario.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

const call: DirectoryScenario['call'] = (tool, args) => stage.call(tool, args)
const refused: DirectoryScenario['refused'] = (tool, args) => stage.refused(tool, args)
const remove = (connection: string) => call('delete_directory_connection', { connection })
const asked = () => stage.directory.received.length

describe('set_directory_credential', () => {
  it('stores a directory secret that cannot be read again, and shows only its last four characters', async () => {
    const connection = await stage.connectAndTest()
    const value = 'sk_live_51Hq-distinctive-7Zx9'
    const set = await call('set_directory_credential', { connection, name: 'apiKey', value })
    expect(set).toMatchObject({ name: 'apiKey', set: true, hint: '7Zx9', status: 'draft' })
    expect(await call('set_directory_credential', { connection, name: 'apiKey', value: 'short' })).not.toHaveProperty('hint')
    const { connection: described } = await call('describe_directory_connection', { connection })
    expect(described.credentials).toEqual([{ name: 'apiKey', set: true, setAt: expect.any(String), setBy: 'Olga Organizer' }])
    await remove(connection)
  })

  it('shows the last characters of a directory credential only to users who may set it', async () => {
    const connection = await stage.connect()
    const analyst = await stage.world.organizer({ at: stage.event, role: 'analyst' })
    const { connection: seen } = await analyst.call('describe_directory_connection', { ...stage.at, connection })
    expect(Object.keys(seen.credentials[0])).toEqual(['name', 'set', 'setAt', 'setBy'])
    expect(await analyst.refused('set_directory_credential', { ...stage.at, connection, name: 'apiKey', value: 'x' })).toMatchObject({
      code: 'forbidden',
    })
    await remove(connection)
  })

  it('rejects unknown credential names, and calls with both or neither of the arguments value and remove', async () => {
    const connection = await stage.connect()
    const unknown = await refused('set_directory_credential', { connection, name: 'apikey', value: 'x' })
    expect(unknown.fields).toEqual([{ path: 'name', message: 'must be one of apiKey', allowed: ['apiKey'] }])
    for (const args of [{ value: 'x', remove: true }, {}, { value: '' }])
      expect(await refused('set_directory_credential', { connection, name: 'apiKey', ...args })).toMatchObject({
        code: 'invalid_arguments',
      })
    const removed = await call('set_directory_credential', { connection, name: 'apiKey', remove: true })
    expect(removed).toEqual({ name: 'apiKey', set: false, status: 'draft' })
    expect(await call('set_directory_credential', { connection, name: 'apiKey', remove: true })).toEqual(removed)
    await remove(connection)
  })

  it('allows removing a credential that no directory request uses any more', async () => {
    const connection = await stage.connect()
    await call('configure_directory_requests', {
      connection,
      lookup: { ...DIRECTORY_LOOKUP, headers: { 'x-sign': '{{secret.signature}}' } },
    })
    await call('set_directory_credential', { connection, name: 'signature', value: 'a-signature-once' })
    await call('configure_directory_requests', { connection, lookup: DIRECTORY_LOOKUP })
    expect(await refused('set_directory_credential', { connection, name: 'signature', value: 'again' })).toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await call('set_directory_credential', { connection, name: 'signature', remove: true })).toMatchObject({ set: false })
    const { credentials } = (await call('describe_directory_connection', { connection })).connection
    expect(credentials.map(({ name }: { name: string }) => name)).toEqual(['apiKey'])
    await remove(connection)
  })

  it('keeps credentials when a setting in the token URL changes, but deletes them when the host of that URL changes', async () => {
    stage.directory.names.set('login.microsoftonline.com', ['93.184.216.34'])
    await call('create_directory_connection', { name: 'Dynamics', preset: 'dynamics', baseUrl: 'https://crm.example' })
    const connection = 'dynamics'
    for (const name of ['clientId', 'clientSecret']) await call('set_directory_credential', { connection, name, value: `${name}-123456` })
    const isSet = async (edit: object) =>
      (await call('configure_directory_connection', { connection, ...edit })).connection.credentials.map(({ set }: { set: boolean }) => set)
    for (const tenantId of ['abc', 'def', '']) expect(await isSet({ settings: { tenantId } })).toEqual([true, true])
    expect(await isSet({ baseUrl: 'https://crm.example/other' })).toEqual([true, true])
    const elsewhere = { tokenUrl: 'https://tokens.example/{{setting.tenantId}}/token' }
    expect(await isSet({ auth: { kind: 'oauth2ClientCredentials', settings: elsewhere } })).toEqual([false, false])
    await call('set_directory_credential', { connection, name: 'clientId', value: 'again-123456' })
    expect(await isSet({ baseUrl: 'https://other.example' })).toEqual([false, false])
    await remove(connection)
  })

  it('does not repeat an invalid credential in the error message', async () => {
    const connection = await stage.connect()
    for (const value of [90210_777, ['nested-90210777'], { a: 'nested-90210777' }, `90210777${'x'.repeat(9000)}`]) {
      const { text } = await refused('set_directory_credential', { connection, name: 'apiKey', value })
      expect(text).not.toContain('90210777')
    }
    await remove(connection)
  })

  it('encrypts equal directory credentials differently, and decrypts a credential only for its connection', async () => {
    const [first, second] = [await stage.connectAndTest(), await stage.connectAndTest()]
    const sealed = async () =>
      (
        await stage.world.database.pool.query<{ sealed: string }>('select sealed from directory_credentials order by connection_id')
      ).rows.map((r) => r.sealed)
    const [one, two] = await sealed()
    expect(one).not.toBe(two)
    await call('set_directory_credential', { connection: first, name: 'apiKey', value: stage.directory.key })
    expect((await sealed())[0]).not.toBe(one)
    await stage.world.database.pool.query('update directory_credentials set sealed = $1 where sealed = $2', [(await sealed())[0], two])
    const swapped = await call('test_directory_connection', { connection: second, inputs: { email: 'ada@example.org' } })
    expect(swapped).toMatchObject({ ok: false, outcome: 'error' })
    expect(swapped.steps.at(-1)).toMatchObject({ name: 'auth', ok: false })
    await remove(first)
    await remove(second)
  })
})

describe('test_directory_connection', () => {
  it('leaves the connection a draft if the sign-in fails with a wrong secret, and makes it ready with the right secret', async () => {
    const connection = await stage.connect()
    await call('set_directory_credential', { connection, name: 'apiKey', value: 'wrong-secret-0000' })
    const wrong = await call('test_directory_connection', { connection, inputs: { email: 'ada@example.org' } })
    expect(wrong).toMatchObject({ ok: false, status: 'draft', outcome: 'error', httpStatus: 401, mapped: [], tags: [] })
    expect(wrong.steps.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
      ['resolve', true],
      ['connect', true],
      ['auth', false],
    ])
    expect(wrong.steps.at(-1).detail).toContain('401')
    await call('set_directory_credential', { connection, name: 'apiKey', value: stage.directory.key })
    const right = await call('test_directory_connection', { connection, inputs: { email: 'ada@example.org' }, expect: 'found' })
    expect(right).toMatchObject({ ok: true, status: 'ready', outcome: 'found', httpStatus: 200 })
    expect(right.steps.every(({ ok }: { ok: boolean }) => ok)).toBe(true)
    await remove(connection)
  })

  it('passes a directory connection test only if the member is found, missing or ambiguous as the caller expects', async () => {
    const connection = await stage.connect()
    const test = (email: string, expected?: string) =>
      call('test_directory_connection', { connection, inputs: { email }, ...(expected ? { expect: expected } : {}) })
    expect(await test('absent@example.org', 'found')).toMatchObject({ ok: false, status: 'draft', outcome: 'notFound' })
    expect(await test('twin@example.org', 'found')).toMatchObject({ ok: false, status: 'draft', outcome: 'many', mapped: [] })
    expect(await test('absent@example.org', 'notFound')).toMatchObject({ ok: true, status: 'ready', outcome: 'notFound' })
    // The value is escaped and cannot change the request.
    const injected = await test("a' OR '1'='1@x.org", 'notFound')
    expect(injected).toMatchObject({ outcome: 'notFound' })
    const { searchParams } = new URL(`https://${stage.directory.received.at(-1)!.url}`)
    expect([...searchParams]).toEqual([['email', "a' OR '1'='1@x.org"]])
    await remove(connection)
  })

  it('shows values of the directory record only on request, to users who may see them', async () => {
    const connection = await stage.connect()
    const bindings = [
      { from: '$.FirstName', to: '@participant.firstName', transform: 'upper' },
      { from: '$.Fax', to: '@participant.workPhone' },
    ]
    await call('configure_directory_connection', { connection, bindings })
    const plain = await stage.olga.answer('test_directory_connection', { ...stage.at, connection, inputs: { email: 'ada@example.org' } })
    expect(plain.structuredContent.mapped).toEqual([
      { to: '@participant.firstName', present: true, type: 'text', valid: true },
      { to: '@participant.workPhone', present: false, type: 'phone', valid: true },
    ])
    const shown = await stage.olga.answer('test_directory_connection', {
      ...stage.at,
      connection,
      inputs: { email: 'ada@example.org' },
      showValues: true,
    })
    expect(shown.structuredContent.mapped[0].value).toBe('ADA')
    expect(shown._meta!['lanyard/untrusted']).toEqual(['/mapped/0/value'])
    await remove(connection)
  })

  it('rejects a connection test with missing inputs, a disabled connection, and more than ten tests a minute', async () => {
    const connection = await stage.connect()
    const test = { connection, inputs: { email: 'absent@example.org' } }
    expect(await refused('test_directory_connection', { connection, inputs: {} })).toMatchObject({ code: 'precondition_failed' })
    await call('set_directory_credential', { connection, name: 'apiKey', remove: true })
    expect(await refused('test_directory_connection', test)).toMatchObject({
      code: 'precondition_failed',
      text: expect.stringContaining(`Fix: ask the person for apiKey of ${connection}, and store it with set_directory_credential`),
    })
    await call('set_directory_credential', { connection, name: 'apiKey', value: stage.directory.key })
    await call('configure_directory_connection', { connection, enabled: false })
    expect(await refused('test_directory_connection', test)).toMatchObject({ code: 'precondition_failed' })
    await call('configure_directory_connection', { connection, enabled: true })

    await stage.world.clock.stopAt('2027-03-01 10:00:05Z')
    await stage.world.renewTokens()
    const before = asked()
    for (let i = 0; i < 10; i++) await call('test_directory_connection', test)
    expect(await refused('test_directory_connection', test)).toMatchObject({ code: 'limit_exceeded', retryAfterSeconds: 55 })
    expect(asked() - before).toBe(10)
    await stage.world.clock.stopAt('2027-03-01 10:01:00Z')
    expect(await call('test_directory_connection', test)).toMatchObject({ ok: true })
    await stage.world.clock.reset()
    await stage.world.renewTokens()
    await remove(connection)
  })

  it('does not mark a directory connection ready if it was changed while the test ran', async () => {
    const connection = await stage.connect()
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    stage.directory.answer = (_request, response) => {
      arrived.resolve()
      void go.promise.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"members":[]}'))
    }
    const testing = refused('test_directory_connection', { connection, inputs: { email: 'ada@example.org' } })
    await arrived.promise
    await call('set_directory_credential', { connection, name: 'apiKey', value: 'another-secret-1234' })
    go.resolve()
    expect(await testing).toMatchObject({ code: 'conflict' })
    stage.directory.answer = null
    expect((await call('describe_directory_connection', { connection })).connection.status).toBe('draft')
    await remove(connection)
  })
})
