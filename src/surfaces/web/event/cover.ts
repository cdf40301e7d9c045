import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { Hono } from 'hono'
import { memoize } from '../../../kernel/memoize.ts'
import { deriveAppearance } from '../../../domains/configuration/appearance.ts'
import type { EventSite } from './event-site.ts'
import type { WebServices, WebEnv } from '../web.ts'

/** The size of the cover image that link previews (Open Graph) expect, in pixels. */
const WIDTH = 1200
const HEIGHT = 630

type Colour = readonly [number, number, number]

const parseHexColour = (hex: string): Colour => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour

/** Draws overlapping hills in shades of the brand colour. The seed gives every event its own picture. */
function drawHills(brand: Colour, seed: Buffer): Buffer {
  const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT)
  const hills = Array.from({ length: 5 }, (_, i) => ({
    base: HEIGHT * (0.34 + i * 0.15),
    high: 26 + (seed[i]! % 42),
    long: (1.2 + (seed[i + 5]! % 20) / 10) / WIDTH,
    from: (seed[i + 10]! / 255) * Math.PI * 2,
  }))
  const shade = (part: number): Colour => brand.map((one) => Math.round(one * part + 255 * (1 - part) * 0.92)) as unknown as Colour
  const shades = [0.22, 0.36, 0.5, 0.68, 0.86, 1].map(shade)
  const sun = { x: WIDTH * (0.2 + (seed[16]! / 255) * 0.6), y: HEIGHT * 0.28, r: 78 }
  const edges = hills.map(({ base, high, long, from }) =>
    Array.from(
      { length: WIDTH },
      (_, x) => base + high * Math.sin(x * long * Math.PI * 2 + from) + high * 0.4 * Math.sin(x * long * 9 + from * 3),
    ),
  )
  for (let y = 0; y < HEIGHT; y++) {
    let at = y * (WIDTH * 3 + 1) + 1
    for (let x = 0; x < WIDTH; x++) {
      let hill = 0
      while (hill < edges.length && y >= edges[hill]![x]!) hill++
      const inSun = hill === 0 && (x - sun.x) ** 2 + (y - sun.y) ** 2 < sun.r ** 2
      const colour = inSun ? SUN : shades[hill]!
      rows[at++] = colour[0]
      rows[at++] = colour[1]
      rows[at++] = colour[2]
    }
  }
  return rows
}

const SUN: Colour = [255, 240, 214]

function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(content.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

/** Encodes an 8-bit RGB PNG without filters: large areas of one colour compress well as they are. */
function encodePng(rows: Buffer): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, pngChunk('IHDR', head), pngChunk('IDAT', deflateSync(rows)), pngChunk('IEND', Buffer.alloc(0))])
}

const MAX_CACHED_COVERS = 50
const drawCover = memoize(MAX_CACHED_COVERS, (name) =>
  encodePng(drawHills(parseHexColour(`#${name.slice(0, 6)}`), Buffer.from(name.slice(7), 'hex'))),
)

const SIGNATURE_LABEL = 'cover'

/**
 * Returns the path of the picture that is generated for an event without a picture of its own. The path contains all inputs and is
 * signed, so that visitors cannot make the server draw arbitrary pictures.
 */
export function buildGeneratedCoverPath({ services }: WebServices, { config, event }: EventSite): string {
  const seed = createHash('sha256').update(event.code).digest('hex').slice(0, 34)
  const name = `${deriveAppearance(config.theme).light.accent.slice(1)}-${seed}`
  return `/covers/${name}.${services.keys.sign(SIGNATURE_LABEL, name)}.png`
}

export const coverImageRoutes = ({ services }: WebServices) =>
  new Hono<WebEnv>().get('/covers/:name{[0-9a-f]{6}-[0-9a-f]{34}\\.[\\w-]+\\.png}', (c) => {
    const [name = '', signature = ''] = c.req.param('name').split('.')
    if (!services.keys.verify(SIGNATURE_LABEL, name, signature)) return c.notFound()
    c.header('cache-control', 'public, max-age=31536000, immutable')
    c.header('content-type', 'image/png')
    return c.body(new Uint8Array(drawCover(name)))
  })
