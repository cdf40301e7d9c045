import { REST_ENTITIES } from '../../domains/entities/catalogue.ts'
import { deletionEntity } from '../../domains/entities/deletions.ts'
import type { RestEntity } from '../../domains/entities/entity.ts'
import {
  pageCursorSchema,
  booleanSchema,
  recordIdSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  objectSchema,
  type Schema,
  stringSchema,
} from '../../domains/entities/schemas.ts'
import { listEntityFields } from '../../domains/entities/statements.ts'
import { LEAD_OPENAPI_SCHEMAS } from '../leads/openapi.ts'
import { IDEMPOTENCY_KEY_PATTERN } from './changes.ts'
import { LEAD_PROBLEM_SCHEMA, buildLeadOpenApiPaths } from './openapi-leads.ts'
import {
  type OpenApiResponse,
  buildJsonContent,
  type OpenApiDocument,
  type OpenApiOperation,
  PROBLEM_DETAILS_SCHEMA,
  type OpenApiRef,
  buildSchemaReference,
  type OpenApiParameter,
  toOpenApiQueryParameters,
} from './openapi-parts.ts'
import {
  type OpenApiLinks,
  buildListPageLinks,
  LINKS_BY_OPERATION_ID,
  getEntityPathName,
  buildRecordLinks,
  getEntitySchemaName,
} from './openapi-links.ts'
import { OPENAPI_TAGS, addOperationTags } from './openapi-tags.ts'
import { RECORD_QUERY_PARAMETERS, listEntityParameters } from './parameters.ts'
import { CONTACT_OPENAPI_PATHS, CONTACT_OPENAPI_SCHEMAS } from './contacts.ts'
import { DELIVERY_LOG_PARAMETERS } from './webhooks/log.ts'
import { messageIdSchema, WEBHOOK_OPENAPI_PATHS, WEBHOOK_OPENAPI_SCHEMAS, type OpenApiWriteOperation } from './webhooks/openapi.ts'

const responseRef = (name: string): OpenApiRef => ({ $ref: `#/components/responses/${name}` })

/** Builds the schema of an entity. Fields that are never null are required; isTestData appears only on test data. */
function schemaOf(entity: RestEntity): Schema {
  const fields = [...listEntityFields(entity), ...(entity.completed?.fields ?? [])]
  const whole = objectSchema(Object.fromEntries(fields.map(({ name, schema }) => [name, schema])))
  const marked = { ...whole.properties, isTestData: { ...booleanSchema('Only on test data.'), const: true as const } }
  return { ...whole, description: entity.about, ...(entity.hasTestData ? { properties: marked } : {}) }
}

const RATE_HEADERS = {
  'X-RateLimit-Limit': 'Requests per minute with this account.',
  'X-RateLimit-Remaining': 'Requests left in the current minute.',
  'X-RateLimit-Reset': 'When the next minute begins, in Unix seconds.',
}

const PROBLEMS: Record<string, [status: number, description: string]> = {
  BadRequest: [400, 'A parameter is invalid, or the cursor belongs to another list.'],
  Unauthorized: [401, 'The API token is missing or invalid.'],
  Forbidden: [403, 'The account is not enabled for REST.'],
  NotFound: [404, 'No such record that this account can read.'],
  TooManyRequests: [429, 'The rate limit is exceeded; Retry-After gives the seconds until it resets.'],
  InternalError: [500, 'Logged under the reference in `instance`.'],
  Unavailable: [503, 'The service is overloaded: retry in a moment.'],
}

/** Errors that only requests that change data return, in addition to the errors of all requests. */
const CHANGE_PROBLEMS: typeof PROBLEMS = {
  Conflict: [409, 'The record is in another state than the request assumes, or the key was used for another request.'],
  UnsupportedMediaType: [415, 'Only JSON is accepted.'],
}

