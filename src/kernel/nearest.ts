import { type AppError, type FieldError, invalidArguments } from './errors.ts'

/** Returns the known name that a mistyped word most likely means, or null if no name is similar. */
export function findMostSimilarName(word: string, known: readonly string[]): string | null {
  return listMostSimilarNames(word, known, 1)[0] ?? null
}

/** Returns up to `count` known names that are similar to a word, the most similar first. Equally similar ones keep their order. */
export function listMostSimilarNames(word: string, known: readonly string[], count: number): string[] {
  const wanted = squash(word)
  return known
    .flatMap((name) => {
      const distance = distanceOf(wanted, squash(name))
      return distance === null ? [] : [{ name, distance }]
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name)
}

/** The error for an argument that matches no known name: it suggests the closest name, or lists the known ones. */
export function createUnknownNameFieldError(path: string, word: string, known: readonly string[], noun: string): FieldError {
  const near = findMostSimilarName(word, known)
  const listed =
    known.length === 0 ? `there is no ${noun} yet` : `there are ${known.slice(0, 20).join(', ')}${known.length > 20 ? ' …' : ''}`
  const meant = near === null ? listed : `did you mean ${near}?`
  return { path, message: `no ${noun} ${JSON.stringify(word.slice(0, 80))} — ${meant}`, ...(near === null ? {} : { allowed: [near] }) }
}

export const createUnknownNameError = (path: string, word: string, known: readonly string[], noun: string): AppError =>
  invalidArguments([createUnknownNameFieldError(path, word, known, noun)])

// Normalizes a name for comparison: `event_code`, `Event-Code` and `eventCode` are equal.
const squash = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '')

/**
 * Returns how different two names are; null if they are not similar. A name within a few typos ranks before a name that only contains the
 * word (`email` in `contactEmail`).
 */
function distanceOf(a: string, b: string): number | null {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (short === '') return null
  const allowed = Math.min(long.length <= 4 ? 1 : long.length <= 8 ? 2 : 3, short.length - 1)
  if (long.length - short.length <= allowed) {
    const slips = editDistance(a, b)
    if (slips <= allowed) return slips
  }
  if (short.length < 4 || !long.includes(short)) return null
  // An abbreviated name (`includeTest` for `includeTestData`) is more likely than a name with an addition, so it ranks first.
  return (short === a ? 10 : 20) + long.length - short.length
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : Infinity
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped))
    }
    ;[beforeLast, last] = [last, row]
  }
  return at(last, b.length)
}

const at = (row: readonly number[], index: number) => row[index] ?? Infinity
