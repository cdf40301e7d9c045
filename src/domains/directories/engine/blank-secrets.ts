import { encodePart, FILTERS } from './encoding.ts'

const BLANK = '[secret]'

/** Shorter than this, a secret is part of many words that have nothing to do with it. */
const SHORT = 6

/**
 * Takes secrets out of what a directory answers, names and numbers included, before anything reads it. Whoever may set up a connection may
 * not see what others entered as its credentials, and an address that repeats what it is told would show them: as they are, or in a
 * spelling that some part of a request has for them.
 */
export function blanking(secrets: readonly string[]): (answer: unknown) => unknown {
  const patterns = [...new Set(secrets.filter((secret) => secret !== '').flatMap(patternsOf))]
  if (patterns.length === 0) return (answer) => answer
  const pattern = new RegExp(patterns.toSorted((a, b) => b.length - a.length).join('|'), 'giu')
  const blank = (text: string) => text.replace(pattern, BLANK)
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return blank(value)
    if (typeof value === 'number') return blank(String(value)) === String(value) ? value : BLANK
    if (Array.isArray(value)) return value.map(visit)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [blank(key), visit(part)]))
  }
  return visit
}

function patternsOf(secret: string): string[] {
  const encoded = [encodePart(secret), encodeURIComponent(secret.toWellFormed())]
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...Object.values(FILTERS).map((filter) => filter(secret)),
    ...encoded.flatMap((text) => [text, text.replaceAll('%20', '+')]),
  ]
  const spelled = spellings.map(escaped)
  if (secret.length < SHORT) return spelled.map((text) => `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`)
  return [...spelled, escaped(Buffer.from(secret).toString('hex')), ...base64Within(secret)]
}

/** How it looks inside the base64 of a longer text, as a header that holds a name and a password, wherever it begins there. The sign at either end is partly its own. */
function base64Within(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const certain = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)] as const
    return (['base64', 'base64url'] as const).map(
      (alphabet) => `[\\w+/\\-]?${escaped(bytes.toString(alphabet).slice(...certain))}[\\w+/\\-]?=*`,
    )
  })
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
