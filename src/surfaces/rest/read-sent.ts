import type { z } from 'zod'
import { type FieldError, invalidArguments } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { readJson, REQUEST_LIMITS } from '../../kernel/read-json.ts'
import { readBody } from '../http/read-body.ts'
import { Refused } from './refusal.ts'
import type { RestContext } from './site.ts'

const MAX_BYTES = 64 * 1024

/** What was sent, read strictly: everything that is wrong with it is told at once. */
export async function readSent<T>(c: RestContext, schema: z.ZodType<T> & { shape: object }): Promise<T> {
  const type = (c.req.header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Refused({ status: 415, code: 'unsupported_media_type', detail: 'Send JSON, with Content-Type: application/json.' })
  const text = await readBody(c.env.incoming, MAX_BYTES)
  if (text === null) throw invalidArguments([{ path: '', message: `The body is larger than ${MAX_BYTES} bytes` }])
  const read = readJson(text, REQUEST_LIMITS)
  if ('problem' in read) throw invalidArguments([{ path: '', message: `The body ${read.detail}` }])
  const parsed = schema.safeParse(read.value)
  if (!parsed.success) throw invalidArguments(parsed.error.issues.flatMap((issue) => faultsOf(issue, Object.keys(schema.shape))))
  return parsed.data
}

function faultsOf(issue: z.core.$ZodIssue, known: readonly string[]): FieldError[] {
  if (issue.code !== 'unrecognized_keys') {
    const missing = issue.code === 'invalid_type' && issue.input === undefined
    return [{ path: issue.path.join('/'), message: missing ? 'is missing' : issue.message }]
  }
  return issue.keys.map((key) => {
    const near = nearest(key, known)
    return {
      path: key.slice(0, 80),
      message: near ? `is not known here — did you mean ${near}?` : `is not known here: there are ${known.join(', ')}`,
    }
  })
}
