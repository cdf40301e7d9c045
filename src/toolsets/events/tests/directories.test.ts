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
const create = (more: object) => ({ name: 'CRM', preset: 'generic-rest', baseUrl: 'https://crm.example', ...more })

describe('list_directory_presets', () => {
  it('lists all nine presets of directory connections, and searches them by words', async () => {
    const { presets } = await call('list_directory_presets')
    expect(presets.map(({ code }: { code: string }) => code)).toEqual([
      'imis',
      'wildapricot',
      'memberclicks',
      'salesforce',
      'dynamics',
      'hubspot',
      'civicrm',
      'generic-rest',
      'uploaded-list',
    ])
    const found = await call('list_directory_presets', { search: 'microsoft DYNAMICS' })
    expect(found.presets).toHaveLength(1)
    expect(found.presets[0].defaultRequests.lookup.path).toContain('/contacts')
    expect(found.presets[0].defaultBindings.length).toBeGreaterThan(2)
    expect(found.note).toBeUndefined()
    expect(found.presets[0]).toMatchObject({ credentialNames: ['clientId', 'clientSecret'], authKind: 'oauth2ClientCredentials' })
  })
})

describe('the list of directory presets', () => {
  it('returns a short list of directory presets, and explains how to read one of them in full', async () => {
    const all = await call('list_directory_presets')
    expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThanOrEqual(8_000)
    expect(all.presets[0]).not.toHaveProperty('defaultRequests')
    expect(all.note).toContain('Search for a single code')
    for (const { code } of all.presets) {
      const { presets } = await call('list_directory_presets', { search: code })
      expect(presets.map((preset: any) => [preset.code, 'defaultRequests' in preset])).toEqual([[code, true]])
      expect(Buffer.byteLength(JSON.stringify(presets))).toBeLessThanOrEqual(8_000)
    }
  })
})

