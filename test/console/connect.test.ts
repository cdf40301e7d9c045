import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { TOOLSET_PRESETS } from '../../src/surfaces/organizer-mcp/presets.ts'
import { buildLegacyMessage, postMessage } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { ConsoleBrowser } from './console-browser.ts'

const PATH = '/console/connect'
let world: World
let served: Served
let olga: OrganizerHandle
let guest: ConsoleBrowser

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  olga = await world.organizer({
    at: [await world.client({ code: 'acme' }), await world.client({ code: 'quiet', name: 'Quiet Ltd', ai: false })],
  })
  served = await serve(world)
  guest = await new ConsoleBrowser(served).enter(world, olga)
})
afterAll(() => world.end())

const plain = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
const copied = (html: string, id: string) => plain(new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(html)![1]!)

describe('assistant connection page', () => {
  it('shows a working endpoint address for each toolset preset', async () => {
    const everything = await guest.get(PATH)
    expect(copied(everything.html, 'address')).toBe(`${served.baseUrl}/api/mcp/organizer`)
    const ownTools = new Set(ALL_TOOLSETS.flatMap((set) => set.tools.map((tool) => tool.name)))
    for (const { name, toolsets } of TOOLSET_PRESETS) {
      const page = await guest.get(`${PATH}?preset=${name.replaceAll(' ', '-')}`)
      const address = copied(page.html, 'address')
      expect(address).toBe(`${served.baseUrl}/api/mcp/organizer?toolsets=${toolsets.join(',')}`)
      const listed = await postMessage(served, olga.token, buildLegacyMessage('tools/list'), address.slice(served.baseUrl.length))
      const tools = (listed.json.result.tools as { name: string }[]).filter((tool) => ownTools.has(tool.name)).length
      expect(page.text).toContain(`${toolsets.join(', ')} · ${tools === 1 ? '1 tool' : `${tools} tools`}`)
    }
  })

  it('shows all toolsets for an unknown preset, and echoes nothing from the address', async () => {
    const page = await guest.get(`${PATH}?preset=%22%3E%3Cscript%3E`)
    expect(page.status).toBe(200)
    expect(copied(page.html, 'address')).toBe(`${served.baseUrl}/api/mcp/organizer`)
    expect(page.html).not.toContain('<script>')
  })

  it('shows configurations for assistant programs that can be pasted unchanged', async () => {
    const { html } = await guest.get(`${PATH}?preset=account-admin`)
    const url = `${served.baseUrl}/api/mcp/organizer?toolsets=clients`
    const name = 'lanyard-account-admin'
    expect(JSON.parse(copied(html, 'vscode-text'))).toEqual({ servers: { [name]: { type: 'http', url } } })
    expect(JSON.parse(copied(html, 'cursor-text'))).toEqual({ mcpServers: { [name]: { url } } })
    expect(JSON.parse(copied(html, 'windsurf-text'))).toEqual({ mcpServers: { [name]: { serverUrl: url } } })
    expect(copied(html, 'claude-code-text')).toBe(`claude mcp add --transport http ${name} "${url}"`)
    expect(copied(html, 'codex-text')).toBe(`codex mcp add ${name} --url "${url}"\ncodex mcp login ${name}`)
    const cursor = new URL(plain(/href="(cursor:[^"]+)"/.exec(html)![1]!))
    expect(JSON.parse(Buffer.from(cursor.searchParams.get('config')!, 'base64').toString())).toEqual({ url })
    const vscode = plain(/href="vscode:mcp\/install\?([^"]+)"/.exec(html)![1]!)
    expect(JSON.parse(decodeURIComponent(vscode))).toEqual({ name, type: 'http', url })
  })

  it('offers the toolsets of the user’s roles with their tool counts, without empty toolsets', async () => {
    const [place] = [await world.client({ code: 'desk' })]
    const onsite = await world.organizer({ role: 'onsite', at: place })
    const page = await (await new ConsoleBrowser(served).enter(world, onsite)).get(PATH)
    expect(page.text).not.toContain('Account admin')
    expect(page.text).toContain('Front desk')
    expect(page.text).not.toContain('Builder')
    const listed = await postMessage(served, onsite.token, buildLegacyMessage('tools/list'))
    const own = new Set(ALL_TOOLSETS.flatMap((set) => set.tools.map((tool) => tool.name)))
    const tools = (listed.json.result.tools as { name: string }[]).filter((tool) => own.has(tool.name)).length
    expect(page.text).toContain(`all toolsets · ${tools === 1 ? '1 tool' : `${tools} tools`}`)
  })

  it('lists local assistant programs first while the server is not public', async () => {
    const { html } = await guest.get(PATH)
    expect(html.indexOf('Claude Code')).toBeLessThan(html.indexOf('ChatGPT</h3>'))
    expect(html.match(/Needs a public address/g)).toHaveLength(2)
  })

  it('shows next steps for connecting an assistant, and warns of unreachable addresses and of clients with assistants turned off', async () => {
    const { text } = await guest.get(PATH)
    for (const words of ['List my events', 'Connected apps', 'cannot reach localhost', 'Assistants are turned off for Quiet Ltd'])
      expect(text).toContain(words)
  })
})
