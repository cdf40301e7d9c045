import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it, vi } from 'vitest'
import { chooseForSoak, soakRounds as rounds } from '../../../test/support/soak.ts'
import { answerPatternSchema } from '../../domains/configuration/schema/catalog.ts'
import { compilePattern } from '../patterns.ts'

const HTML_EMAIL = '[\\w.!#$%&*+/=?^`{|}~-]+@[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?(?:\\.[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?)*'

/** Realistic patterns with a matching text each. */
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

/** Short patterns that compile to thousands of instructions. */
const MULTIPLIED = [
  `${'.{1,1000}'.repeat(20)}[^ab]`,
  `${'[a-z]{1,900}'.repeat(10)}[0-9]`,
  `${'(?:.{0,999}x?)'.repeat(14)}\\d`,
  '(.{1,300}){1,3}[^ab]',
  '([ab]{1,30}){1,30}c$',
  '\\p{L}{1,400}\\p{N}',
  `(?:${'a?'.repeat(90)}){1,1000}`,
]

/** Parts that generated patterns consist of, including some that only look like a repetition. */
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

describe('compilePattern', () => {
  it.each(SENSIBLE)('accepts the regular expression %s', (source, fits) => {
    expect(compilePattern(source)?.matches(fits)).toBe(true)
    expect(compilePattern(source)?.matches('\n')).toBe(false)
  })

  it.each(MULTIPLIED)('rejects the oversized regular expression %s, which RE2 itself would accept', (source) => {
    expect(RE2JS.compile(source).programSize()).toBeGreaterThan(700)
    expect(source.length).toBeLessThanOrEqual(200)
    expect(compilePattern(source)).toBeNull()
    expect(compilePattern(source, { ignoreCase: true })).toBeNull()
  })

  it('rejects an obviously oversized regular expression without compiling it', () => {
    const plain = MULTIPLIED.filter((source) => sizeOf(source)! > 3000)
    expect(plain).toHaveLength(4)
    const compile = vi.spyOn(RE2JS, 'compile')
    for (const source of plain) expect(compilePattern(`${source}-`)).toBeNull()
    expect(compile.mock.calls).toEqual([])
    expect(compilePattern('[a-z]{1,9}-')).not.toBeNull()
    expect(compile.mock.calls).toHaveLength(1)
    compile.mockRestore()
  })

  it.each([
    ['quotes nothing', `\\Q\\E${'.{1,1000}'.repeat(20)}`],
    ['quotes to its end', `${'.{1,1000}'.repeat(20)}\\Qa`],
    ['repeats its quoted text', '(?:\\Qabc\\E){900}'],
    ['repeats the last quoted character', '\\Qabc\\E{900}'],
    ['looks back', `(?<=a)${'.{1,1000}'.repeat(20)}`],
    ['contains a look-behind', `(?<!${'.{1,1000}'.repeat(20)})a`],
    ['looks ahead', `(?=${'.{1,1000}'.repeat(20)})a`],
  ])('does not compile an oversized pattern that %s', (_, source) => {
    const compile = vi.spyOn(RE2JS, 'compile')
    expect(compilePattern(source)).toBeNull()
    expect(compile.mock.calls).toEqual([])
    compile.mockRestore()
  })

  it('treats quoted characters in a pattern literally', () => {
    expect(compilePattern('\\Qa.{900}\\E[0-9]')?.matches('a.{900}7')).toBe(true)
    expect(compilePattern('\\Qa.{900}\\E[0-9]')?.matches('ab{900}7')).toBe(false)
  })

  it('accepts every regular expression that compiles to a small program', () => {
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
        expect([text, compilePattern(text) !== null]).toEqual([text, true])
      }),
      { numRuns: chooseForSoak(rounds(2000), 700) },
    )
    expect(taken).toBeGreaterThan(chooseForSoak(500, 175))
  })

  it('rejects regular expressions that RE2 cannot compile or that are too long', () => {
    for (const source of ['(?=a)', '(a)\\1', '(', 'a'.repeat(201)]) expect(compilePattern(source)).toBeNull()
    expect(compilePattern('a'.repeat(200))).not.toBeNull()
  })

  it('accepts sensible patterns of questions, and rejects those that RE2 would compile to a large program', () => {
    for (const [source] of SENSIBLE) expect(answerPatternSchema().safeParse(source).success).toBe(true)
    for (const source of MULTIPLIED)
      expect(
        answerPatternSchema()
          .safeParse(source)
          .error?.issues.map(({ message }) => message),
      ).toEqual(['is not a valid RE2 pattern'])
  })
})
