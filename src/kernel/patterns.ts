import { RE2JS } from 're2js'

/** A pattern that people wrote. RE2 needs time in proportion to the text, whatever the pattern; the engine of the language may need for ever. */
export interface Pattern {
  /** Somewhere in the text. */
  finds: (text: string) => boolean
  /** The whole of it. */
  matches: (text: string) => boolean
  /** Where the first match is, as [start, end). */
  span: (text: string) => [number, number] | null
}

const MAX_LENGTH = 200
const kept = new Map<string, Pattern | null>()
const MAX_KEPT = 500

/** Null for what RE2 cannot compile, such as look-ahead and back references. */
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
  try {
    const re = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return {
      finds: (text) => re.test(text),
      matches: (text) => re.matches(text),
      span(text) {
        const matcher = re.matcher(text)
        return matcher.find() ? [matcher.start(), matcher.end()] : null
      },
    }
  } catch {
    return null
  }
}
