/** Maps values printed on a documentation page to the values of this run, because ids, tokens and times differ from run to run. */
export interface PageValues {
  declare: (written: string, real: string) => void
  /** Replaces the values of the page in a text with those of this run. */
  toReal: (text: string) => string
  /** Replaces the values of this run in a text with those of the page. */
  toWritten: (text: string) => string
  /** The differences between a response on the page and the real one. */
  findDifferences: (written: unknown, real: unknown, path?: string) => string[]
}

const INSTANT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`
const TOKEN = String.raw`\b(?:lat|lrt|lak|lps|lac|lar|loc|lcs|whsec|msg)_[\w+/=-]*…?`
const SHORTENED = String.raw`[\w-]{6,}…`
const HEX = String.raw`\b(?=[a-f]*[0-9])[0-9a-f]{8,64}\b`
/** A record's version tag (ETag), such as `3-0a1b2c3d`. */
const TAG = String.raw`\b\d+-[0-9a-f]{8}\b`
/** A registration or room number. */
const NUMBER = String.raw`\b(?=[A-Z]*[0-9])[0-9A-Z]{10}\b`
const ANYTHING = '…'

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
const isInstant = (text: string) => new RegExp(`^${INSTANT}$`).test(text)

/** A pattern for the values that may replace the given value of the page. */
function patternFor(written: string): string {
  if (isInstant(written)) return INSTANT
  const [, prefix] = /^([a-z]+_)/.exec(written) ?? []
  if (prefix) return String.raw`${prefix}[\w+/=-]+`
  if (new RegExp(`^${TAG}$`).test(written)) return TAG
  if (/^[0-9A-Z]+$/.test(written)) return `[0-9A-Z]{${written.length}}`
  return written.endsWith('…') ? String.raw`[^\s"'&<>]+` : `[0-9a-f]{${written.length}}`
}

export function createPageValues(): PageValues {
  const known = new Map<string, string>()
  const longestFirst = (texts: Iterable<string>) => [...texts].toSorted((a, b) => b.length - a.length)
  const replaced = (text: string, pairs: readonly (readonly [string, string])[]) => {
    if (pairs.length === 0) return text
    const by = new Map(pairs)
    return text.replaceAll(new RegExp(longestFirst(by.keys()).map(escaped).join('|'), 'g'), (part) => by.get(part)!)
  }
  const know = (written: string, real: string) => void known.set(written, real)
  const realOf = (text: string) => replaced(text, [...known])
  const writtenOf = (text: string) =>
    replaced(
      text,
      [...known].filter(([, real]) => real.length > 3).map(([written, real]) => [real, written] as const),
    )

  function textFaults(written: string, real: string, path: string): string[] {
    const parts = new RegExp(
      [...longestFirst(known.keys()).map(escaped), INSTANT, TOKEN, SHORTENED, TAG, HEX, NUMBER, ANYTHING].join('|'),
      'g',
    )
    const fresh: string[] = []
    let [pattern, end] = ['', 0]
    for (const { 0: part, index } of written.matchAll(parts)) {
      pattern += escaped(written.slice(end, index))
      end = index + part.length
      if (part === ANYTHING) pattern += '[\\s\\S]*'
      else if (known.has(part) && !isInstant(part)) pattern += escaped(known.get(part)!)
      else {
        fresh.push(part)
        pattern += `(${patternFor(part)})`
      }
    }
    const found = new RegExp(`^${pattern}${escaped(written.slice(end))}$`).exec(real)
    if (!found) return [`${path}: the page says ${JSON.stringify(written)}, the answer ${JSON.stringify(writtenOf(real).slice(0, 400))}`]
    fresh.forEach((part, at) => known.has(part) || know(part, found[at + 1]!))
    return []
  }

  function faultsOf(written: unknown, real: unknown, path = ''): string[] {
    if (typeof written === 'string' && typeof real === 'string') return textFaults(written, real, path)
    if (written === ANYTHING) return []
    if (typeof written === 'number' && typeof real === 'number') return sameNumber(written, real, path)
    if (Array.isArray(written) && Array.isArray(real)) {
      const open = written.at(-1) === ANYTHING
      const items = open ? written.slice(0, -1) : written
      if (open ? real.length < items.length : real.length !== items.length)
        return [`${path}: the page has ${items.length} items, the answer ${real.length}`]
      return items.flatMap((item, at) => faultsOf(item, real[at], `${path}/${at}`))
    }
    if (isObject(written) && isObject(real)) {
      const open = ANYTHING in written
      const missing = Object.keys(written).filter((key) => key !== ANYTHING && !(key in real))
      const unsaid = open ? [] : Object.keys(real).filter((key) => !(key in written))
      return [
        ...missing.map((key) => `${path}/${key}: is on the page and not in the answer`),
        ...unsaid.map((key) => `${path}/${key}: is in the answer and not on the page`),
        ...Object.keys(written).flatMap((key) =>
          key in real && key !== ANYTHING ? faultsOf(written[key], real[key], `${path}/${key}`) : [],
        ),
      ]
    }
    return Object.is(written, real) ? [] : [`${path}: the page says ${JSON.stringify(written)}, the answer ${JSON.stringify(real)}`]
  }

  return { declare: know, toReal: realOf, toWritten: writtenOf, findDifferences: faultsOf }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Larger numbers are Unix timestamps. Timestamps, durations and revision counts vary from run to run and are not compared. */
const UNIX = 1_000_000_000
const sameNumber = (written: number, real: number, path: string) =>
  written === real || (written > UNIX && real > UNIX) || /\/(ms|revision)$/.test(path)
    ? []
    : [`${path}: the page says ${written}, the answer ${real}`]