describe('create_directory_connection', () => {
  it('creates a draft directory connection with default settings and a copy of its preset', async () => {
    const { connection } = await call('create_directory_connection', {
      name: 'Our CRM',
      preset: 'hubspot',
      baseUrl: 'https://api.hubspot.example',
    })
    expect(connection).toMatchObject({
      code: 'our-crm',
      status: 'draft',
      onFailure: 'allow',
      cacheMinutes: 15,
      timeoutMs: 4000,
      auth: { kind: 'bearer' },
      revision: 1,
      missing: ['credentials/token: not set', 'test: not passed since the last change'],
    })
    expect(connection.requests.lookup.path).toContain('/crm/v3/objects/contacts/search')
    expect(connection.bindings.length).toBeGreaterThan(2)
    expect(await refused('create_directory_connection', create({ code: 'our-crm' }))).toMatchObject({ code: 'conflict' })
    await remove('our-crm')
  })

  it('rejects directory connections with private or non-https addresses, unknown presets or unknown settings', async () => {
    const urls = ['http://169.254.169.254', 'https://169.254.169.254', 'https://127.0.0.1', 'http://crm.example', 'ftp://crm.example']
    for (const baseUrl of [...urls, 'https://crm.example?x=1', 'https://{{input.email}}.example', 'https://crm.example:8443']) {
      const { code, fields } = await refused('create_directory_connection', create({ baseUrl }))
      expect([baseUrl, code, fields![0]!.path]).toEqual([baseUrl, 'invalid_arguments', 'baseUrl'])
    }
    expect(await refused('create_directory_connection', create({ baseUrl: undefined }))).toMatchObject({ code: 'invalid_arguments' })
    const unknown = await refused('create_directory_connection', create({ preset: 'sales-force' }))
    expect(unknown.fields![0]).toMatchObject({ path: 'preset', allowed: expect.arrayContaining(['salesforce']) })
    const setting = await refused('create_directory_connection', {
      name: 'WA',
      preset: 'wildapricot',
      baseUrl: 'https://api.wildapricot.example',
      settings: { acountId: '1' },
    })
    expect(setting.message).toContain('did you mean accountId?')
  })

  it('accepts a directory host that does not resolve yet, and warns about it on creation and in every connection test', async () => {
    const baseUrl = 'https://nowhere.invalid/api'
    const says = 'baseUrl: the host nowhere.invalid does not resolve at the moment; lookups fail until it does'
    const made = await call('create_directory_connection', { name: 'Nowhere', preset: 'generic-rest', baseUrl })
    expect(made).toMatchObject({ connection: { code: 'nowhere', baseUrl, status: 'draft' }, warnings: [says] })
    const lookup = { path: '/members', inputs: ['email'], resultPath: '$' }
    await call('configure_directory_requests', { connection: 'nowhere', lookup })
    const inputs = { email: 'ada@example.org' }
    const tested = await call('test_directory_connection', { connection: 'nowhere', inputs })
    expect(tested).toMatchObject({
      ok: false,
      status: 'draft',
      steps: [{ name: 'resolve', ok: false, detail: 'nowhere.invalid: the name does not resolve: it is misspelled or does not exist yet' }],
    })
    const moved = await call('configure_directory_connection', { connection: 'nowhere', baseUrl: 'https://elsewhere.invalid' })
    expect(moved.issues).toEqual([
      { path: 'baseUrl', message: 'the host elsewhere.invalid does not resolve at the moment; lookups fail until it does' },
    ])
    const found = await call('configure_directory_connection', { connection: 'nowhere', baseUrl: 'https://members.example' })
    expect(found.issues).toEqual([])
    expect((await call('create_directory_connection', create({ code: 'resolving' }))).warnings).toEqual([])
    await remove('resolving')
    await remove('nowhere')
  })

  it.each([
    ['apiKeyHeader', 'header'],
    ['apiKeyQuery', 'parameter'],
  ])('requires a header name for authentication with %s', async (kind, what) => {
    await call('create_directory_connection', create({ code: 'keyed' }))
    const { code, fields } = await refused('configure_directory_connection', { connection: 'keyed', auth: { kind } })
    expect({ code, fields }).toMatchObject({ code: 'invalid_arguments', fields: [{ path: 'auth/settings/header' }] })
    expect(fields![0]!.message).toContain(`is needed: the name of the ${what} that carries the key`)
    await call('configure_directory_connection', { connection: 'keyed', auth: { kind, settings: { header: 'key' } } })
    await remove('keyed')
  })

  it('rejects a directory host whose address becomes private between the check and the call', async () => {
    const connection = await stage.connect({ baseUrl: 'https://turning.example/api' })
    const before = asked()
    stage.directory.names.set('turning.example', ['10.0.0.7'])
    const { ok, status, steps } = await call('test_directory_connection', { connection, inputs: { email: 'ada@example.org' } })
    expect({ ok, status, steps: steps.length }).toEqual({ ok: false, status: 'draft', steps: 1 })
    expect(steps[0]).toMatchObject({ name: 'resolve', ok: false })
    stage.directory.names.set('turning.example', ['93.184.216.34', '10.0.0.7'])
    const second = await call('test_directory_connection', { connection, inputs: { email: 'ada@example.org' } })
    expect(second).toMatchObject({ ok: false, status: 'draft' })
    expect(asked()).toBe(before)
    stage.directory.names.delete('turning.example')
    await remove(connection)
  })

  it('allows at most ten directory connections per event', async () => {
    const codes = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const { isError, structuredContent, _meta } = await stage.olga.answer('create_directory_connection', {
          ...stage.at,
          ...create({ name: `Nr ${i}` }),
        })
        return isError ? _meta!['lanyard/error'].code : structuredContent.connection.code
      }),
    )
    expect(codes.filter((code) => code === 'limit_exceeded')).toHaveLength(2)
    for (const code of codes.filter((one) => one !== 'limit_exceeded')) await remove(code)
  })
})

