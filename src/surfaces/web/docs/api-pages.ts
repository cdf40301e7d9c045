import type { Schema } from '../../../domains/entities/schemas.ts'
import { buildOpenApiDocument } from '../../rest/openapi.ts'
import type { OpenApiResponse, OpenApiDocument, OpenApiOperation, OpenApiParameter } from '../../rest/openapi-parts.ts'
import { describeSchema, formatSchemaTable, resolveSchema } from './api-schemas.ts'

export interface ApiPage {
  path: string
  markdown: string
  /** The URL of the parent page; absent for the index. */
  under?: string
}

interface DocumentedOperation extends OpenApiOperation {
  method: string
  path: string
}

const INDEX_PATH = '/docs/api'

/** The base URL in examples. As in all documentation pages, it is replaced by the address of this installation. */
const EXAMPLE_BASE = 'https://lanyard.example'

/**
 * The reference of the HTTP APIs, generated from the OpenAPI document: an index of all operations, and one page for each group of
 * operations.
 */
export function buildApiPages(): ApiPage[] {
  const document = buildOpenApiDocument(EXAMPLE_BASE)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DocumentedOperation => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const groups = document.tags.map((tag) => ({ ...tag, operations: operations.filter(({ tags }) => tags?.includes(tag.name)) }))
  const pageOf = new Map(
    groups.flatMap(({ name, operations: members }) => members.map(({ operationId }) => [operationId, `${INDEX_PATH}/${name}`])),
  )
  return [
    { path: INDEX_PATH, markdown: indexPage(document, groups) },
    ...groups.map((group) => ({ path: `${INDEX_PATH}/${group.name}`, markdown: groupPage(document, group, pageOf), under: INDEX_PATH })),
  ]
}

interface Group {
  name: string
  description: string
  operations: readonly DocumentedOperation[]
}

const titleOf = (name: string) => (name === 'leads-sdk' ? 'Lead retrieval' : name.charAt(0).toUpperCase() + name.slice(1))

function indexPage(document: OpenApiDocument, groups: readonly Group[]): string {
  return lines([
    '# API reference',
    '',
    `${document.info.description} All operations are also described by the [OpenAPI document](/v1/openapi.json), for generators and other programs.`,
    '',
    '[REST](/docs/rest) explains access, paging and synchronization. [Webhooks](/docs/webhooks) and [lead retrieval](/docs/leads) have their own guides. [Errors](/docs/errors) lists all codes.',
    ...groups.flatMap(({ name, description, operations }) => [
      '',
      `## ${titleOf(name)}`,
      '',
      description,
      '',
      '| Request | Operation |',
      '|---|---|',
      ...operations.map(
        (one) => `| \`${one.method} ${one.path}\` | [${cell(one.summary)}](${INDEX_PATH}/${name}#${one.operationId.toLowerCase()}) |`,
      ),
    ]),
  ])
}

function groupPage(document: OpenApiDocument, { name, description, operations }: Group, pageOf: ReadonlyMap<string, string>): string {
  /** For each table of response fields, the operation that shows it. Later operations with the same fields link there. */
  const shownAt = new Map<string, string>()
  return lines([
    `# ${titleOf(name)} API`,
    '',
    description,
    ...operations.flatMap((operation) => ['', ...operationSection(document, operation, pageOf, shownAt)]),
  ])
}

/** Lists the fields of a response, or refers to an earlier operation of the page with the same fields. */
function answerTable(document: OpenApiDocument, answer: Parameters<typeof formatSchemaTable>[1], operationId: string, shownAt: Map<string, string>): string[] {
  const table = formatSchemaTable(document, answer)
  const first = shownAt.get(table.join('\n'))
  if (first !== undefined) return [`The same fields as in the response of [${first}](#${first.toLowerCase()}).`]
  shownAt.set(table.join('\n'), operationId)
  return table
}

