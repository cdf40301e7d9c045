import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { keptGzip } from '../http/gzip.ts'
import { sendPacked } from './public-page.ts'

const OWN = fileURLToPath(new URL('../../../assets/', import.meta.url))
const FONT = createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')

interface Asset {
  path: string
  type: string
  body: Buffer
  packed: (() => Buffer) | null
}

/** An asset's address holds its content's hash, so browsers may keep it for ever. */
function asset(name: string, type: string, body: Buffer): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 10)
  return { path: `/assets/${name.replace('.', `.${hash}.`)}`, type, body, packed: type.startsWith('text/') ? keptGzip(body) : null }
}

const font = asset('inter.woff2', 'font/woff2', readFileSync(FONT))
const stylesheet = (name: string) =>
  asset(
    name,
    'text/css; charset=utf-8',
    Buffer.from(readFileSync(`${OWN}${name}`, 'utf8').replace("url('inter.woff2')", `url('${font.path}')`)),
  )
const styles = stylesheet('styles.css')
const eventStyles = stylesheet('public.css')
const javascript = (name: string) => asset(name, 'text/javascript; charset=utf-8', readFileSync(`${OWN}${name}`))
const script = javascript('enhance.js')
const embed = javascript('embed.js')

/** Pages of events have a stylesheet of their own: larger, for one thing at a time. */
export const ASSETS = { styles: styles.path, eventStyles: eventStyles.path, script: script.path, embed: embed.path, font: font.path }

export function assetPages() {
  const byPath = new Map([font, styles, eventStyles, script, embed].map((a) => [a.path, a]))
  return new Hono().get('/assets/:name', (c) => {
    const found = byPath.get(c.req.path)
    if (!found) return c.notFound()
    c.header('cache-control', 'public, max-age=31536000, immutable')
    c.header('content-type', found.type)
    return sendPacked(c, found)
  })
}
