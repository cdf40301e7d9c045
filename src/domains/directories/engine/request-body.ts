import { invalidArguments } from '../../../kernel/errors.ts'
import { encodeName, encodePart } from './encoding.ts'
import type { DirectoryRequest } from './spec.ts'

/**
 * A body is read as JSON before anything is put in, and written again after it: so a value can only ever be part of the text it was
 * put into, whatever signs it holds.
 */
export function readBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw invalidArguments([{ path: '', message: 'must be JSON, with every placeholder inside a text: "{{input.email}}"' }])
  }
}

export type Texts = { at: string; text: string }[]

/** Every text of a body with its place, keys included. */
export function textsOf(value: unknown, at = ''): { values: Texts; keys: Texts } {
  if (typeof value === 'string') return { values: [{ at, text: value }], keys: [] }
  if (value === null || typeof value !== 'object') return { values: [], keys: [] }
  const inner = Object.entries(value).map(([key, part]) => ({ key, ...textsOf(part, `${at}/${key}`) }))
  const own = Array.isArray(value) ? [] : inner.map(({ key }) => ({ at, text: key }))
  return { values: inner.flatMap(({ values }) => values), keys: [...own, ...inner.flatMap(({ keys }) => keys)] }
}

/** The same document with each of its texts replaced. */
export function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, replace))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTexts(part, replace)]))
}

export const isFields = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** A field of a form that is itself a list or an object is sent as JSON text, which is how some directories take their filters. */
export function writeBody(document: unknown, bodyType: DirectoryRequest['bodyType']): string {
  if (bodyType === 'json') return JSON.stringify(document)
  const fields = isFields(document) ? Object.entries(document) : []
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return fields.map(([name, value]) => `${encodeName(name)}=${encodePart(text(value))}`).join('&')
}
