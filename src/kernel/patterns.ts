import { RE2JS } from 're2js'
import { memoize } from './memoize.ts'

/**
 * A regular expression written by a user. RE2 runs in time proportional to the text and the compiled program, whose size is therefore
 * limited; JavaScript's own engine can take exponential time.
 */
export interface CompiledPattern {
  /** Whether the regular expression matches anywhere in the text. */
  finds: (text: string) => boolean
  /** Whether the regular expression matches the whole text. */
  matches: (text: string) => boolean
  /** Returns the first match as [start, end). Much slower than `finds`, which only checks whether there is a match. */
  span: (text: string) => [number, number] | null
  /** Size of the compiled regular expression in RE2 instructions. The time to match a character grows with it. */
  size: number
}

const MAX_LENGTH = 200
/**
 * Maximum size of a pattern in RE2 instructions. For comparison: `.{1,300}` has 601, a full email address pattern about 300, and
 * a sequence of twenty `.{1,1000}` has 40,000.
 */
const MAX_PROGRAM = 640
const MAX_CACHED_PATTERNS = 500

/** Compiles a regular expression. Null if it is too large, or if RE2 does not support it, as with look-ahead and back references. */
export function compilePattern(source: string, { ignoreCase = false } = {}): CompiledPattern | null {
  if (source.length > MAX_LENGTH) return null
  return ignoreCase ? compileIgnoringCase(source) : compileExactly(source)
}

const compileExactly = memoize(MAX_CACHED_PATTERNS, (source) => compileUncached(source, false))
const compileIgnoringCase = memoize(MAX_CACHED_PATTERNS, (source) => compileUncached(source, true))

function compileUncached(source: string, ignoreCase: boolean): CompiledPattern | null {
  // Even compiling takes long for an oversized regular expression, so its size is estimated first.
  if (minProgramSize(source) > MAX_PROGRAM) return null
  try {
    const re = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    if (re.programSize() > MAX_PROGRAM) return null
    return {
      finds: (text) => re.test(text),
      matches: (text) => re.matches(text),
      span(text) {
        const matcher = re.matcher(text)
        return matcher.find() ? [matcher.start(), matcher.end()] : null
      },
      size: re.programSize(),
    }
  } catch {
    return null
  }
}

const TOKEN =
  /\\Q(?<quoted>.*?)(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\[0-7]{1,3}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?<?[=!]|\(\?[^:)>]*[:)>]?|\{(?<least>\d+)(?:,(?<most>\d*))?\}|./gsu
const ANCHORS = new Set(['^', '$', '\\b', '\\B', '\\A', '\\z'])
/** Matches quantifiers and flag groups, to which a following repetition does not apply. */
const NON_OPERAND = /^(?:[*+?]|\(\?.*\))$/s

/** Returns a lower bound of the compiled size: each character is one instruction, and a repetition multiplies its operand. */
function minProgramSize(source: string): number {
  const around: { most: number; size: number }[] = []
  let [most, size, last] = [0, 0, 0]
  for (const { 0: token, groups } of source.matchAll(TOKEN)) {
    if (groups?.quoted !== undefined) {
      // A repetition after text quoted by \Q…\E applies only to the last quoted character.
      const length = [...groups.quoted].length
      if (length > 0) last = 1
      size += length
    } else if (groups?.least !== undefined) {
      const times = Number(groups.most || groups.least)
      size += last * times - last
      last *= times
    } else if (token === '|') [most, size, last] = [Math.max(most, size), 0, 0]
    else if (token.startsWith('(') && !token.endsWith(')')) {
      around.push({ most, size })
      ;[most, size, last] = [0, 0, 0]
    } else if (token === ')') {
      const outer = around.pop() ?? { most: 0, size: 0 }
      last = Math.max(most, size)
      ;[most, size] = [outer.most, outer.size + last]
    } else if (!NON_OPERAND.test(token)) {
      last = ANCHORS.has(token) ? 0 : 1
      size += last
    }
  }
  return Math.max(most, size)
}
