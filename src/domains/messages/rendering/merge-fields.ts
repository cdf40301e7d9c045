import { formatDay, formatDays, formatList, formatMoment, formatMoney, formatNumber } from '../../../kernel/language/format.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { MERGE_FIELD } from '../../configuration/merge-fields.ts'
import { escapeHtml } from './escape.ts'
import type { FieldValue, Filling, Piece } from './recipient.ts'

/** Which fields a text may name. `known` is null where the braces of a text are only braces; what is named in vain is collected. */
export interface Fields {
  known: ReadonlySet<string> | null
  unknown: Set<string>
}

/** Where a text stands, and so how what it holds is written. */
type Place = 'html' | 'attribute' | 'text' | 'header'

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

const WRITTEN: Record<Place, (text: string) => string> = { html: escapeHtml, attribute: escapeHtml, text: (text) => text, header: oneLine }

/** A text with its fields to fill in. One pass: a value or fallback that looks like a field stays text. Lines of a value stay lines. */
export function withFields(text: string, place: Place, fields: Fields): Piece[] {
  const written = WRITTEN[place]
  const given = place === 'html' ? (value: string) => written(value).replaceAll('\n', '<br>') : written
  return splitAtFields(text, fields).map((part) => (typeof part === 'string' ? written(part) : (to) => given(part.read(to))))
}

export interface Field {
  path: string
  read: (to: Filling) => string
}

/** The text around the fields and the fields, in turn. */
export function splitAtFields(text: string, { known, unknown }: Fields): (string | Field)[] {
  if (known === null || !text.includes('{{')) return [text]
  const parts: (string | Field)[] = []
  let end = 0
  for (const match of text.matchAll(MERGE_FIELD)) {
    const [whole, path = '', fallback = '|'] = match
    if (!known.has(path)) unknown.add(path)
    parts.push(text.slice(end, match.index), { path, read: readerOf(path, fallback.slice(1).trim(), known.has(path)) })
    end = match.index + whole.length
  }
  return [...parts, text.slice(end)].filter((part) => part !== '')
}

/** What the list does not hold is never asked for, so no path reaches what was not meant. */
const readerOf = (path: string, fallback: string, isKnown: boolean) => (to: Filling) => {
  const value = isKnown ? valueOf(path, to) : ''
  if (value !== '') return value
  if (fallback === '') to.missing.add(path)
  return fallback
}

/** A mail may name one field many times: it is asked for and written out once. */
function valueOf(path: string, to: Filling): string {
  const known = to.written.get(path)
  if (known !== undefined) return known
  const value = writtenOut(to.value(path), to)
  to.written.set(path, value)
  return value
}

/** A value as people of that language read it. */
export function writtenOut(value: FieldValue, { words, locale }: Pick<Filling, 'words' | 'locale'>): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return cleanText(value).trim()
  if (typeof value === 'number') return formatNumber(locale, value)
  if (typeof value === 'boolean') return words.say(value ? 'yes' : 'no')
  if ('amount' in value) return formatMoney(locale, value)
  if ('day' in value) return formatDay(locale, value.day)
  if ('from' in value) return formatDays(locale, value.from, value.until)
  if ('instant' in value) return formatMoment(locale, value.instant, value.zone)
  return cleanText(formatList(locale, value))
}
