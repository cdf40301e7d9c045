export interface ShortenedAnswer {
  value: Record<string, unknown>
  leftOut: Record<string, number>
}

/** Examples longer than this many characters have their lists shortened further. */
const MAX_EXAMPLE_CHARACTERS = 3500
const MAX_TEXT = 240

/**
 * Shortens a response for reading: the first items of every list, the beginning of every long text. The result still matches the tool's
 * schema.
 */
export function shortenAnswer(answer: Record<string, unknown>): ShortenedAnswer {
  const cuts = [3, 2, 1].map((most) => cutTo(answer, most))
  return cuts.find(({ value }) => JSON.stringify(value).length <= MAX_EXAMPLE_CHARACTERS) ?? cuts.at(-1)!
}

function cutTo(answer: Record<string, unknown>, most: number): ShortenedAnswer {
  const leftOut: Record<string, number> = {}
  const cut = (value: unknown, pointer: string): unknown => {
    if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
    if (Array.isArray(value)) {
      if (value.length > most) leftOut[pointer] = value.length - most
      return value.slice(0, most).map((item, index) => cut(item, `${pointer}/${index}`))
    }
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cut(part, `${pointer}/${key}`)]))
  }
  return { value: cut(answer, '') as Record<string, unknown>, leftOut }
}
