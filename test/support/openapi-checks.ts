import { buildOpenApiDocument } from '../../src/surfaces/rest/openapi.ts'
import type { OpenApiDocument } from '../../src/surfaces/rest/openapi-parts.ts'
import { findSchemaErrors, resolveRef } from './json-schema.ts'

export interface RestAnswer {
  status: number
  headers: Record<string, string>
  text: string
  json: any
}

/** The base URL of each test server, by the origin it listens on. */
const served = new Map<string, string>()
const documents = new Map<string, OpenApiDocument>()

let plainFetch: typeof fetch | undefined

/**
 * From now on every REST response of this server is validated against the OpenAPI document, in all tests. A response that differs from
 * the document makes the request throw. Call the returned function when the server stops, because another server may reuse its port.
 */
export function checkResponsesOf(origin: string, baseUrl: string): () => void {
  if (!plainFetch) {
    plainFetch = globalThis.fetch
    globalThis.fetch = heldFetch(plainFetch)
  }
  served.set(origin, baseUrl)
  return () => void served.delete(origin)
}

const heldFetch =
  (plain: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await plain(input, init)
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input)
    const baseUrl = served.get(origin)
    if (baseUrl === undefined || !pathname.startsWith('/v1/')) return response
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
    const problems = findDocumentDifferences(baseUrl, method, pathname, await readRestAnswer(response.clone()))
    if (problems.length > 0)
      throw new Error(`${method} ${pathname} does not match the OpenAPI document: ${problems.slice(0, 5).join('; ')}`)
    return response
  }

export async function readRestAnswer(response: Response): Promise<RestAnswer> {
  const text = await response.text()
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    json: isJson && text !== '' ? JSON.parse(text) : null,
  }
}

/** Returns the differences between a REST response and the OpenAPI document. */
export function findDocumentDifferences(
  baseUrl: string,
  method: string,
  path: string,
  { status, headers, json, text }: RestAnswer,
): string[] {
  const document = documents.get(baseUrl) ?? buildOpenApiDocument(baseUrl)
  documents.set(baseUrl, document)
  const known = Object.entries(document.paths).find(([pattern]) =>
    new RegExp(`^${pattern.replace('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  )?.[1] as Record<string, { responses: Record<string, any> }> | undefined
  const operation = known?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()]
  const problem = { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }
  const elsewhere = [401, 403, 404, 405, 429].includes(status) ? problem : null
  const found = operation ? operation.responses[status] : elsewhere
  if (!found) return [`${status} is not documented`]
  const response = found.$ref ? resolveRef(document, found.$ref) : found
  const missing = Object.keys(response.headers ?? {}).filter((name) => headers[name.toLowerCase()] === undefined)
  const problems = missing.map((name) => `the header ${name} is missing`)
  if (method === 'HEAD' || status === 304 || !response.content) return [...problems, ...(text === '' ? [] : ['there is a body'])]
  const type = (headers['content-type'] ?? '').split(';')[0]!
  const content = response.content[type] ?? response.content['*/*']
  if (!content) return [...problems, `${type} is not documented`]
  return [...problems, ...(json === null ? [] : findSchemaErrors(document, content.schema, json))]
}
