import type { z } from 'zod'
import { readSentJson } from '../http/sent-json.ts'
import { Refused } from './refusal.ts'
import type { RestContext } from './site.ts'

const MAX_BYTES = 64 * 1024

export async function readSent<T>(c: RestContext, schema: z.ZodType<T> & { shape: object }): Promise<T> {
  const sent = await readSentJson(c.env.incoming, schema, MAX_BYTES)
  if ('problem' in sent) throw new Refused(sent.problem)
  return sent.value
}
