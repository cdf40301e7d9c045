import { escapeHtml } from '../../../kernel/escape-html.ts'
import { type AllowedMergeFields, splitAtMergeFields } from './merge-fields.ts'
import { renderCompiledTemplate, type TemplatePiece } from './recipient.ts'

/** Returns the text if it is an http or https URL without spaces or quotes, otherwise null. */
export function toSafeWebUrl(text: string): string | null {
  return /^https?:\/\/[^\s"'<>\\]+$/i.test(text) && URL.canParse(text) ? text : null
}

const SAFE_ADDRESS = /^(?:https?:\/\/[^\s"'<>\\/?#]+[^\s"'<>\\]*|mailto:[^\s"'<>\\]+|tel:[-+\d().]+)$/i

/**
 * Parses a link address with merge fields; null if the address is not allowed. A field may be the whole address only for `links.*`,
 * otherwise only the whole value of a URL parameter, so that user input never decides where a link leads.
 */
export function parseLinkUrl(href: string, fields: AllowedMergeFields): TemplatePiece[] | null {
  const parts = splitAtMergeFields(href.trim(), fields)
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') {
    return only.path.startsWith('links.') ? [(to) => toSafeWebUrl(only.read(to)) ?? ''] : null
  }
  const fixed = parts.map((part) => (typeof part === 'string' ? part : '0')).join('')
  if (!SAFE_ADDRESS.test(fixed) || !parts.every((part, at) => typeof part === 'string' || isWholeValue(parts, at))) return null
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

/** Renders the attribute ` href="…"`. If the address is empty, renders no attribute, and the link text stays plain text. */
export const renderHref =
  (address: readonly TemplatePiece[]): TemplatePiece =>
  (to) => {
    const url = renderCompiledTemplate(address, to)
    return url === '' ? '' : ` href="${escapeHtml(url)}"`
  }
