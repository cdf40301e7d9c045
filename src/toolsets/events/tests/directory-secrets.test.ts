import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFetcher } from '../../../platform/guarded-fetch.ts'
import { type DirectoryScenario, openDirectoryScenario, DIRECTORY_LOOKUP } from '../../../../test/support/directory-scenario.ts'
import { sendJson } from '../../../../test/support/internet.ts'
import { newWorld } from '../../../../test/support/world.ts'

let stage: DirectoryScenario
beforeAll(async () => {
  stage = await openDirectoryScenario()
})
afterAll(() => stage.end())

const call: DirectoryScenario['call'] = (tool, args) => stage.call(tool, args)
const inputs = { email: 'ada@example.org' }

describe('directory that echoes its request', () => {
  beforeAll(() => {
    stage.directory.answer = (request, response) => {
      const key = String(request.headers['x-api-key'])
      const echo = { FirstName: key, LastName: `key ${Buffer.from(key).toString('base64')}`, Url: `https://${request.url}`, [key]: 'named' }
      sendJson(response, { members: [echo] })
    }
  })
  afterAll(() => {
    stage.directory.answer = null
  })

  it('reveals no credential in a test, a description, binding options or a lookup if the directory echoes its request', async () => {
    const connection = await stage.connect()
    const bindings = [
      { from: '$.FirstName', to: '@participant.firstName', transform: 'upper' },
      { from: '$.LastName', to: '@participant.lastName' },
      { from: '$.Url', to: '@participant.company' },
    ]
    await call('configure_directory_connection', { connection, bindings })
    const lookup = { ...DIRECTORY_LOOKUP, query: { ...DIRECTORY_LOOKUP.query, key: '{{secret.apiKey}}' } }
    await call('configure_directory_requests', { connection, lookup })
    const tested = await call('test_directory_connection', { connection, inputs, showValues: true })
    expect(tested).toMatchObject({ ok: true, outcome: 'found' })
    expect(tested.mapped.map(({ value }: { value: string }) => value)).toEqual([
      '[SECRET]',
      'key [secret]',
      'https://members.example/api/members?key=[secret]&email=ada%40example.org',
    ])
    const responses = [
      tested,
      await call('describe_directory_connection', { connection }),
      await call('list_directory_binding_options', { connection }),
      await stage.lookUp(connection, inputs),
    ]
    const { key } = stage.directory
    expect(stage.directory.received.at(-1)!.url).toContain(key)
    for (const form of [key, Buffer.from(key).toString('base64').slice(0, 20)])
      expect(JSON.stringify(responses).toLowerCase()).not.toContain(form.toLowerCase())
    await call('delete_directory_connection', { connection })
  })

  it('prevents guessing a credential letter by letter with a directory that echoes its request', async () => {
    const connection = await stage.connect()
    const guess = async (value: string) => {
      const lookup = { ...DIRECTORY_LOOKUP, resultPath: `$.members[?(@.FirstName=='${value}')]` }
      await call('configure_directory_requests', { connection, lookup })
      return (await call('test_directory_connection', { connection, inputs })).outcome
    }
    expect(await guess(stage.directory.key)).toBe('notFound')
    const tagRules = [{ when: { from: '$.FirstName', op: 'contains', value: stage.directory.key.slice(0, 6) }, tag: 'guessed' }]
    await stage.configure({ tags: [{ code: 'guessed', name: 'Guessed' }] })
    await call('configure_directory_connection', { connection, tagRules })
    await call('configure_directory_requests', { connection, lookup: DIRECTORY_LOOKUP })
    expect((await call('test_directory_connection', { connection, inputs })).tags).toEqual([])
    await call('delete_directory_connection', { connection })
  })
})

describe('directory credentials', () => {
  it('binds directory credentials to one scheme, host and port, and deletes them when any of these changes', async () => {
    const world = await newWorld({
      fetcher: createFetcher({
        allowedHosts: ['crm.internal', 'erp.internal'],
        resolve: () => Promise.resolve([{ address: '10.0.0.5', family: 4 }]),
      }),
    })
    const event = await world.event()
    const olga = await world.organizer({ at: event })
    const at = { eventCode: event.eventCode, connection: 'crm' }
    const baseUrl = 'https://crm.internal:8443/api'
    await olga.call('create_directory_connection', { eventCode: event.eventCode, name: 'CRM', preset: 'generic-rest', baseUrl })
    await olga.call('configure_directory_connection', { ...at, auth: { kind: 'apiKeyHeader', settings: { header: 'X-API-Key' } } })
    const isKept = async (next: string) => {
      await olga.call('configure_directory_connection', { ...at, baseUrl })
      await olga.call('set_directory_credential', { ...at, name: 'apiKey', value: 'a-key-of-the-crm' })
      const { connection } = await olga.call('configure_directory_connection', { ...at, baseUrl: next })
      return connection.credentials[0].set
    }
    expect(await isKept('https://crm.internal:8443/v2')).toBe(true)
    expect(await isKept('http://crm.internal:8443/api')).toBe(false)
    expect(await isKept('https://crm.internal/api')).toBe(false)
    expect(await isKept('https://erp.internal:8443/api')).toBe(false)
    await world.end()
  })
})
