import type { Arguments, Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

/** An event may have at most ten directory connections, so the oldest ones are deleted. */
async function deleteOldConnections(stage: Stage): Promise<void> {
  const { connections } = await stage.admin.call('list_directory_connections', { ...event(stage), limit: 100 })
  const byAge = (connections as { id: string }[]).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const { id } of byAge.slice(0, Math.max(0, byAge.length - 7))) {
    // Examples also run concurrently, so another example may have deleted this connection already.
    await stage.admin.answer('delete_directory_connection', { ...event(stage), connection: id })
  }
}

async function newConnection(stage: Stage, more: Arguments = {}): Promise<string> {
  await deleteOldConnections(stage)
  const created = await stage.admin.call('create_directory_connection', {
    ...event(stage),
    name: stage.text(),
    preset: 'generic-rest',
    baseUrl: 'https://directory.example/api',
    ...more,
  })
  return created.connection.code
}

const lookup = {
  path: '/members',
  query: { email: '{{input.email}}' },
  headers: { 'x-key': '{{secret.key}}' },
  inputs: ['email'],
  resultPath: '$.members',
}

/** Creates a directory connection with a lookup request and a credential, so that it can be tested. */
async function testableConnection(stage: Stage): Promise<string> {
  const connection = await newConnection(stage)
  await stage.admin.call('configure_directory_requests', { ...event(stage), connection, lookup })
  await stage.admin.call('set_directory_credential', { ...event(stage), connection, name: 'key', value: `secret of ${stage.word}` })
  return connection
}

const csv = (stage: Stage) => `Email,Member number,Name\nada@example.org,1,${stage.text()}\nben@example.org,2,${stage.text()}\n`

export const DIRECTORY_EXAMPLES: Examples = {
  list_directory_presets: [event, (stage) => ({ ...event(stage), search: 'm' })],
  list_directory_connections: async (stage) => {
    for (let i = 0; i < 3; i++) await newConnection(stage)
    return event(stage)
  },
  describe_directory_connection: async (stage) => ({ ...event(stage), connection: await testableConnection(stage) }),
  list_directory_binding_options: [
    event,
    async (stage) => ({
      ...event(stage),
      connection: await newConnection(stage, { preset: 'hubspot', baseUrl: 'https://hubspot.example' }),
    }),
  ],
  create_directory_connection: [
    async (stage) => {
      await deleteOldConnections(stage)
      const name = stage.text()
      return {
        ...event(stage),
        name,
        preset: 'generic-rest',
        baseUrl: 'https://directory.example',
        settings: { org: name },
        onFailure: 'queue',
      }
    },
    async (stage) => {
      await deleteOldConnections(stage)
      return { ...event(stage), name: stage.text(), preset: 'uploaded-list', settings: { csv: csv(stage) } }
    },
  ],
  configure_directory_connection: [
    async (stage) => ({
      ...event(stage),
      connection: await newConnection(stage),
      name: stage.text(),
      settings: { org: stage.text() },
      auth: { kind: 'oauth2ClientCredentials', settings: { tokenUrl: '{base}/token', scope: 'read', clientAuth: 'basic' } },
      bindings: [{ from: '$.Email', to: '@participant.email', transform: 'trim', mode: 'lock' }],
      tagRules: [],
    }),
    async (stage) => ({ ...event(stage), connection: await newConnection(stage), enabled: false, timeoutMs: 2000, cacheMinutes: 0 }),
  ],
  configure_directory_requests: async (stage) => ({
    ...event(stage),
    connection: await newConnection(stage),
    lookup: { ...lookup, headers: { 'x-note': stage.word } },
    search: { method: 'POST', path: '/search', body: '{"name":"{{input.lastName}}"}', inputs: ['lastName'], resultPath: '$.members' },
    probe: { path: '/health', inputs: [], resultPath: '$' },
  }),
  set_directory_credential: [
    async (stage) => {
      const connection = await newConnection(stage)
      await stage.admin.call('configure_directory_requests', { ...event(stage), connection, lookup })
      return { ...event(stage), connection, name: 'key', value: `another secret of ${stage.word}` }
    },
    async (stage) => ({ ...event(stage), connection: await testableConnection(stage), name: 'key', remove: true }),
  ],
  test_directory_connection: async (stage) => ({
    ...event(stage),
    connection: await testableConnection(stage),
    inputs: { email: 'ada@example.org' },
    expect: 'found',
    showValues: true,
  }),
  delete_directory_connection: async (stage) => ({ ...event(stage), connection: await testableConnection(stage) }),
}
