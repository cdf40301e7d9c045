import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { sendHttp } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
})
afterAll(() => world.end())

const get = (path: string, accept = 'text/html,application/xhtml+xml') => sendHttp(served.url(path), { headers: { accept } })

describe('home page', () => {
  it('explains on the home page how to set up the installation until that is done', async () => {
    const first = await get('/')
    expect([first.status, first.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(first.text).toContain('lanyard user create')
    await world.client()
    const then = await get('/')
    expect([then.status, then.headers['cache-control']]).toEqual([200, 'public, max-age=300'])
    expect(then.text).not.toContain('lanyard user create')
    for (const link of ['/console', '/docs', '/docs/connect', '/api/.well-known/mcp.json']) expect(then.text).toContain(`href="${link}"`)
    expect(then.text.replaceAll('<wbr/>', '')).toContain(`${served.baseUrl}/api/mcp/organizer`)
  })
})

describe('example conversation on the home page', () => {
  it('names only existing tools in the home page conversation between organizer and assistant', async () => {
    const { text } = await get('/')
    const chat = text.slice(text.indexOf('class="home-chat"'), text.indexOf('class="home-picture"'))
    const tools = [...chat.matchAll(/<code>([^<]+)<\/code>/g)].map(([, name]) => name)
    const known = ALL_TOOLSETS.flatMap((toolset) => toolset.tools.map(({ name }) => name))
    expect(tools.length).toBeGreaterThan(1)
    expect(tools.filter((name) => !known.includes(name!))).toEqual([])
    for (const speaker of ['You: ', 'Your assistant: ', 'Tool: ']) expect(chat).toContain(speaker)
  })
})

describe('page for unknown addresses', () => {
  it('responds to unknown addresses with an HTML page for browsers and JSON for programs', async () => {
    const page = await get('/nowhere')
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=UTF-8'])
    expect(page.text).toContain('Page not found')
    expect(page.headers['cache-control']).toBe('no-store')
    for (const accept of ['*/*', 'application/json', '']) expect(await get('/nowhere', accept)).toMatchObject({ status: 404, json: { error: 'Not found' } })
  })
})
