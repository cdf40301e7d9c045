import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { keptGzip } from '../http/gzip.ts'
import { sendPacked } from './public-page.ts'

const OWN = fileURLToPath(new URL('../../../assets/', import.meta.url))
const LEAD_SDK = fileURLToPath(new URL('../../../clients/lead-sdk/lib/', import.meta.url))
const { resolve } = createRequire(import.meta.url)
const FONT = resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const ZXING = join(dirname(resolve('zxing-wasm/reader/zxing_reader.wasm')), '..')

interface Asset {
  path: string
  type: string
  body: Buffer
  packed: (() => Buffer) | null
  /** Whether its address changes with it. */
  stays?: false
}

const hashOf = (...parts: readonly Buffer[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').slice(0, 10)
}

const WASM = 'application/wasm'

const assetAt = (path: string, type: string, body: Buffer): Asset => ({
  path: `/assets/${path}`,
  type,
  body,
  packed: type.startsWith('text/') || type === WASM ? keptGzip(body) : null,
})

/** An asset's address holds its content's hash, so browsers may keep it for ever. */
const asset = (name: string, type: string, body: Buffer): Asset => assetAt(name.replace('.', `.${hashOf(body)}.`), type, body)

const font = asset('inter.woff2', 'font/woff2', readFileSync(FONT))
const stylesheet = (name: string) =>
  asset(
    name,
    'text/css; charset=utf-8',
    Buffer.from(readFileSync(`${OWN}${name}`, 'utf8').replace("url('inter.woff2')", `url('${font.path}')`)),
  )
const styles = stylesheet('styles.css')
const eventStyles = stylesheet('public.css')
const JAVASCRIPT = 'text/javascript; charset=utf-8'
const javascript = (name: string) => asset(name, JAVASCRIPT, readFileSync(`${OWN}${name}`))
const script = javascript('enhance.js')
const embed = javascript('embed.js')

/** Files that name one another, as they were given away: one hash stands for them all. */
function folder(name: string, files: readonly { path: string; from: string }[]): Asset[] {
  const bodies = files.map(({ from }) => readFileSync(from))
  const hashed = `${name}.${hashOf(...bodies)}`
  return files.map(({ path }, i) => assetAt(`${hashed}/${path}`, path.endsWith('.wasm') ? WASM : JAVASCRIPT, bodies[i]!))
}

/** A script of ours that names others where they are not. */
const scriptWith = (name: string, named: Record<string, Asset>): Asset => {
  const written = readFileSync(`${OWN}${name}`, 'utf8')
  const linked = Object.entries(named).reduce((text, [from, { path }]) => text.replace(`'${from}'`, `'${path}'`), written)
  return asset(name, JAVASCRIPT, Buffer.from(linked))
}

/** The client that exhibitors build on. */
const leadSdk = folder(
  'lead-sdk',
  ['index.js', 'asking.js', 'client.js', 'device.js', 'errors.js', 'queue.js', 'store.js'].map((path) => ({
    path,
    from: `${LEAD_SDK}${path}`,
  })),
)
const zxing = folder('zxing', [
  { path: 'reader/index.js', from: join(ZXING, 'es/reader/index.js') },
  { path: 'reader/zxing_reader.wasm', from: join(ZXING, 'reader/zxing_reader.wasm') },
  { path: 'share.js', from: join(ZXING, 'es/share.js') },
])
const codeReader = scriptWith('read-codes.js', { 'zxing/reader/index.js': zxing[0]!, 'zxing/reader/zxing_reader.wasm': zxing[1]! })
const scanner = scriptWith('scan.js', { 'lead-sdk/index.js': leadSdk[0]!, 'read-codes.js': codeReader })
/** The console as the home page shows it, in the colours of whoever looks. */
const picture = (name: string) => asset(name, 'image/webp', readFileSync(`${OWN}${name}`))
const [homeLight, homeDark] = [picture('home-light.webp'), picture('home-dark.webp')]
/** Named in sample leads, which scanners keep. */
const sampleHeadshot: Asset = { ...assetAt('sample-headshot.png', 'image/png', readFileSync(`${OWN}sample-headshot.png`)), stays: false }

/** Pages of events have a stylesheet of their own: larger, for one thing at a time. */
export const ASSETS = {
  styles: styles.path,
  eventStyles: eventStyles.path,
  script: script.path,
  embed: embed.path,
  scanner: scanner.path,
  font: font.path,
  homeLight: homeLight.path,
  homeDark: homeDark.path,
}

export function assetPages() {
  const all = [font, styles, eventStyles, script, embed, scanner, homeLight, homeDark, sampleHeadshot, codeReader, ...leadSdk, ...zxing]
  const byPath = new Map(all.map((a) => [a.path, a]))
  return new Hono().get('/assets/:name{.+}', (c) => {
    const found = byPath.get(c.req.path)
    if (!found) return c.notFound()
    c.header('cache-control', found.stays === false ? 'public, max-age=86400' : 'public, max-age=31536000, immutable')
    c.header('content-type', found.type)
    return sendPacked(c, found)
  })
}
