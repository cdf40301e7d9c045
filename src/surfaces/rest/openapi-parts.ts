import { integerSchema, arraySchema, objectSchema, type Schema, stringSchema } from '../../domains/entities/schemas.ts'
import type { OpenApiLinks } from './openapi-links.ts'
import type { QueryParameter } from './query.ts'

export type OpenApiRef = { $ref: string }

export interface OpenApiResponse {
  description: string
  headers?: Record<string, OpenApiRef>
  content?: Record<string, { schema: Schema | OpenApiRef }>
  links?: OpenApiLinks
}

/** A parameter of a path, a query or a header. */
export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  allowEmptyValue?: true
}

export interface OpenApiOperation {
  operationId: string
  summary: string
  tags?: string[]
  parameters?: OpenApiParameter[]
  requestBody?: { required: true; content: Record<string, { schema: Schema | OpenApiRef }> }
  responses: Record<string, OpenApiResponse | OpenApiRef>
  security?: object[]
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  security: object[]
  paths: Record<string, Partial<Record<'get' | 'post' | 'patch' | 'delete', OpenApiOperation>>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, OpenApiResponse>
    headers: Record<string, { description: string; schema: Schema }>
    securitySchemes: object
  }
}

export const buildSchemaReference = (name: string): OpenApiRef => ({ $ref: `#/components/schemas/${name}` })

export const buildJsonContent = (schema: Schema | OpenApiRef) => ({ 'application/json': { schema } })

/** Converts query parameters to OpenAPI. An empty value counts as omitted, so that forms can send all their fields. */
export const toOpenApiQueryParameters = (parameters: readonly QueryParameter[]): OpenApiParameter[] =>
  parameters.map(({ name, about, schema }) => ({ name, in: 'query', required: false, description: about, schema, allowEmptyValue: true }))

export const PROBLEM_DETAILS_SCHEMA: Schema = {
  type: 'object',
  description: 'RFC 9457. Programs should decide by `code`.',
  properties: {
    type: stringSchema(),
    title: stringSchema(),
    status: integerSchema(400),
    detail: stringSchema(),
    code: stringSchema(),
    instance: stringSchema('The reference of the error in the log.'),
    errors: arraySchema(objectSchema({ parameter: stringSchema(), message: stringSchema() })),
    retryAfter: integerSchema(0),
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'instance'],
  additionalProperties: false,
}
