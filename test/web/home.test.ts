import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { visitor } from '../support/visitor.ts'
import { readWebpSize } from '../support/webp.ts'
import { newWorld, type World } from '../support/world.ts'

const MOST_BYTES = 120 * 1024

let world: World
let served: Served

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  served = await serve(world)
})
afterAll(() => world.end())

const home = () => visitor(served).get('/')

/** Removes the places at which a long address may break. */
const withoutBreaks = (html: string) => html.replaceAll(/<wbr ?\/?>/g, '')

describe('home page', () => {
  it('shows setup instructions on the home page until the first administrator exists', async () => {
    expect((await home()).text).toContain('No administrator exists yet')
    await world.client()
    await world.organizer({ at: await world.client() })
    const after = await home()
    expect(after.text).not.toContain('No administrator exists yet')
    expect(after.headers.get('cache-control')).toBe('public, max-age=300')
  })

  it('shows screenshots in the visitor’s color scheme on the home page, with the size of the image files', async () => {
    const { html } = await home()
    const [, dark] = /<source srcset="([^"]+)" media="\(prefers-color-scheme: dark\)"/.exec(html)!
    const [, light, width, height] = /<img src="([^"]+)" width="(\d+)" height="(\d+)" alt="[^"]{20,}"/.exec(html)!
    expect(dark).not.toBe(light)
    for (const path of [light!, dark!]) {
      const answer = await fetch(served.url(path))
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp'])
      expect(bytes.length).toBeLessThanOrEqual(MOST_BYTES)
      const size = readWebpSize(bytes)!
      expect(size.width).toBeGreaterThanOrEqual(Number(width))
      expect(size.width / size.height).toBeCloseTo(Number(width) / Number(height), 2)
    }
  })

  it('shows three steps and a footer on the home page, with links that all open a page', async () => {
    const { html } = await home()
    expect([...html.matchAll(/<h3>([^<]+)/g)].map(([, title]) => title)).toEqual([
      'Start it',
      'Connect your assistant',
      'Ask, review, publish',
    ])
    expect(withoutBreaks(html)).toContain(`${served.baseUrl}/api/mcp/organizer`)
    const foot = html.slice(html.indexOf('<footer'))
    for (const label of ['Documentation', 'Changelog', 'Status of this service', 'Apache License 2.0']) expect(foot).toContain(label)
    const ways = new Set([...html.matchAll(/ href="(\/[^"#]*)/g)].map(([, path]) => path!))
    expect(ways.size).toBeGreaterThan(8)
    for (const path of ways) {
      const { status } = await visitor(served).get(path)
      expect([path, status < 400]).toEqual([path, true])
    }
  })
})

describe('README.md', () => {
  const readme = readFileSync('README.md', 'utf8')

  it('shows the same pictures, commands and address in the README as on the home page', async () => {
    for (const name of ['assets/home-light.webp', 'assets/home-dark.webp']) {
      expect(readme).toContain(name)
      expect(readWebpSize(readFileSync(name))).not.toBe(null)
    }
    const { html } = await home()
    for (const text of [
      'npm ci && npm start',
      '/api/mcp/organizer',
      'Who registered for the summit since last week, and who has not paid yet?',
    ]) {
      expect(readme).toContain(text)
      expect(withoutBreaks(html)).toContain(text.replace('&&', '&amp;&amp;'))
    }
  })

  it('links in the README only to files that exist', () => {
    const named = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(5)
    for (const path of named) expect([path, isThere(path)]).toEqual([path, true])
  })
})

const isThere = (path: string) => {
  try {
    readFileSync(path)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EISDIR'
  }
}
