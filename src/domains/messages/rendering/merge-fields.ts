import {
  formatDay,
  formatDateRange,
  formatList,
  formatInstantWithTimeZone,
  formatMoney,
  formatNumber,
} from '../../../kernel/language/format.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { MERGE_FIELD_PATTERN } from '../../configuration/merge-fields.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import type { MergeFieldValue, EmailRenderingContext, TemplatePiece } from './recipient.ts'

/**
 * The merge fields that are allowed in a text. `known` is null if braces are plain text. Unknown field names are collected in `unknown`.
 */
export interface AllowedMergeFields {
  known: ReadonlySet<string> | null
  unknown: Set<string>
}

/** Where in the email a text is placed, which decides how the text is escaped. */
type TextPosition = 'html' | 'attribute' | 'text' | 'header'

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

/** Codes such as the booth A-12 or the invoice INV-2027-000318: capital letters and digits with hyphens, outside of web addresses. */
const HYPHENATED_CODE = /(?<![^\s(,;])[A-Z][A-Z\d]*(?:-[A-Z\d]+)*-\d[A-Z\d]*(?:-[A-Z\d]+)*(?![\w/@-])/g

/** Escapes a text for HTML. Codes with hyphens are kept on one line, and copying such a code yields ordinary hyphens. */
const toHtmlText = (text: string) =>
  escapeHtml(text).replaceAll(HYPHENATED_CODE, (code) => `<span style="white-space:nowrap">${code}</span>`)

const ESCAPE_BY_POSITION: Record<TextPosition, (text: string) => string> = {
  html: toHtmlText,
  attribute: escapeHtml,
  text: (text) => text,
  header: oneLine,
}

/**
 * Renders a text with merge fields in a single pass, so that values and fallbacks that look like merge fields stay plain text. Line breaks
 * are kept.
 */
export function compileMergeFields(text: string, place: TextPosition, fields: AllowedMergeFields): TemplatePiece[] {
  const written = ESCAPE_BY_POSITION[place]
  const given = place === 'html' ? (value: string) => written(value).replaceAll('\n', '<br>') : written
  return splitAtMergeFields(text, fields).map((part) => (typeof part === 'string' ? written(part) : (to) => given(part.read(to))))
}

export interface MergeField {
  path: string
  read: (to: EmailRenderingContext) => string
}

/** Splits a text into literal text and merge fields. */
export function splitAtMergeFields(text: string, { known, unknown }: AllowedMergeFields): (string | MergeField)[] {
  if (known === null || !text.includes('{{')) return [text]
  const parts: (string | MergeField)[] = []
  let end = 0
  for (const match of text.matchAll(MERGE_FIELD_PATTERN)) {
    const [whole, path = '', fallback = '|'] = match
    if (!known.has(path)) unknown.add(path)
    parts.push(text.slice(end, match.index), { path, read: createFieldReader(path, fallback.slice(1).trim(), known.has(path)) })
    end = match.index + whole.length
  }
  return [...parts, text.slice(end)].filter((part) => part !== '')
}

/** Returns a function that reads one merge field. Only known fields are read, so that a template cannot reach any other data. */
const createFieldReader = (path: string, fallback: string, isKnown: boolean) => (to: EmailRenderingContext) => {
  const value = isKnown ? readValue(path, to) : ''
  if (value !== '') return value
  if (fallback === '') to.missing.add(path)
  return fallback
}

/** Returns the formatted value of a merge field. Each field is read and formatted once per email. */
function readValue(path: string, to: EmailRenderingContext): string {
  const known = to.written.get(path)
  if (known !== undefined) return known
  const value = formatMergeFieldValue(to.value(path), to)
  to.written.set(path, value)
  return value
}

export function formatMergeFieldValue(value: MergeFieldValue, { words, locale }: Pick<EmailRenderingContext, 'words' | 'locale'>): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return cleanText(value).trim()
  if (typeof value === 'number') return formatNumber(locale, value)
  if (typeof value === 'boolean') return words.say(value ? 'yes' : 'no')
  if ('amount' in value) return formatMoney(locale, value)
  if ('day' in value) return formatDay(locale, value.day)
  if ('from' in value) return formatDateRange(locale, value.from, value.until)
  if ('instant' in value) return formatInstantWithTimeZone(locale, value.instant, value.zone)
  return cleanText(formatList(locale, value))
}
