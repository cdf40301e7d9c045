import { arraySchema, objectSchema, type Schema, stringSchema } from '../../domains/entities/schemas.ts'
import { LEAD_API_OPERATIONS, type LeadApiOperation } from '../leads/openapi.ts'
import {
  type OpenApiResponse,
  buildJsonContent,
  type OpenApiDocument,
  type OpenApiOperation,
  PROBLEM_DETAILS_SCHEMA,
  buildSchemaReference,
  toOpenApiQueryParameters,
} from './openapi-parts.ts'
import { LINKS_BY_OPERATION_ID } from './openapi-links.ts'

/** Errors of lead operations repeat code and message in `error`, which older scanners read. */
export const LEAD_PROBLEM_SCHEMA: Schema = {
  ...PROBLEM_DETAILS_SCHEMA,
  properties: {
    ...PROBLEM_DETAILS_SCHEMA.properties,
    error: objectSchema({ code: stringSchema(), message: stringSchema() }),
    results: arraySchema({ type: 'object', description: 'For a revoked device: the results of the scans made before.' }),
  },
}

export const buildLeadOpenApiPaths = (): OpenApiDocument['paths'] =>
  Object.fromEntries(LEAD_API_OPERATIONS.map((operation) => [operation.path, { [operation.method]: toOperation(operation) }]))

function toOperation({
  operationId,
  summary,
  parameters,
  sent,
  answered,
  status,
  needsToken,
  problems,
}: LeadApiOperation): OpenApiOperation {
  const problem = (description: string): OpenApiResponse => ({
    description,
    content: { 'application/problem+json': { schema: buildSchemaReference('LeadProblem') } },
  })
  const links = LINKS_BY_OPERATION_ID[operationId]
  const refused = { ...problems, 500: 'Logged under the reference in `instance`.', 503: 'The service is overloaded: retry in a moment.' }
  return {
    operationId,
    summary,
    security: needsToken ? [{ deviceToken: [] }] : [],
    parameters: parameters.map((parameter) =>
      parameter.required
        ? { name: parameter.name, in: 'query', required: true, description: parameter.about, schema: parameter.schema }
        : toOpenApiQueryParameters([parameter])[0]!,
    ),
    ...(sent === null ? {} : { requestBody: { required: true as const, content: buildJsonContent(buildSchemaReference(sent)) } }),
    responses: {
      [status]: { description: summary, content: buildJsonContent(buildSchemaReference(answered)), ...(links ? { links } : {}) },
      ...Object.fromEntries(Object.entries(refused).map(([code, description]) => [code, problem(description)])),
    },
  }
}
