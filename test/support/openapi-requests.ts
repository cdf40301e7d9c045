import fc from 'fast-check'
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from '../../src/surfaces/rest/openapi-parts.ts'
import { findSchemaErrors, resolveRef } from './json-schema.ts'

type Schema = Record<string, any>

/** A request for an operation of the document, before it is encoded. */
export interface GeneratedRequest {
  path: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string>
  /** The text of the body; null without one. */
  body: string | null
  /** What is wrong in an invalid request, for the message of a failed test. */
  fault?: string
}

export interface DocumentedOperation extends OpenApiOperation {
  method: string
  address: string
}

export const listOperations = (document: OpenApiDocument): DocumentedOperation[] =>
  Object.entries(document.paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), address })),
  )

/** Printable ASCII only: the random requests cover other characters, and headers cannot contain them. */
const printable = (schema: Schema) =>
  fc.string({ unit: 'grapheme-ascii', minLength: schema['minLength'] ?? 0, maxLength: Math.min(schema['maxLength'] ?? 20, 20) })

const instants = fc
  .tuple(
    fc.date({ min: new Date('1000-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true }),
    fc.constantFrom('.000Z', 'Z', '.123456789Z', '+05:30', '.5-11:00'),
  )
  .map(([date, end]) => date.toISOString().slice(0, 19) + end)

/** Generates values that a schema allows. */
export function validValues(document: OpenApiDocument, schema: Schema): fc.Arbitrary<unknown> {
  if (schema['$ref']) return validValues(document, resolveRef(document, schema['$ref']))
  if (schema['anyOf']) return fc.oneof(...schema['anyOf'].map((one: Schema) => validValues(document, one)))
  if ('const' in schema) return fc.constant(schema['const'])
  if (schema['enum']) return fc.constantFrom(...schema['enum'])
  const types = [schema['type'] ?? 'null'].flat() as string[]
  if (types.length > 1) return fc.oneof(...types.map((type) => validValues(document, { ...schema, type })))
  switch (types[0]) {
    case 'string':
      if (schema['format'] === 'date-time') return instants
      if (schema['pattern'] === undefined) return printable(schema)
      return fc
        .oneof(fc.stringMatching(new RegExp(schema['pattern']), { size: '-1' }), printable(schema))
        .filter((text) => findSchemaErrors(document, schema, text).length === 0)
    case 'integer':
      return fc.integer({ min: schema['minimum'] ?? 0, max: Math.min(schema['maximum'] ?? 1000, 2 ** 31) })
    case 'number':
      return fc.integer()
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(validValues(document, schema['items'] ?? {}), { minLength: schema['minItems'] ?? 0, maxLength: 3 })
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries<Schema>(schema['properties'] ?? {}).map(([name, part]) => [name, validValues(document, part)])),
        { requiredKeys: schema['required'] ?? [] },
      )
    default:
      return fc.constant(null)
  }
}

export const bodySchemaOf = (document: OpenApiDocument, { requestBody }: OpenApiOperation): Schema | null => {
  const schema = requestBody?.content['application/json']?.schema as Schema | undefined
  return schema ? (schema['$ref'] ? resolveRef(document, schema['$ref']) : schema) : null
}

const inPlace = ({ parameters = [] }: OpenApiOperation, place: OpenApiParameter['in']) => parameters.filter((one) => one.in === place)

/**
 * Generates requests that the document allows. `known` gives values that must exist or be reachable, by the name of the parameter or
 * property. A cursor is only valid if a page returned it, so cursors are omitted.
 */
export function validRequests(
  document: OpenApiDocument,
  operation: DocumentedOperation,
  known: Record<string, readonly unknown[]>,
): fc.Arbitrary<GeneratedRequest> {
  const valueOf = ({ name, schema }: { name: string; schema: object }) =>
    (known[name]?.length ?? 0) > 0
      ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known[name]!) }, { weight: 1, arbitrary: validValues(document, schema) })
      : validValues(document, schema)
  const group = (place: OpenApiParameter['in']) => {
    const parameters = inPlace(operation, place).filter(({ name }) => name !== 'cursor')
    return fc
      .record(Object.fromEntries(parameters.map((one) => [one.name, valueOf(one)])), {
        requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
      })
      .map((values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])))
  }
  const schema = bodySchemaOf(document, operation)
  const body = schema === null ? fc.constant(null) : validValues(document, schema).map((value) => JSON.stringify(withKnown(value, known)))
  return fc.record({ path: group('path'), query: group('query'), headers: group('header'), body })
}

