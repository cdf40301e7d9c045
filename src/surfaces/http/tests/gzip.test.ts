import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptsGzip, closeGzip, keptGzip, openGzip } from '../gzip.ts'

const unpacked = (head: string, tail: string) => {
  const open = openGzip(Buffer.from(head))
  return gunzipSync(Buffer.concat([open.start, closeGzip(open, tail)!])).toString()
}

describe('an open file and its end', () => {
  it('are one file that holds both', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 5000 }), fc.string({ unit: 'grapheme', maxLength: 100 }), (head, tail) => {
        expect(unpacked(head, tail)).toBe(head + tail)
      }),
    )
    expect(unpacked('long '.repeat(100_000), '1}')).toBe(`${'long '.repeat(100_000)}1}`)
  })

  it('fit other ends too, up to the length of a block', () => {
    const open = openGzip(Buffer.from('head'))
    for (const tail of ['', 'a', 'ab', 'x'.repeat(65_535)])
      expect(gunzipSync(Buffer.concat([open.start, closeGzip(open, tail)!])).toString()).toBe(`head${tail}`)
    expect(closeGzip(open, 'x'.repeat(65_536))).toBeNull()
  })

  it('are refused by a reader when the end belongs to another beginning', () => {
    const [one, other] = [openGzip(Buffer.from('one')), openGzip(Buffer.from('two'))]
    expect(() => gunzipSync(Buffer.concat([one.start, closeGzip(other, '1}')!]))).toThrow()
  })
})

it('a kept text is compressed once', () => {
  const packed = keptGzip(Buffer.from('again and again'))
  expect(packed()).toBe(packed())
  expect(gunzipSync(packed()).toString()).toBe('again and again')
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
])('Accept-Encoding %j: %j', (header, accepted) => {
  expect(acceptsGzip(header)).toBe(accepted)
})
