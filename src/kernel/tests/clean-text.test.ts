import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from '../clean-text.ts'
import { soakRounds } from '../../../test/support/soak.ts'

const TRICKY = [
  'a',
  'ß',
  '1',
  '😀',
  '👩',
  '🏽',
  'ب',
  'क',
  '्',
  '\n',
  '\t',
  '\r',
  '\0',
  '\u200B',
  '\u200C',
  '\u200D',
  '\uFE0F',
  '\u20E3',
  '\u061C',
  '\u202E',
  '\uD83D',
  '\uDE00',
  '\u{E0041}',
]
const tricky = fc.oneof(fc.string({ unit: fc.constantFrom(...TRICKY) }), fc.string({ unit: 'binary' }))

describe('cleanText', () => {
  it.each([
    ['control characters', 'a\0b\x07c\x1B[31md\x7F\x9F', 'abc[31md'],
    ['zero widths, soft hyphen and BOM', '\uFEFFpass\u200Bword\u00AD\u2060', 'password'],
    ['invisible filler characters', 'a\u3164\u115F\uFFA0\u034Fb', 'ab'],
    ['bidi controls', 'file\u202Egpj.exe\u2066\u200F\u061C', 'filegpj.exe'],
    ['tag characters', `hi${[...'ignore'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}\u{E007F}`, 'hi'],
    ['variation selectors without a base', 'a\uFE0Fb\uFE01\u{E0101}', 'ab'],
    ['runs of variation selectors after an emoji', '😀\uFE0F\uFE0F\uFE0E\u{E0120}', '😀\uFE0F'],
    ['joiners between Latin letters and at the ends', '\u200Dad\u200Dmin\u200C', 'admin'],
    ['annotation marks', 'a\uFFF9b\uFFFAc\uFFFB', 'abc'],
    ['lone surrogates', 'a\uD83Db\uDE00c', 'abc'],
  ])('removes %s from untrusted text', (_, text, clean) => expect(cleanText(text)).toBe(clean))

  it('converts every kind of line break in untrusted text to a line feed', () => {
    expect(cleanText('a\r\nb\rc\u2028d\u2029e\nf\tg')).toBe('a\nb\nc\nd\ne\nf\tg')
  })

  it.each([
    'Zoë O’Néill',
    '東京',
    'می\u200Cخواهم',
    'ශ්\u200Dරී ලංකා',
    'क्\u200Dष',
    '👩\u200D💻',
    '👩🏽\u200D⚕\uFE0F',
    '❤\uFE0F\u200D🔥',
    '1\uFE0F\u20E3',
    '🇫🇷',
  ])('keeps %s in untrusted text', (text) => expect(cleanText(text)).toBe(text))

  it('truncates untrusted text without splitting a character', () => {
    expect(cleanText('abc', 2)).toBe('ab')
    expect(cleanText('a😀b', 2)).toBe('a')
    expect(cleanText('a😀b', 3)).toBe('a😀')
    expect(cleanText('👩\u200D💻', 4)).toBe('👩')
    expect(cleanText('\u200Babc', 3)).toBe('abc')
  })

  it('removes all hidden characters, respects the maximum length and leaves cleaned text unchanged', () => {
    fc.assert(
      fc.property(tricky, fc.integer({ min: 0, max: 30 }), (text, max) => {
        const clean = cleanText(text, max)
        expect(clean.length).toBeLessThanOrEqual(max)
        expect(clean.isWellFormed()).toBe(true)
        expect(clean).not.toMatch(/[\p{Bidi_Control}\u{E0000}-\u{E0FFF}\u200B\u2060\uFEFF]/u)
        expect(clean).not.toMatch(/[[\p{Cc}]--[\n\t]]/v)
        expect(clean).not.toMatch(/(\u200C|\u200D|[\uFE00-\uFE0F]){3}/)
        expect(cleanText(clean, max)).toBe(clean)
      }),
      { numRuns: soakRounds(2000) },
    )
  })

  // Quadratic time would take minutes here.
  it.each(['\u200D', '😀\u200D', 'a\uFE0F', '\r', '\u202E\u200B'])('cleans half a million repetitions of %j in linear time', (part) => {
    expect(cleanText(part.repeat(500_000), 1000).length).toBeLessThanOrEqual(1000)
  })
})