const ACCOUNT: Schema = objectSchema({
  account: objectSchema({
    id: stringSchema(),
    name: stringSchema(),
    tenantCode: stringSchema(),
    restAccess: booleanSchema(),
    canActAsParticipantAgent: booleanSchema(),
    sensitiveData: booleanSchema(),
  }),
  coverage: objectSchema({
    tenants: arraySchema(stringSchema('Restricts clients and events to these tenants; empty means no restriction.')),
    clients: arraySchema(objectSchema({ tenantCode: stringSchema(), clientCode: stringSchema() })),
    events: arraySchema(objectSchema({ tenantCode: stringSchema(), clientCode: stringSchema(), eventCode: stringSchema() })),
  }),
  limits: objectSchema({ rateLimitPerMinute: integerSchema(1), defaultPageSize: integerSchema(1), maximumPageSize: integerSchema(1) }),
})

const rateHeaders = Object.fromEntries(Object.keys(RATE_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]))
const readHeaders = { ETag: { $ref: '#/components/headers/ETag' }, ...rateHeaders }

/** Builds the OpenAPI list of all HTTP responses to a request that reads data. */
const readResponses = (
  description: string,
  content: NonNullable<OpenApiResponse['content']>,
  links: OpenApiLinks = {},
): OpenApiOperation['responses'] => ({
  200: { description, headers: readHeaders, content, ...withLinks(links) },
  304: responseRef('NotModified'),
  ...Object.fromEntries(Object.entries(PROBLEMS).map(([name, [status]]) => [status, responseRef(name)])),
})

const withLinks = (links: OpenApiLinks | undefined) => (links && Object.keys(links).length > 0 ? { links } : {})

const BY_ID: OpenApiParameter = { name: 'id', in: 'path', required: true, schema: recordIdSchema() }
const IF_NONE_MATCH: OpenApiParameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier response. The response is 304 if nothing changed.',
  schema: stringSchema(),
}

const listOperation = (entity: RestEntity): OpenApiOperation => ({
  operationId: `list${getEntityPathName(entity)}`,
  summary: `${getEntityPathName(entity)} of all ${entity.at === 'client' ? 'clients that the account covers as a whole' : 'events that the account covers'}, in the order in which they changed.`,
  parameters: [...toOpenApiQueryParameters(listEntityParameters(entity)), IF_NONE_MATCH],
  responses: readResponses(
    'One page.',
    buildJsonContent(buildSchemaReference(`${getEntitySchemaName(entity)}Page`)),
    buildListPageLinks(entity),
  ),
})

const recordOperation = (entity: RestEntity): OpenApiOperation => ({
  operationId: `get${getEntitySchemaName(entity)}`,
  summary: entity.about,
  parameters: [BY_ID, ...toOpenApiQueryParameters(RECORD_QUERY_PARAMETERS), IF_NONE_MATCH],
  responses: readResponses('The record.', buildJsonContent(buildSchemaReference(getEntitySchemaName(entity))), buildRecordLinks(entity)),
})

const KEY: OpenApiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A change that is repeated with the same key runs once.',
  schema: { ...stringSchema(), pattern: IDEMPOTENCY_KEY_PATTERN.source, maxLength: 200 },
}
const IF_MATCH: OpenApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the version that the change is based on.',
  schema: { ...stringSchema(), pattern: `^(\\*|(W/)?"\\d{1,9}-[0-9a-f]{8}")$` },
}

function changeOperation(
  path: string,
  method: string,
  { operationId, summary, sent, answered, status }: OpenApiWriteOperation,
): OpenApiOperation {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    name === 'id' ? BY_ID : { ...BY_ID, name: name!, schema: messageIdSchema() },
  )
  const extra =
    method === 'get'
      ? [...toOpenApiQueryParameters(path.endsWith('/deliveries') ? DELIVERY_LOG_PARAMETERS : []), IF_NONE_MATCH]
      : [KEY, ...(method === 'patch' ? [IF_MATCH] : [])]
  const content = answered === null ? null : buildJsonContent(buildSchemaReference(answered))
  const { 200: _read, 304: unchanged, ...refusals } = readResponses('', {})
  return {
    operationId,
    summary,
    parameters: [...named, ...extra],
    ...(sent === null ? {} : { requestBody: { required: true, content: buildJsonContent(buildSchemaReference(sent)) } }),
    responses: {
      [status]: {
        description: summary,
        headers: method === 'get' ? readHeaders : rateHeaders,
        ...(content ? { content } : {}),
        ...withLinks(LINKS_BY_OPERATION_ID[operationId]),
      },
      ...(method === 'get' ? { 304: unchanged! } : { 409: responseRef('Conflict') }),
      ...(sent === null ? {} : { 415: responseRef('UnsupportedMediaType') }),
      ...refusals,
    },
  }
}

