import { ENTITIES } from '../../domains/entities/catalogue.ts'
import { deletions } from '../../domains/entities/deletions.ts'
import type { Entity } from '../../domains/entities/entity.ts'
import { flag, integer, list, maybe, object, type Schema, text } from '../../domains/entities/schemas.ts'
import { fieldsOf } from '../../domains/entities/statements.ts'
import { ONE, parametersOf } from './parameters.ts'
import type { Parameter } from './query.ts'
import { CONTACT_PATHS, CONTACT_SCHEMAS } from './contacts.ts'
import { LOG_PARAMETERS } from './webhooks/log.ts'
import { WEBHOOK_PATHS, WEBHOOK_SCHEMAS, type ChangeOperation } from './webhooks/openapi.ts'

type Ref = { $ref: string }

interface Answer {
  description: string
  headers?: Record<string, Ref>
  content?: Record<string, { schema: Schema | Ref }>
}

interface Operation {
  operationId: string
  summary: string
  parameters?: object[]
  requestBody?: object
  responses: Record<string, Answer | Ref>
  security?: object[]
}

export interface OpenApi {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  security: object[]
  paths: Record<string, Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Answer>
    headers: Record<string, { description: string; schema: Schema }>
    securitySchemes: object
  }
}

const schemaName = ({ name }: Entity) => name.charAt(0).toUpperCase() + name.slice(1)
const pathName = ({ path }: Entity) => path.charAt(0).toUpperCase() + path.slice(1)
const schemaRef = (name: string): Ref => ({ $ref: `#/components/schemas/${name}` })
const responseRef = (name: string): Ref => ({ $ref: `#/components/responses/${name}` })

/** What is never empty is always there; test data alone says that it is. */
function schemaOf(entity: Entity): Schema {
  const fields = [...fieldsOf(entity), ...(entity.completed?.fields ?? [])]
  const whole = object(Object.fromEntries(fields.map(({ name, schema }) => [name, schema])))
  const marked = { ...whole.properties, isTestData: { ...flag('Only on test data.'), const: true as const } }
  return { ...whole, description: entity.about, ...(entity.hasTestData ? { properties: marked } : {}) }
}

const RATE_HEADERS = {
  'X-RateLimit-Limit': 'Requests a minute with this account.',
  'X-RateLimit-Remaining': 'Requests left in the running minute.',
  'X-RateLimit-Reset': 'When the next minute begins, in unix seconds.',
}

const PROBLEMS: Record<string, [status: number, description: string]> = {
  BadRequest: [400, 'A parameter is wrong, or a cursor is not of this list.'],
  Unauthorized: [401, 'No API token, or one that opens nothing.'],
  Forbidden: [403, 'The account is not enabled for REST.'],
  NotFound: [404, 'Nothing that this account can read.'],
  TooManyRequests: [429, 'The minute is used up; Retry-After says how many seconds are left of it.'],
  InternalError: [500, 'Noted under the reference in `instance`.'],
  Unavailable: [503, 'Too much is going on: ask again in a moment.'],
}

/** What only a change is refused with. */
const OF_CHANGES: typeof PROBLEMS = {
  Conflict: [409, 'It stands otherwise than the request takes for granted, or the key was used for another request.'],
  UnsupportedMediaType: [415, 'JSON is taken, and nothing else.'],
}

const PROBLEM: Schema = {
  type: 'object',
  description: 'RFC 9457. `code` is what a program may decide by.',
  properties: {
    type: text(),
    title: text(),
    status: integer(400),
    detail: text(),
    code: text(),
    instance: text('The number under which it is found in the log.'),
    errors: list(object({ parameter: text(), message: text() })),
    retryAfter: integer(0),
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'instance'],
  additionalProperties: false,
}

const ACCOUNT: Schema = object({
  account: object({
    id: text(),
    name: text(),
    tenantCode: text(),
    restAccess: flag(),
    canActAsParticipantAgent: flag(),
    sensitiveData: flag(),
  }),
  coverage: object({
    tenants: list(text('Restricts what follows to these; none restrict nothing.')),
    clients: list(object({ tenantCode: text(), clientCode: text() })),
    events: list(object({ tenantCode: text(), clientCode: text(), eventCode: text() })),
  }),
  limits: object({ rateLimitPerMinute: integer(1), defaultPageSize: integer(1), maximumPageSize: integer(1) }),
})

const rateHeaders = Object.fromEntries(Object.keys(RATE_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]))
const readHeaders = { ETag: { $ref: '#/components/headers/ETag' }, ...rateHeaders }

/** Every status that a read can have. */
const answers = (description: string, content: NonNullable<Answer['content']>): Operation['responses'] => ({
  200: { description, headers: readHeaders, content },
  304: responseRef('NotModified'),
  ...Object.fromEntries(Object.entries(PROBLEMS).map(([name, [status]]) => [status, responseRef(name)])),
})

const json = (schema: Schema | Ref) => ({ 'application/json': { schema } })

const queried = (parameters: readonly Parameter[]) =>
  parameters.map(({ name, about, schema }) => ({ name, in: 'query', required: false, description: about, schema }))

const BY_ID = { name: 'id', in: 'path', required: true, schema: text() }

