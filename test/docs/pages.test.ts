import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import { signInTool } from '../../src/kernel/participant-tool.ts'
import { runTaskSynchronously } from '../../src/kernel/cooperative.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { TOOLSET_PRESETS } from '../../src/surfaces/organizer-mcp/presets.ts'
import { renderDocPages } from '../../src/surfaces/web/docs/library.ts'
import { renderMarkdown } from '../../src/surfaces/web/docs/markdown.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { sendHttp } from '../support/rpc.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  await world.client()
  served = await serve(world)
})
afterAll(() => world.end())

const SERVED = { toolsets: ALL_TOOLSETS, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS }
const TOOLS = [...ALL_TOOLSETS.flatMap((t) => t.tools), ...PARTICIPANT_TOOLS, ...FEEDBACK_TOOLS]
let made: ReturnType<typeof written> | undefined
const written = () => runTaskSynchronously(renderDocPages(served.baseUrl, SERVED))
const pages = () => (made ??= written())
const get = (path: string, headers: Record<string, string> = {}) => sendHttp(served.url(path), { headers: { accept: 'text/html', ...headers } })
const pageCache = new Map<string, ReturnType<typeof get>>()
/** Responses are cached, because several tests read the same page. */
function answered(path: string) {
  const answer = pageCache.get(path) ?? get(path)
  pageCache.set(path, answer)
  return answer
}
const source = (file: string) => readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8')

/** Replaces the example address in a text with the address of this server. */
const hereIs = (text: string) => text.replaceAll('https://lanyard.example', served.baseUrl)

/** Lists all addresses that a page loads or links to, except alternates. */
const loaded = (html: string) =>
  [...html.matchAll(/<(?:link|script|img|iframe|source)\b(?! rel="alternate")[^>]*?\b(?:href|src)="([^"]*)"/g)].map(([, at]) => at!)
const links = (html: string) => [...html.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)].map(([, at]) => at!.replaceAll('&amp;', '&'))

describe('documentation pages', () => {
  it('serves each documentation page with exactly one h1 heading and cache headers', async () => {
    for (const { path, title } of pages()) {
      const { status, headers, text } = await answered(path)
      expect([path, status]).toEqual([path, 200])
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'public, max-age=300' })
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['set-cookie']).toBeUndefined()
      expect(text.match(/<h1\b/g)).toHaveLength(1)
      expect(text).toContain(`<title>${title} · Lanyard</title>`)
      expect([path, Buffer.byteLength(text) < 80 * 1024, gzipSync(text).length < 60 * 1024]).toEqual([path, true, true])
      expect(text).toContain(`<link rel="alternate" type="text/markdown" href="${path}.md"/>`)
      const again = await get(path, { 'if-none-match': headers.etag! })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag])
    }
  })

  it('compresses documentation pages for clients that support it, with the same ETag', async () => {
    const plain = await get('/docs')
    const packed = await fetch(served.url('/docs'), { headers: { 'accept-encoding': 'br, gzip' } })
    expect([plain.headers.vary, plain.headers['content-encoding']]).toEqual(['Accept-Encoding', undefined])
    expect([packed.headers.get('content-encoding'), packed.headers.get('etag')]).toEqual(['gzip', plain.headers.etag])
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(plain.text.length / 2)
    expect(await packed.text()).toBe(plain.text)
    // Pages with personal data are never compressed.
    const signIn = await fetch(served.url('/console/sign-in'), { headers: { 'accept-encoding': 'gzip' } })
    expect([signIn.status, signIn.headers.get('content-encoding')]).toEqual([200, null])
  })

  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
  ])('serves a compressed stylesheet and script, and an uncompressed font, with Accept-Encoding %j', async (accepted, encoding) => {
    const html = (await get('/docs')).text
    const found = await Promise.all(
      loaded(html)
        .filter((path) => path.startsWith('/assets/'))
        .map(async (path) => {
          const answer = await fetch(served.url(path), { headers: { 'accept-encoding': accepted } })
          expect(await answer.text()).toBe((await sendHttp(served.url(path))).text)
          return [path.split('.').at(-1), { encoding: answer.headers.get('content-encoding'), vary: answer.headers.get('vary') }]
        }),
    )
    const compressed = { encoding, vary: 'Accept-Encoding' }
    expect(Object.fromEntries(found)).toEqual({ css: compressed, js: compressed, woff2: { encoding: null, vary: null } })
  })

  it('finds no broken links in the documentation', async () => {
    const anchors = new Map(pages().map(({ path, sections }) => [path, sections.map(({ heading }) => heading.id)]))
    const checked = new Set<string>()
    for (const { path } of pages()) {
      for (const link of links((await answered(path)).text)) {
        const { origin, pathname, search, hash } = new URL(link, `${served.baseUrl}${path}`)
        if (origin !== served.baseUrl) expect([path, new URL(link).protocol]).toEqual([path, 'https:'])
        else if (hash && hash !== '#main') expect([path, link, anchors.get(pathname)]).toEqual([path, link, expect.arrayContaining([hash.slice(1)])])
        else if (!checked.has(pathname)) {
          const { status } = await answered(pathname + search)
          expect([path, link, [200, 303].includes(status)]).toEqual([path, link, true])
        }
        checked.add(pathname)
      }
    }
    expect(checked.size).toBeGreaterThan(10)
  })

  it('loads nothing from other hosts on documentation pages', async () => {
    for (const path of ['/', ...pages().map((page) => page.path)]) {
      const wanted = loaded((await answered(path)).text)
      expect(wanted.length).toBeGreaterThan(2)
      for (const at of wanted) expect(at).toMatch(/^(\/assets\/|data:)/)
    }
    expect(loaded('<script src="https://cdn.example/x.js"></script>')).toEqual(['https://cdn.example/x.js'])
  })

  it('serves documentation pages in Markdown format too', async () => {
    const files: Record<string, string> = { '/docs': 'pages/index.md', '/docs/operating': 'operating.md', '/docs/changelog': '../CHANGELOG.md' }
    for (const { path, markdown } of pages()) {
      const { status, headers, text } = await get(`${path}.md`)
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/markdown; charset=utf-8'])
      expect(text).toBe(markdown)
      if (path.startsWith('/docs/tools') || path.startsWith('/docs/api')) continue
      expect(text).toBe(hereIs(source(files[path] ?? `pages/${path.slice('/docs/'.length)}.md`)))
    }
  })

  it('returns 404 for unknown documentation paths', async () => {
    for (const path of ['/docs/nothing', '/docs/nothing.md', '/docs/tools/housing-desk', '/docs/../package.json', '/docs/pages/index']) {
      const { status, text } = await get(path)
      expect([path, status]).toEqual([path, 404])
      expect(text).toContain('Page not found')
    }
  })
})