function operationSection(
  document: OpenApiDocument,
  operation: DocumentedOperation,
  pageOf: ReadonlyMap<string, string>,
  shownAt: Map<string, string>,
): string[] {
  const { operationId, method, path, summary, parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema
  const [status, success] = Object.entries(responses)[0] as [string, OpenApiResponse]
  const answer = success.content?.['application/json']?.schema
  return [
    `## ${operationId}`,
    '',
    `\`${method} ${path}\``,
    '',
    summary,
    '',
    `Needs ${tokenOf(document, operation)}.`,
    '',
    '```sh',
    ...curlExample(document, operation),
    '```',
    ...(parameters.length > 0 ? ['', `### Parameters of ${operationId}`, '', ...parameterTable(document, parameters)] : []),
    ...(body ? ['', `### Body of ${operationId}`, '', ...formatSchemaTable(document, body)] : []),
    '',
    `### Responses of ${operationId}`,
    '',
    '| Status | Meaning |',
    '|---|---|',
    ...Object.entries(responses).map(([code, response]) => `| \`${code}\` | ${cell(resolveAnswer(document, response).description)} |`),
    ...(answer ? ['', `The body of \`${status}\`:`, '', ...answerTable(document, answer, operationId, shownAt)] : []),
    ...linkList(success, pageOf),
  ]
}

const resolveAnswer = (document: OpenApiDocument, answer: OpenApiResponse | { $ref: string }): OpenApiResponse =>
  '$ref' in answer ? document.components.responses[answer.$ref.split('/').at(-1)!]! : answer

function tokenOf({ security }: OpenApiDocument, operation: OpenApiOperation): string {
  const text = JSON.stringify(operation.security ?? security)
  if (text.includes('deviceToken')) return 'the token of a device, as `Authorization: Bearer …`'
  return text.includes('token') ? 'the token of an API account, as `Authorization: Bearer …`' : 'no token'
}

function curlExample(document: OpenApiDocument, { method, path, parameters = [], requestBody, ...operation }: DocumentedOperation): string[] {
  const examplePath = path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? EXAMPLE_ID : `msg_${EXAMPLE_ID}`))
  const required = parameters.filter((one) => one.in === 'query' && one.required)
  const query = required.map(({ name }) => `${name}=${EXAMPLE_VALUES[name] ?? '0'}`).join('&')
  const schema = requestBody?.content['application/json']?.schema
  const parts = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(tokenOf(document, operation as OpenApiOperation) === 'no token' ? [] : ['-H "Authorization: Bearer $LANYARD_TOKEN"']),
    ...(schema ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(exampleOf(document, schema))}'`] : []),
  ]
  return [
    `curl -s "${EXAMPLE_BASE}${examplePath}${query ? `?${query}` : ''}"${parts.length > 0 ? ' \\' : ''}`,
    ...parts.map((part, index) => `  ${part}${index < parts.length - 1 ? ' \\' : ''}`),
  ]
}

const EXAMPLE_ID = '66f0a1b2c3d4e5f607182930'
const EXAMPLE_VALUES: Record<string, string> = {
  tenantCode: 'demo',
  clientCode: 'acme',
  eventCode: 'summit-2027',
  activationCode: '0',
  badgeId: '0',
  url: 'https://crm.example.org/hooks',
  name: 'Booth 12',
  platform: 'ios',
  nonce: 'a1b2c3',
  badge: '0',
}

/** Builds an example of a request body from the required properties of its schema. */
function exampleOf(document: OpenApiDocument, schema: Schema | { $ref: string }, name = ''): unknown {
  const {
    type,
    properties = {},
    required = [],
    items,
    enum: words,
    anyOf,
    format,
    pattern,
    minimum,
    const: constant,
  } = resolveSchema(document, schema)
  if (Object.hasOwn(EXAMPLE_VALUES, name)) return EXAMPLE_VALUES[name]
  if (constant !== undefined) return constant
  if (anyOf) return exampleOf(document, anyOf[0]!, name)
  if (words) return words[0]
  const kind = [type].flat()[0]
  if (kind === 'object') {
    const shown = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
    return Object.fromEntries(shown.map((one) => [one, exampleOf(document, properties[one]!, one)]))
  }
  if (kind === 'array') return [exampleOf(document, items!)]
  if (kind === 'integer' || kind === 'number') return minimum ?? 1
  if (kind === 'boolean') return true
  if (format === 'date-time') return '2027-03-01T09:00:00.000Z'
  return pattern?.includes('{24}') ? EXAMPLE_ID : 'text'
}

const parameterTable = (document: OpenApiDocument, parameters: readonly OpenApiParameter[]): string[] => [
  '| Parameter | In | Type | Meaning |',
  '|---|---|---|---|',
  ...parameters.map(
    ({ name, in: place, required, schema, description }) =>
      `| \`${name}\`${required ? ', required' : ''} | ${place} | ${describeSchema(document, schema)} | ${cell(description ?? (name === 'id' ? 'The id of the record.' : ''))} |`,
  ),
]

function linkList({ links = {} }: OpenApiResponse, pageOf: ReadonlyMap<string, string>): string[] {
  const entries = Object.values(links)
  if (entries.length === 0) return []
  return [
    '',
    'From this response you can continue with:',
    '',
    ...entries.map(({ operationId, description, parameters }) => {
      const given = Object.entries(parameters).map(
        ([name, from]) => `\`${name}\` from \`${from.replace(/^\$(response\.body#|request\.)/, '')}\``,
      )
      return `- [${operationId}](${pageOf.get(operationId)}#${operationId.toLowerCase()}): ${description} ${given.join(', ')}`
    }),
  ]
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const lines = (all: readonly string[]) => `${all.join('\n')}\n`
