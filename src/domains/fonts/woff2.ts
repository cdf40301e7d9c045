import { brotliDecompressSync } from 'node:zlib'
import type { CooperativeTask } from '../../kernel/cooperative.ts'

/*
 * Converts WOFF2 web fonts to TrueType, which pdfkit reads: reconstructs the transformed tables (W3C, WOFF File Format 2.0, sections 4
 * and 5). Only our own bundled fonts are read, so the input is trusted.
 */

const TAGS =
  'cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG  sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill'

const knownTag = (index: number) => TAGS.slice(index * 5, index * 5 + 4)

/** Reads numbers from a buffer sequentially. */
function createReader(bytes: Buffer, start = 0) {
  let at = start
  const u8 = () => bytes[at++]!
  const u16 = () => ((at += 2), bytes.readUInt16BE(at - 2))
  return {
    u8,
    u16,
    u32: () => ((at += 4), bytes.readUInt32BE(at - 4)),
    i16: () => ((at += 2), bytes.readInt16BE(at - 2)),
    take: (length: number) => ((at += length), bytes.subarray(at - length, at)),
    /** Reads a UIntBase128 number: seven bits per byte, highest first. */
    base128(): number {
      for (let value = 0; ;) {
        const byte = u8()
        value = value * 128 + (byte & 0x7f)
        if (byte < 0x80) return value
      }
    },
    /** Reads a 255UInt16 number, which takes one byte in most cases. */
    short255(): number {
      const code = u8()
      if (code === 253) return u16()
      return code === 255 ? 253 + u8() : code === 254 ? 506 + u8() : code
    },
    position: () => at,
  }
}

type Reader = ReturnType<typeof createReader>

/** Converts a WOFF2 font to TrueType. A cooperative task that yields to the event loop, because a font has hundreds of outlines. */
export function* woff2ToTrueType(font: Buffer): CooperativeTask<Buffer> {
  if (font.toString('latin1', 0, 4) !== 'wOF2') throw new Error('not a WOFF2 font')
  const [flavor, count, packed] = [font.readUInt32BE(4), font.readUInt16BE(12), font.readUInt32BE(20)]
  const directory = createReader(font, 48)
  const entries = Array.from({ length: count }, () => {
    const flags = directory.u8()
    const tag = (flags & 63) === 63 ? directory.take(4).toString('latin1') : knownTag(flags & 63)
    const outlines = tag === 'glyf' || tag === 'loca'
    const transformed = outlines ? flags >> 6 !== 3 : flags >> 6 !== 0
    const length = directory.base128()
    return { tag, transformed, length: transformed ? directory.base128() : length }
  })
  const content = createReader(brotliDecompressSync(font.subarray(directory.position(), directory.position() + packed)))
  const stored = entries.map((entry) => ({ ...entry, bytes: content.take(entry.length) }))
  const tables = new Map(stored.filter(({ transformed }) => !transformed).map(({ tag, bytes }) => [tag, bytes]))

  const outlines = stored.find(({ tag, transformed }) => tag === 'glyf' && transformed)
  if (outlines) {
    const { glyf, loca, leftEdges } = yield* decodeOutlines(outlines.bytes)
    const head = Buffer.from(tables.get('head')!)
    head.writeInt16BE(1, 50)
    tables.set('head', head).set('glyf', glyf).set('loca', loca)
    const metrics = stored.find(({ tag, transformed }) => tag === 'hmtx' && transformed)
    if (metrics) tables.set('hmtx', decodeMetrics(metrics.bytes, tables.get('hhea')!.readUInt16BE(34), leftEdges))
  }
  return buildTrueType(flavor, tables)
}

function buildTrueType(flavor: number, tables: ReadonlyMap<string, Buffer>): Buffer {
  const sorted = [...tables].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const header = Buffer.alloc(12 + 16 * sorted.length)
  header.writeUInt32BE(flavor, 0)
  header.writeUInt16BE(sorted.length, 4)
  let offset = header.length
  const bodies = sorted.map(([tag, bytes], index) => {
    const at = 12 + 16 * index
    header.write(tag, at, 'latin1')
    header.writeUInt32BE(offset, at + 8)
    header.writeUInt32BE(bytes.length, at + 12)
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
    offset += padded.length
    return padded
  })
  return Buffer.concat([header, ...bodies])
}

/** Merges the seven number streams of the transformed `glyf` table back into one glyph outline after another. */
function* decodeOutlines(bytes: Buffer): CooperativeTask<{ glyf: Buffer; loca: Buffer; leftEdges: number[] }> {
  const header = createReader(bytes, 4)
  const count = header.u16()
  header.u16()
  const sizes = Array.from({ length: 7 }, header.u32)
  const [contours, points, flags, outline, composite, boxes, instructions] = sizes.map((size) => createReader(header.take(size))) as [
    Reader,
    Reader,
    Reader,
    Reader,
    Reader,
    Reader,
    Reader,
  ]
  const boxed = boxes.take(4 * Math.ceil(count / 32))
  const hasBox = (index: number) => (boxed[index >> 3]! & (0x80 >> (index & 7))) !== 0

  const leftEdges: number[] = []
  const glyphs: Buffer[] = []
  for (let index = 0; index < count; index++) {
    if (index % 100 === 99) yield
    const ends = contours.i16()
    const glyph =
      ends === 0
        ? NO_OUTLINE
        : ends < 0
          ? compositeGlyph(composite, outline, instructions, boxes.take(8))
          : simpleGlyph(ends, { points, flags, outline, instructions }, hasBox(index) ? boxes : null)
    leftEdges.push(glyph.readInt16BE(2))
    glyphs.push(ends === 0 ? EMPTY_GLYPH : Buffer.concat([glyph, Buffer.alloc(-glyph.length & 3)]))
  }
  const loca = Buffer.alloc(4 * (count + 1))
  let end = 0
  glyphs.forEach((glyph, index) => loca.writeUInt32BE((end += glyph.length), 4 * (index + 1)))
  return { glyf: Buffer.concat(glyphs), loca, leftEdges }
}

