import { escapeHtml } from './escape.ts'
import { type Fields, splitAtFields } from './merge-fields.ts'
import { fill, type Piece } from './recipient.ts'

/** Http and https alone, as one address without blanks or quotes; null for anything else. */
export function webAddress(text: string): string | null {
  return /^https?:\/\/[^\s"'<>\\]+$/i.test(text) && URL.canParse(text) ? text : null
}

const SAFE = /^(?:https?:\/\/[^\s"'<>\\/?#]+[^\s"'<>\\]*|mailto:[^\s"'<>\\]+|tel:[-+\d().]+)$/i

/**
 * A link's address with its fields to fill in, or null for one that no mail carries. A field is the whole address only as one of `links.*`,
 * and else the whole value of a parameter: nothing that somebody typed about themselves chooses where a link leads.
 */
export function addressOf(href: string, fields: Fields): Piece[] | null {
  const parts = splitAtFields(href.trim(), fields)
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') {
    return only.path.startsWith('links.') ? [(to) => webAddress(only.read(to)) ?? ''] : null
  }
  const fixed = parts.map((part) => (typeof part === 'string' ? part : '0')).join('')
  if (!SAFE.test(fixed) || !parts.every((part, at) => typeof part === 'string' || isWholeValue(parts, at))) return null
  return parts.map((part) => (typeof part === 'string' ? part : (to) => encodeURIComponent(part.read(to))))
}

function isWholeValue(parts: readonly unknown[], at: number): boolean {
  const before = parts
    .slice(0, at)
    .map((part) => (typeof part === 'string' ? part : '0'))
    .join('')
  const after = parts[at + 1]
  return /^[^?#]*\?(?:[^#]*&)?[^&=#]+=$/.test(before) && (after === undefined || (typeof after === 'string' && /^[&#]/.test(after)))
}

/** ` href="…"`, or nothing where the address comes out empty: then the words stay and lead nowhere. */
export const hrefOf =
  (address: readonly Piece[]): Piece =>
  (to) => {
    const url = fill(address, to)
    return url === '' ? '' : ` href="${escapeHtml(url)}"`
  }
