import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIGURATION_JSON_LIMITS, exceedsJsonLimits, readJson as readWithin, REQUEST_JSON_LIMITS } from '../read-json.ts'
import { soakRounds } from '../../../test/support/soak.ts'

const MAX_DEPTH = 64
/** Size limits are tested separately below. */
const readJson = (text: string) => readWithin(text, { keys: Infinity, values: Infinity })

/** Any key except the rejected __proto__. */
const key = fc.string({ unit: 'binary', maxLength: 12 }).filter((name) => name !== '__proto__')

const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, '', '\\', '"', '{"a":1,"a":2}', '\ud800', '\u2028'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
  ),
}))

const spaced = fc.constantFrom(undefined, 1, '\t', ' \r\n')

/** The same text with some characters written as escapes. */
const respelled = (text: string, every: number) =>
  Array.from({ length: text.length }, (_, i) =>
    i % every === 0 ? `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}` : JSON.stringify(text[i]).slice(1, -1),
  ).join('')

const nested = (depth: number, kinds: string) => {
  const opening = Array.from({ length: depth }, (_, i) => (kinds[i % kinds.length] === '[' ? '[' : '{"a":'))
  const closing = Array.from({ length: depth }, (_, i) => (kinds[(depth - 1 - i) % kinds.length] === '[' ? ']' : '}'))
  return `${opening.join('')}1${closing.join('')}`
}

const problemOf = (text: string) => {
  const read = readJson(text)
  return 'problem' in read ? read.problem : null
}

