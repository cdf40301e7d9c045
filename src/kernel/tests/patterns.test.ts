import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it, vi } from 'vitest'
import { inSoak, times as rounds } from '../../../test/support/soak.ts'
import { pattern } from '../../domains/configuration/schema/catalog.ts'
import { patternOf } from '../patterns.ts'

const HTML_EMAIL = '[\\w.!#$%&*+/=?^`{|}~-]+@[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?(?:\\.[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?)*'

/** What people ask for, and what each is right for. */
const SENSIBLE: [source: string, fits: string][] = [
  ['[A-Z]{2}\\d{6}', 'AB123456'],
  ['\\d{5}(-\\d{4})?', '10115-0001'],
  ['[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}', 'SW1A 1AA'],
  ['.{1,300}', 'x'.repeat(300)],
  ['[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+', 'ada@example.org'],
  ['[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,100}\\.[A-Za-z]{2,24}', 'ada@example.org'],
  [HTML_EMAIL, 'ada@example.org'],
  ['(\\+\\d{1,3} ?)?[\\d /-]{5,25}', '+49 30 1234567'],
  ["\\p{L}[\\p{L} '-]{1,200}", 'Åsa O’Neil'.replace('’', "'")],
]

/** Short to write, and long to run: each becomes thousands of instructions. */
const MULTIPLIED = [
  `${'.{1,1000}'.repeat(20)}[^ab]`,
  `${'[a-z]{1,900}'.repeat(10)}[0-9]`,
  `${'(?:.{0,999}x?)'.repeat(14)}\\d`,
  '(.{1,300}){1,3}[^ab]',
  '([ab]{1,30}){1,30}c$',
  '\\p{L}{1,400}\\p{N}',
  `(?:${'a?'.repeat(90)}){1,1000}`,
]

/** Also such as only look like a repetition. */
const PARTS = String.raw`
  . a B - , { } é [ab] [^]x] [[:alpha:]_] [\x{1000}-\x{109F}] [{700}] {1,x} \{ \Qa{900}\E \w \pL \p{Lu} \PN \x41 \x{1000} \101 \b ^ $
  (?i) (?:) (|a) (?P<n>a) (?:a|ab|abc)`
  .trim()
  .split(/\s+/)

function sizeOf(source: string): number | null {
  try {
    return RE2JS.compile(source).programSize()
  } catch {
    return null
  }
}

describe('patternOf', () => {
  it.each(SENSIBLE)('takes %s', (source, fits) => {
    expect(patternOf(source)?.matches(fits)).toBe(true)
    expect(patternOf(source)?.matches('\n')).toBe(false)
  })

  it.each(MULTIPLIED)('refuses %s, which RE2 itself would take', (source) => {
    expect(RE2JS.compile(source).programSize()).toBeGreaterThan(700)
    expect(source.length).toBeLessThanOrEqual(200)
    expect(patternOf(source)).toBeNull()
    expect(patternOf(source, { ignoreCase: true })).toBeNull()
  })

  it('does not even compile what is plainly too much', () => {
    const plain = MULTIPLIED.filter((source) => sizeOf(source)! > 3000)
    expect(plain).toHaveLength(4)
    const compile = vi.spyOn(RE2JS, 'compile')
    for (const source of plain) expect(patternOf(`${source}-`)).toBeNull()
    expect(compile.mock.calls).toEqual([])
    expect(patternOf('[a-z]{1,9}-')).not.toBeNull()
    expect(compile.mock.calls).toHaveLength(1)
    compile.mockRestore()
  })

  it.each([
    ['quotes nothing', `\\Q\\E${'.{1,1000}'.repeat(20)}`],
    ['quotes to its end', `${'.{1,1000}'.repeat(20)}\\Qa`],
    ['repeats what it quotes', '(?:\\Qabc\\E){900}'],
    ['repeats the last sign that it quotes', '\\Qabc\\E{900}'],
    ['looks back', `(?<=a)${'.{1,1000}'.repeat(20)}`],
    ['looks back at what it must not', `(?<!${'.{1,1000}'.repeat(20)})a`],
    ['looks ahead', `(?=${'.{1,1000}'.repeat(20)})a`],
  ])('does not compile what is too much and %s', (_, source) => {
    const compile = vi.spyOn(RE2JS, 'compile')
    expect(patternOf(source)).toBeNull()
    expect(compile.mock.calls).toEqual([])
    compile.mockRestore()
  })

  it('takes quoted signs as they are', () => {
    expect(patternOf('\\Qa.{900}\\E[0-9]')?.matches('a.{900}7')).toBe(true)
    expect(patternOf('\\Qa.{900}\\E[0-9]')?.matches('ab{900}7')).toBe(false)
  })

  it('takes whatever RE2 makes a small program of', () => {
    const part = fc.constantFrom(...PARTS)
    const times = fc.constantFrom('', '', '', '?', '*', '+?', '{0}', '{0,}', '{2,}', '{12}', '{4,30}', '{0,90}?', '{300}')
    const { source } = fc.letrec<{ source: string; piece: string }>((tie) => ({
      piece: fc.oneof(
        { maxDepth: 3 },
        fc.tuple(part, times).map((texts) => texts.join('')),
        fc
          .tuple(fc.constantFrom('(', '(?:', '(?i:'), tie('source'), fc.constantFrom(')', '|b)', '|)'), times)
          .map((texts) => texts.join('')),
      ),
      source: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
    }))
    let taken = 0
    fc.assert(
      fc.property(source, (text) => {
        if (text.length > 200 || (sizeOf(text) ?? Infinity) > 640) return
        taken++
        expect([text, patternOf(text) !== null]).toEqual([text, true])
      }),
      { numRuns: inSoak(rounds(2000), 700) },
    )
    expect(taken).toBeGreaterThan(inSoak(500, 175))
  })

  it('refuses what RE2 cannot compile, and what is too long', () => {
    for (const source of ['(?=a)', '(a)\\1', '(', 'a'.repeat(201)]) expect(patternOf(source)).toBeNull()
    expect(patternOf('a'.repeat(200))).not.toBeNull()
  })

  it('decides what a question may ask for, when it is saved', () => {
    for (const [source] of SENSIBLE) expect(pattern().safeParse(source).success).toBe(true)
    for (const source of MULTIPLIED)
      expect(
        pattern()
          .safeParse(source)
          .error?.issues.map(({ message }) => message),
      ).toEqual(['is no pattern that RE2 can read'])
  })
})
