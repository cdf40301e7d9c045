import type { z } from 'zod'
import { readJsonBody } from '../http/read-json-body.ts'
import { ProblemError } from './problem-error.ts'
import type { RestContext } from './site.ts'

const MAX_BYTES = 64 * 1024

export async function readRequestBody<T>(c: RestContext, schema: z.ZodType<T> & { shape: object }): Promise<T> {
  const sent = await readJsonBody(c.env.incoming, schema, MAX_BYTES)
  if ('problem' in sent) throw new ProblemError(sent.problem)
  return sent.value
}
