import { RE2JS } from 're2js'

/**
 * A pattern that people wrote. RE2 needs time in proportion to the text and to the program that the pattern becomes, which is therefore
 * bounded; the engine of the language may need for ever.
 */
export interface Pattern {
  /** Somewhere in the text. */
  finds: (text: string) => boolean
  /** The whole of it. */
  matches: (text: string) => boolean
  /** Where the first match is, as [start, end). To find out takes many times as long as whether there is one. */
  span: (text: string) => [number, number] | null
  /** In instructions: what each sign of a text costs. */
  size: number
}

const MAX_LENGTH = 200
/** In instructions: `.{1,300}` has 601, and the address of an email with all its lengths some 300. `.{1,1000}` twenty times has 40,000. */
const MAX_PROGRAM = 640
const kept = new Map<string, Pattern | null>()
const MAX_KEPT = 500

/** Null for what RE2 cannot compile, such as look-ahead and back references, and for what repeats too much. */
export function patternOf(source: string, { ignoreCase = false } = {}): Pattern | null {
  if (source.length > MAX_LENGTH) return null
  const key = `${ignoreCase ? 'i' : ''}/${source}`
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= MAX_KEPT) kept.clear()
  const pattern = compiled(source, ignoreCase)
  kept.set(key, pattern)
  return pattern
}

function compiled(source: string, ignoreCase: boolean): Pattern | null {
  // What is too much takes its time already to be compiled.
  if (leastProgram(source) > MAX_PROGRAM) return null
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
/** What stands behind such a one is said of what stands before it. */
const IS_NO_PART = /^(?:[*+?]|\(\?.*\))$/s

/** No program of it is smaller: each sign is an instruction, and a repetition has its part as often as it says. */
function leastProgram(source: string): number {
  const around: { most: number; size: number }[] = []
  let [most, size, last] = [0, 0, 0]
  for (const { 0: token, groups } of source.matchAll(TOKEN)) {
    if (groups?.quoted !== undefined) {
      // What is repeated behind it is its last sign.
      const signs = [...groups.quoted].length
      if (signs > 0) last = 1
      size += signs
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
    } else if (!IS_NO_PART.test(token)) {
      last = ANCHORS.has(token) ? 0 : 1
      size += last
    }
  }
  return Math.max(most, size)
}