describe('readJson', () => {
  it('reads the same values as JSON.parse, regardless of whitespace in the text', () => {
    fc.assert(
      fc.property(anyJson, spaced, (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(readJson(text)).toEqual({ value: JSON.parse(text) })
      }),
      { numRuns: soakRounds(500) },
    )
  })

  it('never throws for any input text, and accepts no text that JSON.parse rejects', () => {
    const noise = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0019aetrunfls- \n'), maxLength: 60 }),
      fc.tuple(anyJson, fc.nat(), fc.constantFrom('"', '{', '}', '\\', ':', '', '\u0000')).map(([value, at, planted]) => {
        const text = JSON.stringify(value)
        const i = at % text.length
        return text.slice(0, i) + planted + text.slice(i + 1)
      }),
    )
    fc.assert(
      fc.property(noise, (text) => {
        const read = readJson(text)
        if ('value' in read) expect(read.value).toEqual(JSON.parse(text))
        else if (read.problem === 'syntax') expect(() => JSON.parse(text)).toThrow()
      }),
      { numRuns: soakRounds(1500) },
    )
  })

  it('detects a duplicate key at any depth and with any escape sequences', () => {
    const planted = fc.record({
      name: key,
      every: fc.constantFrom(1, 2, 1000),
      others: fc.dictionary(key, anyJson, { maxKeys: 5 }),
      around: fc.array(fc.constantFrom('[', '{'), { maxLength: 20 }),
    })
    fc.assert(
      fc.property(planted, ({ name, every, others, around }) => {
        const members = Object.entries(others)
          .filter(([other]) => other !== name)
          .map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`)
        const inner = `{${[`${JSON.stringify(name)}:1`, ...members, `"${respelled(name, every)}":2`].join(',')}}`
        const text = around.reduceRight((within, kind) => (kind === '[' ? `[0,${within}]` : `{"x":0,"y":${within}}`), inner)
        expect(() => JSON.parse(text)).not.toThrow()
        expect(problemOf(text)).toBe('duplicate')
      }),
      { numRuns: soakRounds(500) },
    )
  })

  it.each([
    ['the same key in two objects', '[{"a":1},{"a":2}]'],
    ['the same key one level deeper', '{"a":{"a":{"a":1}}}'],
    ['a key as the value of another', '{"a":"b","b":"a"}'],
    ['keys that differ in case or blanks', '{"a":1,"A":2," a":3,"a ":4}'],
    ['keys that look alike', '{"é":1,"e\u0301":2}'],
    ['an object inside a string', '{"a":"{\\"b\\":1,\\"b\\":2}"}'],
    ['a string that ends in a backslash', '{"a":"\\\\","b":"\\\\\\""}'],
  ])('accepts JSON with %s', (_what, text) => {
    expect(readJson(text)).toEqual({ value: JSON.parse(text) })
  })

  it.each([
    ['in full', '{"a":{"__proto__":{}}}'],
    ['with escapes', '{"\\u005f_proto__":1}'],
    ['in a list', '[[{"__proto__":null}]]'],
  ])('rejects the JSON key __proto__ %s', (_what, text) => {
    expect(problemOf(text)).toBe('prototype')
  })

  it('accepts __proto__ as a JSON value', () => {
    expect(readJson('{"a":"__proto__","proto":["__proto__"]}')).toEqual({ value: { a: '__proto__', proto: ['__proto__'] } })
  })

  it.each(['[', '{', '[{', '{{['])('limits the nesting depth of JSON that repeats %s', (kinds) => {
    expect(readJson(nested(MAX_DEPTH, kinds))).toEqual({ value: JSON.parse(nested(MAX_DEPTH, kinds)) })
    expect(problemOf(nested(MAX_DEPTH + 1, kinds))).toBe('depth')
    expect(problemOf(nested(100_000, kinds))).toBe('depth')
    expect(problemOf('[{'.repeat(100_000))).toBe('depth')
  })

  it('limits the nesting of brackets in JSON, not their total number', () => {
    expect(problemOf(`[${Array.from({ length: 1000 }, () => '[[]]').join(',')}]`)).toBeNull()
  })
})

describe('size limits', () => {
  const keys = (n: number) => `{${Array.from({ length: n }, (_, i) => `"k${i}":1`).join(',')}}`
  const values = (n: number) => `[${Array.from({ length: n }, () => '1').join(',')}]`
  const problem = (text: string, limits = REQUEST_JSON_LIMITS) => {
    const read = readWithin(text, limits)
    return 'problem' in read ? read.problem : null
  }

  it('limits the number of JSON keys and values at any depth', () => {
    expect(problem(keys(10_000))).toBeNull()
    expect(problem(keys(10_001))).toBe('size')
    expect(problem(`[${keys(6000)},[${keys(4001)}]]`)).toBe('size')
    expect(problem(values(20_000))).toBeNull()
    expect(problem(values(20_001))).toBe('size')
    expect(problem(keys(10_001), CONFIGURATION_JSON_LIMITS)).toBeNull()
    expect(problem(`[${[keys(25_000), keys(25_000), keys(25_000), keys(25_000)].join(',')}]`, CONFIGURATION_JSON_LIMITS)).toBeNull()
    expect(problem(`[${[keys(25_000), keys(25_000), keys(25_000), keys(25_000), keys(1)].join(',')}]`, CONFIGURATION_JSON_LIMITS)).toBe(
      'size',
    )
    expect(problem(keys(25_001), CONFIGURATION_JSON_LIMITS)).toBe('size')
    expect(problem(JSON.stringify([keys(10_001), values(20_001)]))).toBeNull()
  })

  it('limits structural characters and escapes of JSON, but not plain strings', () => {
    const any = { keys: Infinity, values: Infinity }
    expect(problem(`["${'x'.repeat(6_000_000)}"]`, any)).toBeNull()
    expect(problem(`[${' \t\r\n'.repeat(1_100_000)}]`, any)).toBeNull()
    expect(problem(`[${'1'.repeat(4_000_000)}]`, any)).toBe('size')
    expect(problem(`["${'\\n'.repeat(2_400_000)}"]`, any)).toBeNull()
    expect(problem(`["${'\\n'.repeat(2_600_000)}"]`, any)).toBe('size')
  })

  it('stops scanning JSON as soon as a limit is exceeded', () => {
    const counted = new CountedText(`${keys(10_001)}${' '.repeat(1_000_000)}`)
    readWithin(counted as unknown as string, REQUEST_JSON_LIMITS)
    // One full pass to find that nothing is escaped; the scan itself ends at the first key over the limit.
    expect(counted.looks - counted.length).toBeLessThan(300_000)
  })

  it('applies the size limits of JSON text to parsed values too', () => {
    for (const text of [keys(10_000), keys(10_001), values(20_000), values(20_001), `{"a":[${keys(9999)}]}`, `{"a":[${keys(10_000)}]}`])
      expect(exceedsJsonLimits(JSON.parse(text), REQUEST_JSON_LIMITS)).toBe(problem(text) === 'size')
  })
})

/** A text that counts how many of its characters were read. */
class CountedText {
  looks = 0
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  get length() {
    return this.text.length
  }
  charCodeAt(i: number) {
    this.looks++
    return this.text.charCodeAt(i)
  }
  indexOf(wanted: string, from: number) {
    const found = this.text.indexOf(wanted, from)
    this.looks += (found < 0 ? this.text.length : found) - from + 1
    return found
  }
  slice(from: number, to: number) {
    this.looks += to - from
    return this.text.slice(from, to)
  }
  toString() {
    return this.text
  }
}

const looksAt = (text: string): number => {
  const counted = new CountedText(text)
  readJson(counted as unknown as string)
  return counted.looks
}

describe('cost of reading JSON', () => {
  const hostile: [string, (n: number) => string][] = [
    ['quotes', (n) => '"'.repeat(n)],
    ['escaped quotes', (n) => `"${'\\"'.repeat(n / 2)}"`],
    ['escaped quotes without an end', (n) => `"${'\\"'.repeat(n / 2)}`],
    ['backslashes', (n) => `"${'\\'.repeat(n)}"`],
    ['backslashes without an end', (n) => `"${'\\'.repeat(n)}`],
    ['alternating backslashes and quotes', (n) => `"${'\\\\\\"'.repeat(n / 4)}`],
    ['many keys', (n) => `{${Array.from({ length: n / 8 }, (_, i) => `"k${i}":1`).join(',')}}`],
    ['escaped keys', (n) => `{${Array.from({ length: n / 12 }, (_, i) => `"\\u0061${i}":1`).join(',')}}`],
    ['many short strings', (n) => `[${'"",'.repeat(n / 3)}""]`],
    ['many closings', (n) => ']'.repeat(n)],
    ['many colons', (n) => `["a"${':'.repeat(n)}]`],
  ]

  it.each(hostile)('reads a number of characters proportional to the length of the JSON text for %s', (_what, make) => {
    const [short, long] = [make(12_000), make(48_000)]
    expect(looksAt(short)).toBeLessThan(5 * short.length)
    expect(looksAt(long) / looksAt(short)).toBeLessThan((1.1 * long.length) / short.length)
  })

  it('control: detects a search whose character reads grow quadratically with the JSON text', () => {
    const quadratic = (text: string) => {
      const counted = new CountedText(text)
      for (let i = 0; i < text.length; i += 100) counted.indexOf('not there', i)
      return counted.looks
    }
    expect(quadratic(' '.repeat(48_000)) / quadratic(' '.repeat(12_000))).toBeGreaterThan(4 * 1.1)
  })
})