const EMPTY_GLYPH = Buffer.alloc(0)
/** Placeholder for a glyph without an outline, as long as a glyph header, because the glyph's left edge is read from the header. */
const NO_OUTLINE = Buffer.alloc(10)

const [WORDS, SCALE, MORE, SCALES, MATRIX, INSTRUCTED] = [0x01, 0x08, 0x20, 0x40, 0x80, 0x100]

function compositeGlyph(parts: Reader, outline: Reader, instructions: Reader, box: Buffer): Buffer {
  const written: Buffer[] = [toUint16Bytes([0xffff]), box]
  for (let flags = MORE, instructed = false; ;) {
    flags = parts.u16()
    instructed ||= (flags & INSTRUCTED) !== 0
    const transform = flags & SCALE ? 2 : flags & SCALES ? 4 : flags & MATRIX ? 8 : 0
    written.push(toUint16Bytes([flags]), parts.take(2 + (flags & WORDS ? 4 : 2) + transform))
    if (flags & MORE) continue
    if (instructed) {
      const length = outline.short255()
      written.push(toUint16Bytes([length]), instructions.take(length))
    }
    return Buffer.concat(written)
  }
}

type Streams = Record<'points' | 'flags' | 'outline' | 'instructions', Reader>

function simpleGlyph(contours: number, { points, flags, outline, instructions }: Streams, boxes: Reader | null): Buffer {
  let total = 0
  const ends = Array.from({ length: contours }, () => (total += points.short255()) - 1)
  const steps = Array.from({ length: total }, () => readStep(flags.u8(), outline))
  const length = outline.short255()
  const program = instructions.take(length)
  let [x, y] = [0, 0]
  const places = steps.map(({ dx, dy }) => [(x += dx), (y += dy)] as const)
  const [xs, ys] = [places.map(([at]) => at), places.map(([, at]) => at)]
  const box = boxes ? boxes.take(8) : toInt16Bytes([minimum(xs), minimum(ys), maximum(xs), maximum(ys)])
  return Buffer.concat([
    toUint16Bytes([contours]),
    box,
    toUint16Bytes([...ends, length]),
    program,
    Buffer.from(steps.map(({ onCurve }) => Number(onCurve))),
    toInt16Bytes(steps.map(({ dx }) => dx)),
    toInt16Bytes(steps.map(({ dy }) => dy)),
  ])
}

const minimum = (list: readonly number[]) => list.reduce((a, b) => Math.min(a, b), Infinity)
const maximum = (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b), -Infinity)

/** Decodes the distance from one point of an outline to the next (section 5.2 of the WOFF2 specification). */
function readStep(flag: number, more: Reader): { dx: number; dy: number; onCurve: boolean } {
  const kind = flag & 0x7f
  const x = (length: number) => (kind & 1 ? length : -length)
  const y = (length: number) => (kind & 2 ? length : -length)
  const onCurve = flag < 0x80
  if (kind < 10) return { dx: 0, dy: x(((kind & 14) << 7) + more.u8()), onCurve }
  if (kind < 20) return { dx: x((((kind - 10) & 14) << 7) + more.u8()), dy: 0, onCurve }
  if (kind < 84) {
    const [high, low] = [kind - 20, more.u8()]
    return { dx: x(1 + (high & 0x30) + (low >> 4)), dy: y(1 + ((high & 0x0c) << 2) + (low & 0x0f)), onCurve }
  }
  if (kind < 120) {
    const high = kind - 84
    return { dx: x(1 + (Math.floor(high / 12) << 8) + more.u8()), dy: y(1 + (((high % 12) >> 2) << 8) + more.u8()), onCurve }
  }
  if (kind < 124) {
    const [first, second, third] = [more.u8(), more.u8(), more.u8()]
    return { dx: x((first << 4) + (second >> 4)), dy: y(((second & 0x0f) << 8) + third), onCurve }
  }
  return { dx: x(more.u16()), dy: y(more.u16()), onCurve }
}

/** Restores the left side bearings (distances before the glyphs), which WOFF2 omits if they equal the left edges of the outlines. */
function decodeMetrics(bytes: Buffer, widths: number, leftEdges: readonly number[]): Buffer {
  const packed = createReader(bytes)
  const flags = packed.u8()
  const advances = Array.from({ length: widths }, packed.u16)
  const bearings = leftEdges.map((edge, index) => ((index < widths ? flags & 1 : flags & 2) ? edge : packed.i16()))
  return Buffer.concat(
    bearings.map((bearing, index) =>
      index < widths ? Buffer.concat([toUint16Bytes([advances[index]!]), toInt16Bytes([bearing])]) : toInt16Bytes([bearing]),
    ),
  )
}

function toUint16Bytes(list: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * list.length)
  list.forEach((value, index) => bytes.writeUInt16BE(value, 2 * index))
  return bytes
}

function toInt16Bytes(list: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * list.length)
  list.forEach((value, index) => bytes.writeInt16BE(value, 2 * index))
  return bytes
}