describe('documentation content', () => {
  it('lists exactly the registered tools, in the files of the repository and on the documentation site', () => {
    const toolPages = pages().filter(({ path }) => path.startsWith('/docs/tools/'))
    const [groups, ofTools] = [toolPages.filter(({ under }) => !under), toolPages.filter(({ under }) => under)]
    for (const { path, markdown } of toolPages) {
      expect(hereIs(source(`tools/${path.slice('/docs/tools/'.length)}.md`))).toBe(
        `<!-- Generated by \`npm run docs\` from the tool definitions. Do not edit. -->\n\n${markdown}`,
      )
    }
    const named = groups.flatMap(({ sections }) => sections.filter(({ heading }) => heading.level === 2).map(({ heading }) => heading.text))
    expect(named).toEqual(TOOLS.map((tool) => tool.name))
    expect(ofTools.map(({ title }) => title)).toEqual(named)
    const index = pages().find(({ path }) => path === '/docs/tools')!.markdown
    for (const { name, effect, permissions } of TOOLS) {
      const who = permissions.length > 0 ? permissions.join(' \\+ ') : '[^|]+'
      expect(index).toMatch(new RegExp(`\\[${name}\\].*\\| ${effect} \\| ${who} \\|`))
    }
  })

  it('has an anchor for every error code', () => {
    const codes: Record<ErrorCode, true> = {
      invalid_arguments: true,
      not_found: true,
      forbidden: true,
      ambiguous: true,
      conflict: true,
      precondition_failed: true,
      limit_exceeded: true,
      unavailable: true,
      internal: true,
    }
    const html = pages().find(({ path }) => path === '/docs/errors')!.html
    for (const code of Object.keys(codes)) expect(html).toContain(`id="${code}"`)
    const ofPrograms = ['invalid_request', 'invalid_cursor', 'unauthorized', 'unsupported_media_type', 'too_many_requests', 'method_not_allowed']
    const ofLeads = ['missing_parameter', 'invalid_activation', 'not_licensed', 'badge_not_found', 'no_seat_left', 'invalid_device', 'device_revoked']
    for (const code of [...ofPrograms, ...ofLeads]) expect(html).toContain(`id="${code}"`)
  })

  it('lists the recommended toolset presets', () => {
    const connect = source('pages/connect.md')
    for (const { name, toolsets } of TOOLSET_PRESETS) expect(connect).toContain(`| ${name} | \`?toolsets=${toolsets.join(',')}\` |`)
  })

  it('describes on the documentation pages exactly the endpoints that the server offers', async () => {
    expect((await get('/v1/openapi.json')).status).toBe(200)
    expect((await get('/v1/participants')).status).toBe(401)
    for (const path of ['/docs/rest', '/docs/webhooks', '/docs/leads']) expect((await get(path)).status).toBe(200)
    for (const ending of ['', '.md']) {
      const { status, headers } = await get(`/docs/rest-and-leads${ending}`)
      expect([status, headers.location]).toEqual([308, `/docs/rest${ending}`])
    }
  })

  it('describes participant registration once the server offers it', () => {
    const tool = { title: 'x', description: 'x', effect: 'change', input: {}, output: {}, run: async () => ({}) } as const
    const withSignIn = runTaskSynchronously(renderDocPages('https://events.example', { ...SERVED, participant: [signInTool({ ...tool, name: 'agent_request_otp' })] }))
    expect(withSignIn.map(({ path }) => path)).toEqual(expect.arrayContaining(['/docs/participant-walk-through', '/docs/tools/participant']))
    expect(withSignIn.find(({ path }) => path === '/docs')!.markdown).toContain('https://events.example/api/mcp/organizer')
    const withoutParticipants = runTaskSynchronously(renderDocPages('https://events.example', { ...SERVED, participant: [] }))
    expect(withoutParticipants.map(({ path }) => path)).not.toContain('/docs/participant-walk-through')
  })
})

