import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { McpProtocolTool } from '../../src/surfaces/mcp/views.ts'
import { createTestFolder } from '../support/folder.ts'
import { OFFICIAL_CLIENTS } from '../support/official-clients.ts'
import { waitForReplay } from '../support/replica.ts'
import { resetRateLimits, ORGANIZER_PATH } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

/** A tool that returns a result that contradicts its output schema, to prove that the clients validate results. */
const liar: McpProtocolTool = {
  wire: {
    name: 'fixture_wrong_shape',
    description: 'Returns another shape than it declares.',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
  },
  respond: () => Promise.resolve({ content: [], structuredContent: { count: 'many' } }),
}

/** A tool with a valid schema that some clients cannot read. */
const unreadable: McpProtocolTool = {
  wire: {
    name: 'fixture_any_schema',
    description: 'Takes anything.',
    inputSchema: { type: 'object', properties: { anything: true as never } },
  },
  respond: () => Promise.resolve({ content: [] }),
}

let world: World
let served: Served
let unreadably: Served
let token: string
const endpoint = (query = '') => served.url(`${ORGANIZER_PATH}${query}`)

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const event = await world.event({ code: 'summit', at: await world.client({ code: 'acme' }) })
  token = (await world.organizer({ at: event })).token
  served = await serve(world, { extras: { rawTools: [liar] } })
  // In a cluster, the list of events is read from a replica that lags.
  await waitForReplay(world.database)
  unreadably = await serve(world, { port: 0, extras: { rawTools: [unreadable] } })
})
beforeEach(() => resetRateLimits(world))
afterAll(() => world.end())

describe.each(OFFICIAL_CLIENTS)('official MCP client: $what', ({ connect, version }) => {
  it('lets an official MCP client connect, list and call tools, and validate their results', async () => {
    const client = await connect(endpoint(), token)
    expect(client.version).toBe(version)
    expect(client.instructions).toContain('Start with list_my_events')
    const { tools, nextCursor } = await client.listTools()
    expect(nextCursor).toBeUndefined()
    expect(tools[0]!.name).toBe('list_my_events')
    expect(tools.length).toBe(world.tools.size + 1)
    const { structuredContent } = await client.callTool({ name: 'list_my_events', arguments: {} })
    expect(structuredContent).toMatchObject({ events: [{ eventCode: 'summit' }], total: 1 })
    const added = await client.callTool({ name: 'fixture_add_note', arguments: { eventCode: 'summit', text: 'from a client' } })
    expect(added.structuredContent).toMatchObject({ note: { text: 'from a client', status: 'open' } })
    await client.close()
  })

  it('returns a tool error to an official MCP client as a result with the error message', async () => {
    const client = await connect(endpoint(), token)
    await client.listTools()
    const result = await client.callTool({ name: 'fixture_list_notes', arguments: { eventCode: 'nowhere' } })
    expect(result.isError).toBe(true)
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('No event nowhere') }])
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('Unknown tool: no_such_tool')
    await client.close()
  })

  it('lists only the tools of the toolsets that an official MCP client chose', async () => {
    const client = await connect(endpoint('?toolsets=clients'), token)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(['list_my_events', 'list_clients', 'update_client', 'list_events']),
    )
    expect(tools.some((tool) => tool.name === 'fixture_echo')).toBe(false)
    expect((await client.callTool({ name: 'list_clients', arguments: {} })).structuredContent).toMatchObject({
      clients: [{ code: 'acme' }],
    })
    await client.close()
  })

  it("lets an official MCP client reject a tool result that contradicts the tool's output schema", async () => {
    const client = await connect(endpoint(), token)
    await client.listTools()
    await expect(client.callTool({ name: 'fixture_wrong_shape', arguments: {} })).rejects.toThrow(/schema/i)
    await client.close()
  })

  it('refuses the connection of an official MCP client without a valid token', async () => {
    await expect(connect(endpoint(), 'lat_wrong')).rejects.toThrow()
  })
})

const require = createRequire(import.meta.url)
const INSPECTOR = require.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** The inspector writes to the home folder, so it gets a temporary one. */
async function inspect(args: readonly string[], url = endpoint()) {
  const home = createTestFolder()
  const child = spawn(
    process.execPath,
    [INSPECTOR, '--cli', '--server-url', url, '--transport', 'http', '--stored-auth-only', '--format', 'json', '-q', ...args],
    { env: { ...process.env, HOME: home, MCP_CATALOG_PATH: join(home, 'mcp.json') }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let [printed, complained] = ['', '']
  child.stdout.on('data', (text: Buffer) => (printed += text.toString()))
  child.stderr.on('data', (text: Buffer) => (complained += text.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, complained, result: printed.trim() === '' ? undefined : JSON.parse(printed).result }
}

/** Exit codes of the inspector. */
const EXIT = { ok: 0, unauthorized: 3, toolError: 5, unreadableSchema: 6 }

describe('MCP inspector', () => {
  const signedIn = () => ['--header', `Authorization: Bearer ${token}`]

  it.concurrent.each(['legacy', 'modern'])(
    'lists tools with schemas that the official MCP clients accept, with the %s protocol',
    async (era) => {
      const listed = await inspect([...signedIn(), '--protocol-era', era, '--method', 'tools/list', '--strict'])
      expect(listed).toMatchObject({ code: EXIT.ok, complained: '' })
      expect(listed.result.tools.length).toBe(world.tools.size + 1)
    },
  )

  it.concurrent('control: the MCP inspector reports a tool schema that some clients cannot read', async () => {
    const listed = await inspect([...signedIn(), '--method', 'tools/list', '--strict'], unreadably.url(ORGANIZER_PATH))
    expect(listed).toMatchObject({ code: EXIT.unreadableSchema, complained: expect.stringContaining('fixture_any_schema') })
  })

  it.concurrent('lets an official MCP client call a tool of a chosen toolset', async () => {
    const call = [
      ...signedIn(),
      '--protocol-era',
      'auto',
      '--method',
      'tools/call',
      '--tool-name',
      'list_clients',
      '--tool-args-json',
      '{}',
    ]
    expect(await inspect(call, endpoint('?toolsets=clients'))).toMatchObject({
      code: EXIT.ok,
      result: { structuredContent: { clients: [{ code: 'acme' }] } },
    })
  })

  it.concurrent('ends the MCP inspector with the exit code for tool errors if a tool call fails', async () => {
    const wrong = ['--method', 'tools/call', '--tool-name', 'fixture_echo', '--tool-args-json', '{"text":""}']
    expect(await inspect([...signedIn(), ...wrong])).toMatchObject({ code: EXIT.toolError })
  })

  it.concurrent('ends the MCP inspector with the exit code for a missing sign-in if it has no token', async () => {
    expect(await inspect(['--method', 'tools/list'])).toMatchObject({ code: EXIT.unauthorized })
  })
})
