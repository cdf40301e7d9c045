import { compilePattern } from '../../../kernel/patterns.ts'

/** Maximum length of a generated answer, longer than any useful one. Limits the output of nested repetitions in a regular expression. */
const MAX_SAMPLE = 500
/** Numbers of extra repetitions to generate for parts such as `a+`, so that some of the answers reach a question's minimum length. */
const SPREAD = [0, 1, 2, 4, 8, 16, 32]

/**
 * Generates texts that match a regular expression, shortest first, as answers of test participants. Supports only the syntax common in
 * patterns for codes and numbers. Samples that do not match are dropped, so the list may be empty.
 */
export function generatePatternSamples(source: string): string[] {
  const pattern = compilePattern(source)
  if (!pattern) return []
  const texts = SPREAD.flatMap((extra) => [0, 1].map((pick) => sampleOf(source, extra, pick)))
  return [...new Set(texts)].filter((text): text is string => text !== null && pattern.matches(text)).sort((a, b) => a.length - b.length)
}

const MAX_RANGE = 300
const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index))
const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const WORDS = `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_`
const SETS: Record<string, string> = { d: DIGITS, w: WORDS, s: ' ' }
const CONTROLS: Record<string, string> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', a: '\u0007' }
// The characters of generated answers. Letters and digits come first, because more questions accept them than punctuation.
const PREFERRED = [...`1${LETTERS}${LETTERS.toUpperCase()}${DIGITS}`, ...ASCII]

/**
 * Generates one sample with `extra` additional repetitions where the pattern allows more, and with the alternative at index `pick`.
 * Returns null if the pattern uses unsupported syntax.
 */
function sampleOf(source: string, extra: number, pick: number): string | null {
  const reader: Reader = { chars: [...source], at: 0, extra, pick }
  const text = alternatives(reader)
  return text !== null && reader.at >= reader.chars.length ? text : null
}

interface Reader {
  chars: readonly string[]
  at: number
  extra: number
  pick: number
}

const peek = ({ chars, at }: Reader) => chars[at]
const next = (reader: Reader) => reader.chars[reader.at++]

function take(reader: Reader, char: string): boolean {
  if (peek(reader) !== char) return false
  reader.at++
  return true
}

function alternatives(reader: Reader): string | null {
  const texts = [sequence(reader)]
  while (take(reader, '|')) texts.push(sequence(reader))
  return texts.includes(null) ? null : texts[Math.min(reader.pick, texts.length - 1)]!
}

function sequence(reader: Reader): string | null {
  let text = ''
  while (reader.at < reader.chars.length && peek(reader) !== '|' && peek(reader) !== ')') {
    const part = atom(reader)
    if (part === null) return null
    const [least, most] = counts(reader)
    const times = Math.min(most, least + reader.extra)
    if (text.length + part.length * times > MAX_SAMPLE) return null
    text += part.repeat(times)
  }
  return text
}

function counts(reader: Reader): [number, number] {
  const range =
    rangeOf(reader) ?? (take(reader, '*') ? [0, Infinity] : take(reader, '+') ? [1, Infinity] : take(reader, '?') ? [0, 1] : [1, 1])
  take(reader, '?')
  return range as [number, number]
}

function rangeOf(reader: Reader): [number, number] | null {
  const match = /^\{(\d+)(,(\d*))?\}/.exec(reader.chars.slice(reader.at, reader.at + 12).join(''))
  if (!match) return null
  reader.at += match[0].length
  const least = Number(match[1])
  return [least, match[2] === undefined ? least : match[3] ? Number(match[3]) : Infinity]
}

function atom(reader: Reader): string | null {
  const char = next(reader)
  if (char === '(') return group(reader)
  if (char === '[') return classed(reader)
  if (char === '\\') return escaped(next(reader))
  if (char === '.') return 'a'
  return char === '^' || char === '$' ? '' : (char ?? null)
}

function group(reader: Reader): string | null {
  if (take(reader, '?')) while (peek(reader) !== undefined && !take(reader, ':')) reader.at++
  const text = alternatives(reader)
  return take(reader, ')') ? text : null
}

function escaped(char: string | undefined): string | null {
  if (char === undefined) return null
  if (char in SETS) return firstOf(SETS[char]!)
  if (char in CONTROLS) return CONTROLS[char]!
  if (char === 'b' || char === 'A' || char === 'z') return ''
  if (char.toLowerCase() in SETS) return firstOf(without(SETS[char.toLowerCase()]!))
  return /[a-z0-9]/i.test(char) ? null : char
}

function classed(reader: Reader): string | null {
  const negated = take(reader, '^')
  let members = take(reader, ']') ? ']' : ''
  while (peek(reader) !== undefined && peek(reader) !== ']') members += memberOf(reader)
  return take(reader, ']') ? firstOf(negated ? without(members) : members) : null
}

function memberOf(reader: Reader): string {
  const char = next(reader) ?? ''
  if (char === '\\') {
    const escapedCharacter = next(reader) ?? ''
    return SETS[escapedCharacter] ?? CONTROLS[escapedCharacter] ?? escapedCharacter
  }
  if (peek(reader) !== '-' || reader.chars[reader.at + 1] === ']') return char
  reader.at++
  const [first, last] = [char.codePointAt(0) ?? 0, (next(reader) ?? '').codePointAt(0) ?? 0]
  return Array.from({ length: Math.min(Math.max(last - first, 0), MAX_RANGE) + 1 }, (_, index) => String.fromCodePoint(first + index)).join(
    '',
  )
}

const without = (members: string) => ASCII.filter((char) => !members.includes(char)).join('')
const firstOf = (members: string) => PREFERRED.find((one) => members.includes(one)) ?? [...members][0] ?? null
