import { encodeUrlPart, QUERY_ESCAPERS_BY_LANGUAGE } from './encoding.ts'

const SECRET_PLACEHOLDER = '[secret]'

/** Minimum length of a secret to be removed from within longer texts. A shorter secret would match inside many unrelated words. */
const MIN_SUBSTRING_SECRET_LENGTH = 6

/**
 * Removes secrets from a directory's answer, including keys and numbers, before anything reads it. A user who configures a connection
 * must not see credentials entered by others, and a server that echoes requests would reveal them, either verbatim or in any encoding
 * that requests use.
 */
export function createSecretRedactor(secrets: readonly string[]): (answer: unknown) => unknown {
  const patterns = [...new Set(secrets.filter((secret) => secret !== '').flatMap(buildPatterns))]
  if (patterns.length === 0) return (answer) => answer
  const pattern = new RegExp(patterns.toSorted((a, b) => b.length - a.length).join('|'), 'giu')
  const blank = (text: string) => text.replace(pattern, SECRET_PLACEHOLDER)
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return blank(value)
    if (typeof value === 'number') return blank(String(value)) === String(value) ? value : SECRET_PLACEHOLDER
    if (Array.isArray(value)) return value.map(visit)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [blank(key), visit(part)]))
  }
  return visit
}

function buildPatterns(secret: string): string[] {
  const encoded = [encodeUrlPart(secret), encodeURIComponent(secret.toWellFormed())]
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...Object.values(QUERY_ESCAPERS_BY_LANGUAGE).map((filter) => filter(secret)),
    ...encoded.flatMap((text) => [text, text.replaceAll('%20', '+')]),
  ]
  const spelled = spellings.map(escapeRegExp)
  if (secret.length < MIN_SUBSTRING_SECRET_LENGTH) return spelled.map((text) => `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`)
  return [...spelled, escapeRegExp(Buffer.from(secret).toString('hex')), ...buildBase64Patterns(secret)]
}

/**
 * Builds patterns that find the secret inside the base64 of a longer text, such as a Basic auth header, at any of the three byte
 * alignments. The characters at both ends are left out, because they also encode neighbouring bytes.
 */
function buildBase64Patterns(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const certain = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)] as const
    return (['base64', 'base64url'] as const).map(
      (alphabet) => `[\\w+/\\-]?${escapeRegExp(bytes.toString(alphabet).slice(...certain))}[\\w+/\\-]?=*`,
    )
  })
}

const escapeRegExp = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
