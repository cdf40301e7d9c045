import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import type { FieldError } from '../../kernel/errors.ts'
import { rewordValidationMessage, removeMisleadingLimitIssues } from '../../kernel/limit-messages.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { readJson, REQUEST_JSON_LIMITS } from '../../kernel/read-json.ts'
import type { HttpProblem } from './problem.ts'
import { readBody } from './read-body.ts'

const NOT_JSON: HttpProblem = { status: 415, code: 'unsupported_media_type', detail: 'Send JSON, with Content-Type: application/json.' }

/** Parses a JSON body strictly and reports all its errors together. */
export async function readJsonBody<T>(
  request: IncomingMessage,
  schema: z.ZodType<T> & { shape: object },
  maxBytes: number,
): Promise<{ value: T } | { problem: HttpProblem }> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type !== 'application/json') return { problem: NOT_JSON }
  const text = await readBody(request, maxBytes)
  if (text === null) return { problem: createInvalidRequestProblem([{ path: '', message: `The body is larger than ${maxBytes} bytes` }]) }
  const read = readJson(text, REQUEST_JSON_LIMITS)
  if ('problem' in read) return { problem: createInvalidRequestProblem([{ path: '', message: `The body ${read.detail}` }]) }
  const parsed = schema.safeParse(read.value)
  if (parsed.success) return { value: parsed.data }
  return {
    problem: createInvalidRequestProblem(
      removeMisleadingLimitIssues(parsed.error.issues).flatMap((issue) => toFieldErrors(issue, read.value, Object.keys(schema.shape))),
    ),
  }
}

/** Builds the error for a body with invalid fields. It lists all of them, so that the caller can fix them in one attempt. */
export const createInvalidRequestProblem = (fieldErrors: readonly FieldError[]): HttpProblem => ({
  status: 400,
  code: 'invalid_request',
  detail: fieldErrors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '),
  errors: fieldErrors.map(({ path, message }) => ({ parameter: path, message })),
})

function toFieldErrors(issue: z.core.$ZodIssue, sent: unknown, known: readonly string[]): FieldError[] {
  if (issue.code !== 'unrecognized_keys') {
    const missing = issue.code === 'invalid_type' && valueAt(sent, issue.path) === undefined
    return [{ path: issue.path.join('/'), message: missing ? 'is missing' : rewordValidationMessage(issue) }]
  }
  return issue.keys.map((key) => {
    const path = [...issue.path, key.slice(0, 80)].join('/')
    if (issue.path.length > 0) return { path, message: 'is an unknown field' }
    const near = findMostSimilarName(key, known)
    return {
      path,
      message: near ? `is an unknown field — did you mean ${near}?` : `is an unknown field; the known fields are ${known.join(', ')}`,
    }
  })
}

const valueAt = (sent: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (part, key) => (part === null || typeof part !== 'object' ? undefined : (part as Record<PropertyKey, unknown>)[key]),
    sent,
  )
