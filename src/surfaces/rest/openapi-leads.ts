import { arraySchema, objectSchema, type Schema, stringSchema } from '../../domains/entities/schemas.ts'
import { LEAD_OPERATIONS, type LeadOperation } from '../leads/openapi.ts'
import {
  type OpenApiResponse,
  jsonContent,
  type OpenApi,
  type OpenApiOperation,
  PROBLEM_SCHEMA,
  schemaRef,
  toQueryParameters,
} from './openapi-parts.ts'
import { OPERATION_LINKS } from './openapi-links.ts'

/** Errors of lead operations repeat code and message in `error`, which older scanners read. */
export const LEAD_PROBLEM_SCHEMA: Schema = {
  ...PROBLEM_SCHEMA,
  properties: {
    ...PROBLEM_SCHEMA.properties,
    error: objectSchema({ code: stringSchema(), message: stringSchema() }),
    results: arraySchema({ type: 'object', description: 'For a revoked device: the results of the scans made before.' }),
  },
}

export const leadPaths = (): OpenApi['paths'] =>
  Object.fromEntries(LEAD_OPERATIONS.map((operation) => [operation.path, { [operation.method]: toOperation(operation) }]))

function toOperation({ operationId, summary, parameters, sent, answered, status, needsToken, problems }: LeadOperation): OpenApiOperation {
  const problem = (description: string): OpenApiResponse => ({
    description,
    content: { 'application/problem+json': { schema: schemaRef('LeadProblem') } },
  })
  const links = OPERATION_LINKS[operationId]
  const refused = { ...problems, 500: 'Logged under the reference in `instance`.', 503: 'The service is overloaded: retry in a moment.' }
  return {
    operationId,
    summary,
    security: needsToken ? [{ deviceToken: [] }] : [],
    parameters: parameters.map((parameter) =>
      parameter.required
        ? { name: parameter.name, in: 'query', required: true, description: parameter.about, schema: parameter.schema }
        : toQueryParameters([parameter])[0]!,
    ),
    ...(sent === null ? {} : { requestBody: { required: true as const, content: jsonContent(schemaRef(sent)) } }),
    responses: {
      [status]: { description: summary, content: jsonContent(schemaRef(answered)), ...(links ? { links } : {}) },
      ...Object.fromEntries(Object.entries(refused).map(([code, description]) => [code, problem(description)])),
    },
  }
}
