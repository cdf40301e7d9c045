import { invalidArguments } from '../../../kernel/errors.ts'
import { encodeParameterName, encodeUrlPart } from './encoding.ts'
import type { DirectoryRequest } from './spec.ts'

/** Parses the template of a request body as JSON before values are inserted, so that an inserted value cannot end its JSON string. */
export function parseBodyTemplate(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw invalidArguments([{ path: '', message: 'must be JSON, with every placeholder inside a text: "{{input.email}}"' }])
  }
}

export type RequestBodyStrings = { at: string; text: string }[]

/** Lists all strings of a request body with their paths, and all property names. */
export function listRequestBodyStrings(value: unknown, at = ''): { values: RequestBodyStrings; keys: RequestBodyStrings } {
  if (typeof value === 'string') return { values: [{ at, text: value }], keys: [] }
  if (value === null || typeof value !== 'object') return { values: [], keys: [] }
  const inner = Object.entries(value).map(([key, part]) => ({ key, ...listRequestBodyStrings(part, `${at}/${key}`) }))
  const own = Array.isArray(value) ? [] : inner.map(({ key }) => ({ at, text: key }))
  return { values: inner.flatMap(({ values }) => values), keys: [...own, ...inner.flatMap(({ keys }) => keys)] }
}

export function replaceRequestBodyStrings(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((part) => replaceRequestBodyStrings(part, replace))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaceRequestBodyStrings(part, replace)]))
}

export const isRequestBodyObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Serializes a request body. A form field that is a list or an object is sent as JSON text, as CiviCRM expects. */
export function serializeBody(document: unknown, bodyType: DirectoryRequest['bodyType']): string {
  if (bodyType === 'json') return JSON.stringify(document)
  const fields = isRequestBodyObject(document) ? Object.entries(document) : []
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return fields.map(([name, value]) => `${encodeParameterName(name)}=${encodeUrlPart(text(value))}`).join('&')
}
