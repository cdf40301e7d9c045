import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptsGzip, createCachedBrotliBody, createCachedGzipBody, finishGzip, startGzip, prefersBrotli } from '../gzip.ts'

const unpacked = (head: string, tail: string) => {
  const open = startGzip(Buffer.from(head))
  return gunzipSync(Buffer.concat([open.start, finishGzip(open, tail)!])).toString()
}

describe('startGzip and finishGzip', () => {
  it('produces one valid gzip file from the start and the end of a response', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 5000 }), fc.string({ unit: 'grapheme', maxLength: 100 }), (head, tail) => {
        expect(unpacked(head, tail)).toBe(head + tail)
      }),
    )
    expect(unpacked('long '.repeat(100_000), '1}')).toBe(`${'long '.repeat(100_000)}1}`)
  })

  it('compresses the end of a response up to the length of one deflate block, and refuses a longer one', () => {
    const open = startGzip(Buffer.from('head'))
    for (const tail of ['', 'a', 'ab', 'x'.repeat(65_535)])
      expect(gunzipSync(Buffer.concat([open.start, finishGzip(open, tail)!])).toString()).toBe(`head${tail}`)
    expect(finishGzip(open, 'x'.repeat(65_536))).toBeNull()
  })

  it('produces an invalid gzip file from the end of one response and the start of another', () => {
    const [one, other] = [startGzip(Buffer.from('one')), startGzip(Buffer.from('two'))]
    expect(() => gunzipSync(Buffer.concat([one.start, finishGzip(other, '1}')!]))).toThrow()
  })
})

it('compresses a cached text once', () => {
  const packed = createCachedGzipBody(Buffer.from('again and again'))
  expect(packed()).toBe(packed())
  expect(gunzipSync(packed()).toString()).toBe('again and again')
})

it('compresses a cached file with Brotli once', async () => {
  const packed = createCachedBrotliBody(Buffer.from('again and again'))
  expect(packed()).toBe(packed())
  expect(brotliDecompressSync(await packed()).toString()).toBe('again and again')
})

it.each([
  [undefined, false],
  ['', false],
  ['br', false],
  ['gzip', true],
  ['br, gzip, deflate', true],
  ['GZIP;q=0.5', true],
  ['deflate,gzip ; q = 1', true],
  ['gzip;q=0', false],
  ['br, gzip;q=0.0', false],
  ['x-gzip', false],
  ['gzipped', false],
])('decides from Accept-Encoding %j whether the client accepts gzip: %j', (header, accepted) => {
  expect(acceptsGzip(header)).toBe(accepted)
})

it.each([
  [undefined, false],
  ['gzip', false],
  ['br', true],
  ['gzip, deflate, br, zstd', true],
  ['BR;q=0.5', true],
  ['br;q=0', false],
  ['br;q=0.5, gzip;q=0.5', true],
  ['br;q=0.5, gzip', false],
  ['gzip;q=0, br;q=0.1', true],
  ['brotli', false],
])('decides from Accept-Encoding %j whether to send Brotli: %j', (header, preferred) => {
  expect(prefersBrotli(header)).toBe(preferred)
})