const changePaths = (): OpenApiDocument['paths'] =>
  Object.fromEntries(
    Object.entries({ ...CONTACT_OPENAPI_PATHS, ...WEBHOOK_OPENAPI_PATHS }).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, changeOperation(path, method, operation)])),
    ]),
  )

const pageSchema = (entity: RestEntity): Schema => ({
  ...objectSchema({
    data: arraySchema(buildSchemaReference(getEntitySchemaName(entity)) as Schema),
    pageInfo: objectSchema({ nextCursor: nullableSchema(pageCursorSchema()), hasMore: booleanSchema() }),
  }),
})

/** The OpenAPI document, built from the same definitions as the routes. */
export function buildOpenApiDocument(baseUrl: string): OpenApiDocument {
  const all = [...REST_ENTITIES, deletionEntity]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lanyard',
      version: '1',
      description:
        'Read data of your events, subscribe to changes, and scan badges. Within version 1 properties may be added, but none are removed.',
    },
    servers: [{ url: baseUrl }],
    tags: OPENAPI_TAGS,
    security: [{ token: [] }],
    paths: addOperationTags({
      ...Object.fromEntries(
        REST_ENTITIES.flatMap((entity) => [
          [`/v1/${entity.path}`, { get: listOperation(entity) }],
          [`/v1/${entity.path}/{id}`, { get: recordOperation(entity) }],
        ]),
      ),
      [`/v1/${deletionEntity.path}`]: { get: listOperation(deletionEntity) },
      '/v1/me': {
        get: {
          operationId: 'getAccount',
          summary: 'The account of the token, its coverage and its limits.',
          parameters: [IF_NONE_MATCH],
          responses: readResponses('The account.', buildJsonContent(buildSchemaReference('Account'))),
        },
      },
      ...changePaths(),
      '/v1/files/{id}': {
        get: {
          operationId: 'getFile',
          summary: 'The bytes of a file that a record references.',
          parameters: [BY_ID, ...toOpenApiQueryParameters(RECORD_QUERY_PARAMETERS), IF_NONE_MATCH],
          responses: readResponses('The file, with its own media type.', { '*/*': { schema: {} } }),
        },
      },
      '/v1/openapi.json': {
        get: {
          operationId: 'getOpenApi',
          summary: 'This document.',
          security: [],
          responses: {
            200: { description: 'OpenAPI 3.1.', content: buildJsonContent({ type: 'object' }) },
            304: { description: 'Unchanged.' },
          },
        },
      },
      ...buildLeadOpenApiPaths(),
    }),
    components: {
      schemas: {
        ...Object.fromEntries(
          all.flatMap((entity) => [
            [getEntitySchemaName(entity), schemaOf(entity)],
            [`${getEntitySchemaName(entity)}Page`, pageSchema(entity)],
          ]),
        ),
        ...CONTACT_OPENAPI_SCHEMAS,
        ...WEBHOOK_OPENAPI_SCHEMAS,
        ...LEAD_OPENAPI_SCHEMAS,
        Account: ACCOUNT,
        Problem: PROBLEM_DETAILS_SCHEMA,
        LeadProblem: LEAD_PROBLEM_SCHEMA,
      },
      responses: {
        NotModified: { description: 'The caller already has this version.', headers: readHeaders },
        ...Object.fromEntries(
          Object.entries({ ...PROBLEMS, ...CHANGE_PROBLEMS }).map(([name, [status, description]]) => [
            name,
            {
              description,
              ...(status === 401 ? {} : { headers: rateHeaders }),
              content: { 'application/problem+json': { schema: buildSchemaReference('Problem') } },
            },
          ]),
        ),
      },
      headers: {
        ETag: { description: 'Weak. Send it as If-None-Match to get 304 if nothing changed.', schema: stringSchema() },
        ...Object.fromEntries(Object.entries(RATE_HEADERS).map(([name, description]) => [name, { description, schema: integerSchema(0) }])),
      },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of an API account: lak_…' },
        deviceToken: { type: 'http', scheme: 'bearer', description: 'The token of a lead device: lld_…' },
      },
    },
  }
}
