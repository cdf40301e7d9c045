import { z } from 'zod'
import { code, count, flag, list, object, oneOf, text } from '../../kernel/args.ts'
import { AUTH_KINDS, DIRECTORY_LOOKUP_INPUTS } from './engine/spec.ts'
import { CONNECTION_STATUSES } from './tables.ts'

/** Arguments of the tools that configure connections to member directories. */

const SETTING_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,59}$/
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/

/**
 * Settings of a connection. The length limit fits the CSV of an uploaded list; checkConnectionSettings applies a shorter limit to all other
 * settings.
 */
export const ConnectionSettings = z.record(
  z.string().regex(SETTING_NAME, 'a setting name consists of letters, digits, _ and -'),
  z.string().max(6_000_000, 'at most 6 MB'),
)

export const ConnectionAuth = object({
  kind: oneOf(AUTH_KINDS),
  settings: object({
    header: z.string().trim().regex(HEADER_NAME, 'a header name consists of letters, digits and -').optional(),
    tokenUrl: text(2000).optional(),
    scope: text(500).optional(),
    clientAuth: oneOf(['basic', 'body']).optional(),
  }).default({}),
})

export const ConnectionFieldMapping = object({
  from: text(500),
  to: text(120),
  transform: text(2000).optional(),
  mode: oneOf(['prefill', 'overwrite', 'lock']).default('prefill'),
})

const plain = z.union([z.string().max(300), z.number(), z.boolean()], 'a text, a number, or true or false')

export const ConnectionTagRule = object({
  when: object({
    from: text(500),
    op: oneOf(['equals', 'notEquals', 'in', 'contains', 'gt', 'lt', 'isSet', 'isNotSet']),
    value: z.union([plain, z.array(plain).max(100)], 'a text, a number, true or false, or a list of these').optional(),
  }),
  tag: code(),
  elseTag: code().optional(),
})

export const ConnectionHttpRequest = object({
  method: oneOf(['GET', 'POST']).default('GET'),
  path: text(2000),
  query: z.record(z.string().min(1).max(200), z.string().max(4000)).default({}),
  headers: z.record(z.string().regex(HEADER_NAME, 'a header name consists of letters, digits and -'), z.string().max(2000)).default({}),
  body: text(20_000).optional(),
  bodyType: oneOf(['json', 'form']).default('json'),
  inputs: list(oneOf(DIRECTORY_LOOKUP_INPUTS), DIRECTORY_LOOKUP_INPUTS.length),
  resultPath: text(500),
  foundWhen: text(500).optional(),
  notFoundStatuses: list(count(100, 599), 20).default([404]),
  pick: oneOf(['first', 'only']).default('only'),
  paging: object({ kind: oneOf(['offset', 'next']), itemPath: text(500), nextPath: text(500), maxPages: count(1, 5) }).optional(),
})

const input = () => text(200).optional()
export const ConnectionTestInputs = object({ email: input(), memberNumber: input(), lastName: input(), postalCode: input() })

/** Results of the tools for member directories. Only the fields that callers act on are declared; all others repeat the configuration. */

export const ConnectionShape = z.looseObject({
  id: text(),
  code: text(),
  preset: text(),
  baseUrl: z.string(),
  status: oneOf(CONNECTION_STATUSES),
  credentials: list(z.looseObject({ name: text(), set: flag() })),
  missing: list(text(1000)),
  revision: count(1),
})

export const ConnectionSummary = z.looseObject({
  id: text(),
  code: text(),
  name: text(),
  preset: text(),
  host: z.string(),
  status: oneOf(CONNECTION_STATUSES),
  usedBy: list(text(500)),
  lookups24h: z.looseObject({ found: count(), error: count(), cacheHits: count() }),
})

export const ConnectionTestStep = object({ name: text(), ok: flag(), ms: count(), detail: z.string() })
