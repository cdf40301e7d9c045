import type { ServerResponse } from 'node:http'
import { randomBytes } from 'node:crypto'
import { listParticipantDataFields } from '../../src/domains/configuration/data-fields.ts'
import { lookUpPerson, type LookupResult } from '../../src/domains/directories/look-up.ts'
import type { DirectoryLookupInputs } from '../../src/domains/directories/engine/spec.ts'
import { type Internet, type ReceivedRequest, sendJson, startInternet } from './internet.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type ToolRefusal, type World } from './world.ts'

export const DIRECTORY_MEMBERS = [
  { Email: 'ada@example.org', Number: '1001', FirstName: 'Ada', LastName: 'Lovelace', Status: 'Active', MembershipLevel: { Name: 'Gold' } },
  {
    Email: 'ben@example.org',
    Number: '1002',
    FirstName: 'Ben',
    LastName: 'Bernoulli',
    Status: 'Lapsed',
    MembershipLevel: { Name: 'Basic' },
  },
  { Email: 'twin@example.org', Number: '1003', FirstName: 'Tina', LastName: 'Twin', Status: 'Active', MembershipLevel: { Name: 'Basic' } },
  { Email: 'twin@example.org', Number: '1004', FirstName: 'Toni', LastName: 'Twin', Status: 'Active', MembershipLevel: { Name: 'Basic' } },
]

/** A stub of a member directory like a vendor's: it requires a key and returns the members with exactly the given email. */
export interface Directory extends Internet {
  key: string
  /** Replaces the stub's normal response. */
  answer: ((request: ReceivedRequest, response: ServerResponse) => void) | null
}

export async function startDirectory(): Promise<Directory> {
  const internet = await startInternet((request, response) => {
    if (directory.answer) return directory.answer(request, response)
    if (request.headers['x-api-key'] !== directory.key) return sendJson(response, { error: 'unauthorized' }, 401)
    const email = new URL(`https://${request.url}`).searchParams.get('email')
    return sendJson(response, { members: DIRECTORY_MEMBERS.filter((member) => member.Email === email) })
  })
  const directory: Directory = Object.assign(internet, { key: `key-${randomBytes(12).toString('hex')}`, answer: null })
  return directory
}

export const DIRECTORY_LOOKUP = { path: '/members', query: { email: '{{input.email}}' }, inputs: ['email'], resultPath: '$.members' }

/** A world with an event, its administrator, and a directory that the event can connect to. */
export interface DirectoryScenario {
  world: World
  directory: Directory
  event: EventHandle
  olga: OrganizerHandle
  at: { eventCode: string }
  /** Creates a directory connection with its key, without testing it. */
  connect: (more?: Record<string, unknown>) => Promise<string>
  /** Creates a directory connection and tests it. */
  connectAndTest: (more?: Record<string, unknown>) => Promise<string>
  lookUp: (connection: string, inputs: DirectoryLookupInputs) => Promise<LookupResult>
  /** Calls a tool at the event. */
  call: (tool: string, args?: object) => Promise<any>
  refused: (tool: string, args?: object) => Promise<ToolRefusal>
  /** Puts tags and flows into the draft, and with `publish` also publishes it. */
  configure: (document: { tags?: object[]; flows?: object[] }, publish?: boolean) => Promise<void>
  end: () => Promise<void>
}

export async function openDirectoryScenario({ baseUrl }: { baseUrl?: string } = {}): Promise<DirectoryScenario> {
  const directory = await startDirectory()
  const world = await newWorld({ fetcher: directory.fetcher, ...(baseUrl ? { baseUrl } : {}) })
  const event = await world.event()
  const olga = await world.organizer({ at: event })
  const at = { eventCode: event.eventCode }
  let made = 0

  const stage: DirectoryScenario = {
    world,
    directory,
    event,
    olga,
    at,
    call: (tool, args = {}) => olga.call(tool, { ...at, ...args }),
    refused: (tool, args = {}) => olga.refused(tool, { ...at, ...args }),
    async connect(more = {}) {
      const name = `Members ${++made}`
      const preset = { preset: 'generic-rest', baseUrl: 'https://members.example/api' }
      const { connection } = await olga.call('create_directory_connection', { ...at, name, ...preset, ...more })
      const auth = { kind: 'apiKeyHeader', settings: { header: 'X-API-Key' } }
      await olga.call('configure_directory_connection', { ...at, connection: connection.code, auth })
      await olga.call('configure_directory_requests', { ...at, connection: connection.code, lookup: DIRECTORY_LOOKUP })
      await olga.call('set_directory_credential', { ...at, connection: connection.code, name: 'apiKey', value: directory.key })
      return connection.code as string
    },
    async connectAndTest(more) {
      const connection = await stage.connect(more)
      const tested = await olga.call('test_directory_connection', {
        ...at,
        connection,
        inputs: { email: 'ada@example.org' },
        expect: 'found',
      })
      if (tested.status !== 'ready') throw new Error(`the connection did not become ready: ${JSON.stringify(tested)}`)
      return connection
    },
    lookUp(connection, inputs) {
      const { database, keys, queue, fetcher } = world.services
      const actor = { kind: 'participant' as const, id: 'f'.repeat(24), name: 'Somebody', app: { id: null, name: 'page' } }
      const ctx = { tenantId: event.tenantId, event: { id: event.eventId }, db: database.write, keys, queue, fetcher, actor }
      return lookUpPerson(ctx, connection, inputs, { fields: listParticipantDataFields({ customFields: [] }), zone: 'Europe/Berlin' })
    },
    async configure({ tags = [], flows = [] }, publish = false) {
      // The registration flows open in the future, because the draft can then be published with incomplete flows.
      const later = flows.map((flow) => ({ opensAt: '2099-01-01T00:00:00.000Z', ...flow }))
      const values = { '/details/contactEmail': 'team@example.org', '/tags': tags, '/flows': later }
      const operations = Object.entries(values).map(([path, value]) => ({ op: 'set', path, valueJson: JSON.stringify(value) }))
      await olga.call('config_set', { ...at, operations })
      if (publish) await olga.call('publish_event', at)
    },
    async end() {
      await world.end()
      await directory.stop()
    },
  }
  return stage
}