describe('directory connection', () => {
  it('does not find a directory connection of another event, by id or code, with any tool', async () => {
    const connection = await stage.connect()
    const { id } = (await call('describe_directory_connection', { connection })).connection
    const sibling = { eventCode: (await stage.world.event({ at: stage.event })).eventCode }
    const needs: Record<string, object> = {
      describe_directory_connection: {},
      list_directory_binding_options: {},
      configure_directory_connection: { name: 'Mine' },
      configure_directory_requests: { lookup: DIRECTORY_LOOKUP },
      set_directory_credential: { name: 'apiKey', value: 'x' },
      test_directory_connection: { inputs: { email: 'ada@example.org' } },
      delete_directory_connection: {},
    }
    for (const [tool, args] of Object.entries(needs)) {
      for (const named of [id, connection]) {
        const { code, message } = await stage.olga.refused(tool, { ...sibling, connection: named, ...args })
        expect([tool, code, message.replace(named, '<it>')]).toEqual([
          tool,
          'not_found',
          'No directory connection <it> at this event. Use list_directory_connections to list them.',
        ])
      }
    }
    expect((await call('describe_directory_connection', { connection: id.toUpperCase() })).connection.code).toBe(connection)
    await remove(connection)
  })
})

describe('configure_directory_connection', () => {
  it('changes the given fields of a directory connection, and returns it to draft if its last test is outdated', async () => {
    const connection = await stage.connectAndTest()
    const quiet = await call('configure_directory_connection', {
      connection,
      name: 'Renamed',
      cacheMinutes: 0,
      onFailure: 'block',
      timeoutMs: 2000,
    })
    expect(quiet).toMatchObject({
      changed: ['name', 'cacheMinutes', 'timeoutMs', 'onFailure'],
      connection: { status: 'ready' },
      issues: [],
    })
    const moved = await call('configure_directory_connection', { connection, baseUrl: 'https://members.example/other' })
    expect(moved).toMatchObject({ changed: ['baseUrl', 'status'], connection: { status: 'draft' } })
    expect(moved.connection.credentials[0].set).toBe(true)
    expect(await call('configure_directory_connection', { connection, name: 'Renamed' })).toMatchObject({ changed: [] })
    const { revision } = moved.connection
    expect(await refused('configure_directory_connection', { connection, name: 'X', ifRevision: revision - 1 })).toMatchObject({
      code: 'conflict',
    })
    await remove(connection)
  })

  it('switches a directory connection off and on with the argument enabled', async () => {
    const connection = await stage.connectAndTest()
    expect(await call('configure_directory_connection', { connection, enabled: false })).toMatchObject({
      connection: { status: 'disabled' },
    })
    expect(await call('configure_directory_connection', { connection, enabled: false })).toMatchObject({ changed: [] })
    const before = asked()
    expect(await stage.lookUp(connection, { email: 'ada@example.org' })).toMatchObject({ outcome: 'error', tags: ['directory-unverified'] })
    expect(asked()).toBe(before)
    expect(await call('configure_directory_connection', { connection, enabled: true })).toMatchObject({
      changed: ['status'],
      connection: { status: 'draft' },
    })
    await remove(connection)
  })

  it('deletes the stored directory credentials when the host or the authentication changes', async () => {
    const connection = await stage.connectAndTest()
    const otherHost = await call('configure_directory_connection', { connection, baseUrl: 'https://elsewhere.example/api' })
    expect(otherHost.connection).toMatchObject({ status: 'draft', credentials: [{ name: 'apiKey', set: false }] })
    await call('set_directory_credential', { connection, name: 'apiKey', value: stage.directory.key })
    const otherAuth = await call('configure_directory_connection', {
      connection,
      auth: { kind: 'apiKeyHeader', settings: { header: 'X-Other' } },
    })
    expect(otherAuth.connection.credentials).toEqual([expect.objectContaining({ name: 'apiKey', set: false })])
    const { rows } = await stage.world.database.pool.query('select 1 from directory_credentials')
    expect(rows).toHaveLength(0)
    await remove(connection)
  })

  it('reports unknown target fields, tags, transforms, expressions and private addresses together', async () => {
    const connection = await stage.connect()
    const { code, fields } = await refused('configure_directory_connection', {
      connection,
      bindings: [
        { from: '$..Email', to: '@participant.email' },
        { from: '$.Email', to: '@participant.mail', transform: 'trimm' },
      ],
      tagRules: [{ when: { from: '$.Status', op: 'equals', value: 'Active' }, tag: 'membr' }],
    })
    expect(code).toBe('invalid_arguments')
    expect(fields!.map(({ path }) => path)).toEqual(['bindings/0/from', 'bindings/1/to', 'bindings/1/transform', 'tagRules/0/tag'])
    for (const edit of [
      { baseUrl: 'http://members.example' },
      { baseUrl: 'https://10.0.0.1' },
      { auth: { kind: 'oauth2ClientCredentials', settings: { tokenUrl: 'https://127.0.0.1/token' } } },
      {
        auth: { kind: 'oauth2ClientCredentials', settings: { tokenUrl: 'https://{{setting.org}}.example/token' } },
        settings: { org: 'x' },
      },
    ])
      expect((await refused('configure_directory_connection', { connection, ...edit })).code).toBe('invalid_arguments')
    await remove(connection)
  })
})

