import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { createCachedBrotliBody, createCachedGzipBody } from '../http/gzip.ts'
import { type CompressibleBody, sendCompressedBody } from './public-page.ts'

const ASSETS_DIR = fileURLToPath(new URL('../../../assets/', import.meta.url))
const LEAD_SDK_DIR = fileURLToPath(new URL('../../../clients/lead-sdk/lib/', import.meta.url))
const { resolve } = createRequire(import.meta.url)
const FONT = resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const ZXING_DIR = join(dirname(resolve('zxing-wasm/reader/zxing_reader.wasm')), '..')

interface Asset extends CompressibleBody {
  path: string
  type: string
  /** False for an asset whose path does not contain a content hash. */
  immutable?: false
}

const contentHash = (...parts: readonly Buffer[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').slice(0, 10)
}

const WASM = 'application/wasm'
/** Brotli quality for WebAssembly. A higher quality would take seconds for the file of the QR code reader. */
const WASM_QUALITY = 9

const toAsset = (path: string, type: string, body: Buffer): Asset => ({
  path: `/assets/${path}`,
  type,
  body,
  packed: type.startsWith('text/') || type === WASM ? createCachedGzipBody(body) : null,
  brotli: type === WASM ? createCachedBrotliBody(body, WASM_QUALITY) : type.startsWith('text/') ? createCachedBrotliBody(body) : null,
})

/** Creates an asset whose path contains a hash of the content, so that browsers can cache the asset forever. */
const hashedAsset = (name: string, type: string, body: Buffer): Asset => toAsset(name.replace('.', `.${contentHash(body)}.`), type, body)

const font = hashedAsset('inter.woff2', 'font/woff2', readFileSync(FONT))
/**
 * Removes comments and spaces from a stylesheet, which makes it a fifth smaller after compression. This is safe because strings in our
 * stylesheets contain no braces or double spaces.
 */
const minifyCss = (css: string) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};>]) ?|([:,]) /g, '$1$2')
    .replaceAll(';}', '}')

/** Removes comments that have a line of their own, and the indentation. This makes the compressed script a fifth smaller. */
const minifyScript = (source: string) => source.replace(/^\s*(\/\/.*|\/\*\*?[\s\S]*?\*\/)$/gm, '').replace(/^\s+/gm, '')

/** Joins base.css and the named stylesheet in one file, so that a page loads a single stylesheet. */
const stylesheet = (name: string, shared: readonly string[] = []) => {
  const text = minifyCss(['base.css', ...shared, name].map((part) => readFileSync(`${ASSETS_DIR}${part}`, 'utf8')).join('\n'))
  return hashedAsset(name, 'text/css; charset=utf-8', Buffer.from(text.replace("url('inter.woff2')", `url('${font.path}')`)))
}
const styles = stylesheet('styles.css')
const eventStyles = stylesheet('public.css')
const doorStyles = stylesheet('door.css', ['public.css'])
const JAVASCRIPT = 'text/javascript; charset=utf-8'
const javascript = (name: string) => hashedAsset(name, JAVASCRIPT, Buffer.from(minifyScript(readFileSync(`${ASSETS_DIR}${name}`, 'utf8'))))
const script = javascript('enhance.js')
const embed = javascript('embed.js')

/**
 * Creates assets from third-party modules that import each other by relative path. They share one folder, named by a hash of all of them.
 */
function hashedFolder(name: string, files: readonly { path: string; from: string }[]): Asset[] {
  const bodies = files.map(({ from }) => readFileSync(from))
  const hashed = `${name}.${contentHash(...bodies)}`
  return files.map(({ path }, i) => toAsset(`${hashed}/${path}`, path.endsWith('.wasm') ? WASM : JAVASCRIPT, bodies[i]!))
}

/**
 * Creates an asset from one of our scripts. Its imports of the assets in `named` are replaced by the paths of these assets, which contain a
 * hash.
 */
const scriptWithImports = (name: string, named: Record<string, Asset>): Asset => {
  const written = readFileSync(`${ASSETS_DIR}${name}`, 'utf8')
  const linked = Object.entries(named).reduce((text, [from, { path }]) => text.replace(`'${from}'`, `'${path}'`), written)
  return hashedAsset(name, JAVASCRIPT, Buffer.from(linked))
}

/** The SDK that exhibitors use to build their own lead scanners. */
const leadSdk = hashedFolder(
  'lead-sdk',
  ['index.js', 'asking.js', 'client.js', 'device.js', 'errors.js', 'queue.js', 'store.js'].map((path) => ({
    path,
    from: `${LEAD_SDK_DIR}${path}`,
  })),
)
const zxing = hashedFolder('zxing', [
  { path: 'reader/index.js', from: join(ZXING_DIR, 'es/reader/index.js') },
  { path: 'reader/zxing_reader.wasm', from: join(ZXING_DIR, 'reader/zxing_reader.wasm') },
  { path: 'share.js', from: join(ZXING_DIR, 'es/share.js') },
])
const codeReader = scriptWithImports('read-codes.js', { 'zxing/reader/index.js': zxing[0]!, 'zxing/reader/zxing_reader.wasm': zxing[1]! })
const scanner = scriptWithImports('scan.js', { 'lead-sdk/index.js': leadSdk[0]!, 'read-codes.js': codeReader })
const door = scriptWithImports('door.js', { 'read-codes.js': codeReader })
/** The service worker of the door page. Its path decides which pages it serves, so it has no hash. */
export const DOOR_SERVICE_WORKER_SOURCE = readFileSync(`${ASSETS_DIR}door-worker.js`, 'utf8')
/** An image of the home page: a screenshot of the console in one colour scheme. */
const webpImage = (name: string) => hashedAsset(name, 'image/webp', readFileSync(`${ASSETS_DIR}${name}`))
const [homeLight, homeDark] = [webpImage('home-light.webp'), webpImage('home-dark.webp')]
/** The photo of the example leads that test calls return. Scanner apps store its URL, so the path has no hash. */
const sampleHeadshot: Asset = {
  ...toAsset('sample-headshot.png', 'image/png', readFileSync(`${ASSETS_DIR}sample-headshot.png`)),
  immutable: false,
}

/** All static files that pages use. Event pages have a stylesheet of their own, with larger type. */
export const ASSET_PATHS = {
  styles: styles.path,
  eventStyles: eventStyles.path,
  script: script.path,
  embed: embed.path,
  scanner: scanner.path,
  door: door.path,
  doorStyles: doorStyles.path,
  font: font.path,
  homeLight: homeLight.path,
  homeDark: homeDark.path,
}

export function assetPages() {
  const all = [
    font,
    styles,
    eventStyles,
    script,
    embed,
    scanner,
    door,
    doorStyles,
    homeLight,
    homeDark,
    sampleHeadshot,
    codeReader,
    ...leadSdk,
    ...zxing,
  ]
  const byPath = new Map(all.map((a) => [a.path, a]))
  return new Hono().get('/assets/:name{.+}', (c) => {
    const found = byPath.get(c.req.path)
    if (!found) return c.notFound()
    c.header('cache-control', found.immutable === false ? 'public, max-age=86400' : 'public, max-age=31536000, immutable')
    c.header('content-type', found.type)
    return sendCompressedBody(c, found)
  })
}