/** Replaces a generated webhook address by a known one, because generated hosts do not exist. */
const withKnown = (value: unknown, known: Record<string, readonly unknown[]>) =>
  value !== null && typeof value === 'object' && 'url' in value ? { ...value, url: known['url']![0] } : value

/** Values that are invalid for most parameters. */
const WRONG_TEXTS = [
  '',
  ' ',
  'x',
  'TRUE',
  'yes',
  ' true',
  'true ',
  '1.5',
  '-1',
  '0',
  '050',
  '1000000000',
  'null',
  '2026-01-01',
  '2026-01-01T10:00Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:00',
  '0001-01-01T00:00:00Z',
  'ABCDEF0123456789ABCDEF01',
  'A Code',
  '\0',
  'y'.repeat(2500),
]
const WRONG_VALUES = [...WRONG_TEXTS, null, true, 1.5, -1, 0, [], ['x'], {}, { a: 1 }]

/** Whether a text in a query or a header is a value of the schema. */
function isValidText(document: OpenApiDocument, schema: Schema, text: string): boolean {
  if (schema['type'] === 'boolean') return text === 'true' || text === 'false'
  if (schema['type'] === 'integer') return /^(0|-?[1-9]\d*)$/.test(text) && findSchemaErrors(document, schema, Number(text)).length === 0
  return findSchemaErrors(document, schema, text).length === 0
}

/** Returns variants of a valid request that each have one fault, so that the OpenAPI document allows none of them. */
export function listInvalidVariants(
  document: OpenApiDocument,
  operation: DocumentedOperation,
  valid: GeneratedRequest,
): GeneratedRequest[] {
  const inGroup = (place: 'query' | 'headers', { name, schema, required, allowEmptyValue }: OpenApiParameter) => [
    ...WRONG_TEXTS.filter((text) => !(text === '' && allowEmptyValue) && !isValidText(document, schema, text))
      // HTTP removes spaces at the ends of a header, and refuses control characters before the server sees them.
      .filter((text) => place === 'query' || (text === text.trim() && !text.includes('\0')))
      .map((text) => ({ ...valid, [place]: { ...valid[place], [name]: text }, fault: `${name} is ${JSON.stringify(text.slice(0, 40))}` })),
    ...(required ? [{ ...valid, [place]: without(valid[place], name), fault: `${name} is missing` }] : []),
  ]
  const ofPaths = inPlace(operation, 'path').flatMap(({ name, schema }) =>
    ['x', 'ABCDEF0123456789ABCDEF01', '%00', '0'.repeat(25)]
      .filter((text) => !isValidText(document, schema, text))
      .map((text) => ({ ...valid, path: { ...valid.path, [name]: text }, fault: `${name} is ${text}` })),
  )
  const unknown = operation.address.startsWith('/v1/') && operation.operationId !== 'getOpenApi'
  return [
    ...inPlace(operation, 'query').flatMap((one) => inGroup('query', one)),
    ...inPlace(operation, 'header').flatMap((one) => inGroup('headers', one)),
    ...ofPaths,
    ...(unknown ? [{ ...valid, query: { ...valid.query, colour: 'red' }, fault: 'colour is unknown' }] : []),
    ...invalidBodies(document, operation, valid),
  ]
}

function invalidBodies(document: OpenApiDocument, operation: DocumentedOperation, valid: GeneratedRequest): GeneratedRequest[] {
  const schema = bodySchemaOf(document, operation)
  if (schema === null || valid.body === null) return []
  const sent = JSON.parse(valid.body) as Record<string, unknown>
  const changed = Object.keys(schema['properties']).flatMap((name) =>
    WRONG_VALUES.map((value) => [{ ...sent, [name]: value }, `${name} is ${JSON.stringify(value).slice(0, 40)}`] as const),
  )
  const bodies = [
    ...changed,
    ...(schema['required'] ?? []).map((name: string) => [without(sent, name), `${name} is missing`] as const),
    [{ ...sent, colour: 'red' }, 'colour is unknown'] as const,
    [[sent], 'the body is a list'] as const,
    [null, 'the body is null'] as const,
  ]
  return bodies
    .filter(([body]) => findSchemaErrors(document, schema, body).length > 0)
    .map(([body, fault]) => ({ ...valid, body: JSON.stringify(body), fault }))
}

const without = <T extends object>(values: T, name: string) => Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))

export function toAddress({ address }: DocumentedOperation, { path, query }: GeneratedRequest): string {
  const at = address.replace(/\{(\w+)\}/g, (_, name: string) =>
    path[name]!.startsWith('%') ? path[name]! : encodeURIComponent(path[name]!),
  )
  const entries = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return entries.length === 0 ? at : `${at}?${entries.join('&')}`
}