describe('configure_directory_requests', () => {
  it('previews the directory requests with sample inputs, and shows secrets only by name', async () => {
    const connection = await stage.connect()
    const search = {
      method: 'POST',
      path: '/search/{{setting.org}}',
      headers: { 'x-sign': '{{secret.apiKey}}' },
      body: '{"name":"{{input.lastName}}"}',
      inputs: ['lastName'],
      resultPath: '$.members',
    }
    await call('configure_directory_connection', { connection, settings: { org: 'a/b' } })
    const { preview, changed, connection: after } = await call('configure_directory_requests', { connection, search })
    expect(changed).toEqual(['search'])
    expect(preview).toEqual([
      { name: 'lookup', method: 'GET', url: 'https://members.example/api/members?email=anna.muster%40example.org' },
      { name: 'search', method: 'POST', url: 'https://members.example/api/search/a%2Fb', body: '{"name":"Muster"}' },
    ])
    expect(after.requests.search).toMatchObject({ notFoundStatuses: [404], pick: 'only', bodyType: 'json' })
    expect(await call('configure_directory_requests', { connection, search })).toMatchObject({ changed: [] })
    await remove(connection)
  })

  it('rejects directory requests with a placeholder in the host, a secret in the path, or reserved headers', async () => {
    const connection = await stage.connect()
    const wrong = async (more: object) =>
      (await refused('configure_directory_requests', { connection, lookup: { ...DIRECTORY_LOOKUP, ...more } })).fields![0]!.path
    expect(await wrong({ path: 'https://{{input.email}}/x' })).toBe('lookup/path')
    expect(await wrong({ path: '{{input.email}}.example/x' })).toBe('lookup/path')
    expect(await wrong({ path: '/x/{{secret.apiKey}}' })).toBe('lookup/path')
    for (const header of ['Host', 'Content-Length', 'Cookie'])
      expect(await wrong({ headers: { [header]: 'x' } })).toBe(`lookup/headers/${header}`)
    expect(await wrong({ query: { q: '{{inptu.email}}' } })).toBe('lookup/query/q')
    await remove(connection)
  })
})

describe('list_directory_binding_options', () => {
  it('suggests a target field for each directory field with a matching name, and returns paths and types but no values', async () => {
    const connection = await stage.connectAndTest()
    const options = await call('list_directory_binding_options', { connection })
    expect(options.sources).toEqual(
      ['$.Email', '$.Number', '$.FirstName', '$.LastName', '$.Status', '$.MembershipLevel.Name'].map((expression) => ({
        expression,
        sampleType: 'text',
        samplePresent: true,
      })),
    )
    const suggested = Object.fromEntries(options.suggested.map(({ from, to }: { from: string; to: string }) => [from, to]))
    expect(suggested).toMatchObject({ '$.FirstName': '@participant.firstName', '$.Email': '@participant.email' })
    expect(suggested['$.MembershipLevel.Name']).toBeUndefined()
    expect(JSON.stringify(options)).not.toContain('Lovelace')
    expect(options.targets.length).toBeGreaterThan(20)
    expect(options.transforms).toHaveLength(12)
    expect((await call('list_directory_binding_options')).sources).toEqual([])
    expect(await refused('list_directory_binding_options', { connection: 'nothing' })).toMatchObject({ code: 'not_found' })
    await remove(connection)
  })
})