describe('llms.txt', () => {
  it('lists every page with its Markdown address, and llms-full.txt contains all pages', async () => {
    const [index, whole] = [await get('/llms.txt'), await get('/llms-full.txt')]
    for (const { status, headers } of [index, whole])
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/plain; charset=utf-8', 'public, max-age=300'])
    expect(index.text).toMatch(/^# Lanyard\n\n> \S/)
    const listed = [...index.text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): \S/gm)].map(([, title, at]) => [title, at])
    expect(listed).toEqual(pages().map(({ title, path }) => [title, `${served.baseUrl}${path}.md`]))
    for (const { path, markdown } of pages()) {
      expect(whole.text).toContain(`Source: ${served.baseUrl}${path}\n`)
      expect(whole.text).toContain(markdown.trimEnd())
    }
    expect(gzipSync(index.text).length).toBeLessThan(60 * 1024)
  })
})

describe('Markdown renderer', () => {
  it('escapes HTML markup and drops javascript: addresses', () => {
    const { html } = renderMarkdown('# T\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) `<b>`\n\n## <img src=x onerror=y>\n\n```\n</pre><b>\n```\n')
    expect(html).not.toMatch(/<(script|img|b)\b/)
    expect(html).not.toContain('href="javascript')
  })

  it('renders an example tool call and its answer side by side', () => {
    const fence = (info: string) => `\`\`\`${info}\n{}\n\`\`\`\n`
    const { html } = renderMarkdown(`# T\n\n${fence('json')}\n${fence('json call')}\n${fence('json answer')}\n${fence('json call')}\nWords.\n`)
    expect(html.match(/class="exchange"/g)).toHaveLength(1)
    expect(html).toMatch(/<div class="exchange"><div><p class="muted">Call<\/p>.*<p class="muted">Response<\/p>/s)
  })

  it('excludes markup and examples from the search index', () => {
    const { sections } = renderMarkdown('# T\n\nTwo **bold**\nlines.\n\n| A | B |\n|---|---|\n| `x` | [y](/z) |\n| q | End. |\n\n```\ncode\n```\n')
    expect(sections).toEqual([{ heading: { level: 1, id: 't', text: 'T' }, text: 'Two bold lines. x · y; q · End. ', code: 'code\n ' }])
  })

  it('gives every heading an anchor, and every code block a copy button', () => {
    const { html, sections } = renderMarkdown('# T\n\n## Same\n\n```\na\n```\n\n## Same\n\n```\nb\n```\n')
    expect(sections.map(({ heading }) => heading.id)).toEqual(['t', 'same', 'same-1'])
    expect([...html.matchAll(/data-copy="([^"]+)"/g)].map(([, id]) => id)).toEqual(['code-1', 'code-2'])
  })
})

describe('documentation search page', () => {
  it('searches the documentation without JavaScript, and escapes the query', async () => {
    const { status, text } = await get('/docs?q=idempotencyKey')
    expect(status).toBe(200)
    expect(text).toContain('href="/docs/limits#safety"')
    expect(text).toContain('value="idempotencyKey"')
    expect(text).toContain('<mark>idempotencyKey</mark>')
    expect((await get('/docs?q=idempotencyKye')).text).toContain('<a href="/docs?q=idempotencykey">idempotencykey</a>')
    expect((await get('/docs?q=xyzzy')).text).toContain('No results for “xyzzy”')
    expect((await get('/docs?q=<script>')).text).not.toContain('<script>')
  })
})