const listed = (entity: Entity): Operation => ({
  operationId: `list${pathName(entity)}`,
  summary: `${pathName(entity)} of all ${entity.at === 'client' ? 'clients that the account covers as a whole' : 'events that the account covers'}, in the order in which they changed.`,
  parameters: queried(parametersOf(entity)),
  responses: answers('One page.', json(schemaRef(`${schemaName(entity)}Page`))),
})

const single = (entity: Entity): Operation => ({
  operationId: `get${schemaName(entity)}`,
  summary: entity.about,
  parameters: [BY_ID, ...queried(ONE)],
  responses: answers('The record.', json(schemaRef(schemaName(entity)))),
})

/** What changes something may be sent again under the same key, and is then done once. */
const KEY = { name: 'Idempotency-Key', in: 'header', required: false, schema: text() }
const IF_MATCH = { name: 'If-Match', in: 'header', required: false, schema: text() }

function changing(path: string, method: string, { operationId, summary, sent, answered, status }: ChangeOperation): Operation {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ ...BY_ID, name }))
  const extra =
    method === 'get' ? queried(path.endsWith('/deliveries') ? LOG_PARAMETERS : []) : [KEY, ...(method === 'patch' ? [IF_MATCH] : [])]
  const content = answered === null ? null : json(schemaRef(answered))
  const { 200: _read, 304: unchanged, ...refusals } = answers('', {})
  return {
    operationId,
    summary,
    parameters: [...named, ...extra],
    ...(sent === null ? {} : { requestBody: { required: true, content: json(schemaRef(sent)) } }),
    responses: {
      [status]: { description: summary, headers: method === 'get' ? readHeaders : rateHeaders, ...(content ? { content } : {}) },
      ...(method === 'get' ? { 304: unchanged! } : { 409: responseRef('Conflict') }),
      ...(sent === null ? {} : { 415: responseRef('UnsupportedMediaType') }),
      ...refusals,
    },
  }
}

const changedPaths = (): OpenApi['paths'] =>
  Object.fromEntries(
    Object.entries({ ...CONTACT_PATHS, ...WEBHOOK_PATHS }).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, changing(path, method, operation)])),
    ]),
  )

const pageOf = (entity: Entity): Schema => ({
  ...object({
    data: list(schemaRef(schemaName(entity)) as Schema),
    pageInfo: object({ nextCursor: maybe(text()), hasMore: flag() }),
  }),
})

/** The one description of what programs may ask and what they are answered, made of the same definitions that answer them. */
export function openApiDocument(baseUrl: string): OpenApi {
  const all = [...ENTITIES, deletions]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lanyard',
      version: '1',
      description: 'Read what happened at your events. Properties may be added within version 1, none are taken away.',
    },
    servers: [{ url: baseUrl }],
    security: [{ token: [] }],
    paths: {
      ...Object.fromEntries(
        ENTITIES.flatMap((entity) => [
          [`/v1/${entity.path}`, { get: listed(entity) }],
          [`/v1/${entity.path}/{id}`, { get: single(entity) }],
        ]),
      ),
      [`/v1/${deletions.path}`]: { get: listed(deletions) },
      '/v1/me': {
        get: {
          operationId: 'getAccount',
          summary: 'Whose token it is, what it opens and how much of it.',
          responses: answers('The account.', json(schemaRef('Account'))),
        },
      },
      ...changedPaths(),
      '/v1/files/{id}': {
        get: {
          operationId: 'getFile',
          summary: 'The bytes of a file that a record names.',
          parameters: [BY_ID, ...queried(ONE)],
          responses: answers('The file, of its own type.', { '*/*': { schema: {} } }),
        },
      },
      '/v1/openapi.json': {
        get: {
          operationId: 'getOpenApi',
          summary: 'This document.',
          security: [],
          responses: {
            200: { description: 'OpenAPI 3.1.', content: json({ type: 'object' }) },
            304: { description: 'Unchanged.' },
          },
        },
      },
    },
    components: {
      schemas: {
        ...Object.fromEntries(
          all.flatMap((entity) => [
            [schemaName(entity), schemaOf(entity)],
            [`${schemaName(entity)}Page`, pageOf(entity)],
          ]),
        ),
        ...CONTACT_SCHEMAS,
        ...WEBHOOK_SCHEMAS,
        Account: ACCOUNT,
        Problem: PROBLEM,
      },
      responses: {
        NotModified: { description: 'As the caller has it already.', headers: readHeaders },
        ...Object.fromEntries(
          Object.entries({ ...PROBLEMS, ...OF_CHANGES }).map(([name, [status, description]]) => [
            name,
            {
              description,
              ...(status === 401 ? {} : { headers: rateHeaders }),
              content: { 'application/problem+json': { schema: schemaRef('Problem') } },
            },
          ]),
        ),
      },
      headers: {
        ETag: { description: 'Weak. Sent back as If-None-Match it is answered with 304 while nothing changed.', schema: text() },
        ...Object.fromEntries(Object.entries(RATE_HEADERS).map(([name, description]) => [name, { description, schema: integer(0) }])),
      },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A token of an API account: lak_…' } },
    },
  }
}
