import type { Secret } from '../../../kernel/secrets.ts'

/** What the engine is told of a connection. It knows no table: whoever calls it has read the row and opened the secrets. */
export interface DirectorySpec {
  id: string
  preset: string
  baseUrl: string
  /** Of the preset: account id, organization, API version … */
  settings: Readonly<Record<string, string>>
  auth: DirectoryAuth
  requests: DirectoryRequests
  bindings: readonly DirectoryBinding[]
  tagRules: readonly DirectoryTagRule[]
  timeoutMs: number
}

export const AUTH_KINDS = ['none', 'apiKeyHeader', 'apiKeyQuery', 'basic', 'bearer', 'oauth2ClientCredentials', 'oauth2Password'] as const

export interface DirectoryAuth {
  kind: (typeof AUTH_KINDS)[number]
  /** `header` also names the query parameter of apiKeyQuery. */
  settings: {
    header?: string | undefined
    tokenUrl?: string | undefined
    scope?: string | undefined
    clientAuth?: 'basic' | 'body' | undefined
  }
}

export const INPUTS = ['email', 'memberNumber', 'lastName', 'postalCode'] as const
export type DirectoryInput = (typeof INPUTS)[number]
export type DirectoryInputs = Readonly<Partial<Record<DirectoryInput, string>>>

export interface DirectoryRequest {
  method: 'GET' | 'POST'
  path: string
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
  /** A JSON text with placeholders, or for forms a JSON object of fields. */
  body?: string | undefined
  bodyType: 'json' | 'form'
  inputs: readonly DirectoryInput[]
  resultPath: string
  /** A JSONPath expression that must find something true for the record to count. */
  foundWhen?: string | undefined
  notFoundStatuses: readonly number[]
  pick: 'first' | 'only'
  paging?: { kind: 'offset' | 'next'; itemPath: string; nextPath: string; maxPages: number } | undefined
}

export interface DirectoryRequests {
  lookup?: DirectoryRequest | undefined
  search?: DirectoryRequest | undefined
  probe?: DirectoryRequest | undefined
}

export interface DirectoryBinding {
  from: string
  to: string
  /** As written: `trim`, `date(DD.MM.YYYY)`, `map{"A":"active"}` … */
  transform?: string | undefined
  mode: 'prefill' | 'overwrite' | 'lock'
}

export interface DirectoryTagRule {
  when: { from: string; op: 'equals' | 'notEquals' | 'in' | 'contains' | 'gt' | 'lt' | 'isSet' | 'isNotSet'; value?: unknown }
  tag: string
  elseTag?: string | undefined
}

/** Gives a credential by its name, or null when it is not set. */
export type SecretOf = (name: string) => Secret | null

export const STEPS = ['resolve', 'connect', 'auth', 'request', 'parse', 'map'] as const
export interface DirectoryStep {
  name: (typeof STEPS)[number]
  ok: boolean
  ms: number
  /** Never holds a secret, nor a value of a person. */
  detail: string
}

export type DirectoryOutcome = 'found' | 'notFound' | 'many' | 'error'

/** What one call brought. `record` is what the directory says of the person; only `found` has one. */
export interface DirectoryAnswer {
  outcome: DirectoryOutcome
  httpStatus: number | null
  record: unknown
  steps: DirectoryStep[]
  /** Requests that were sent, tokens included. */
  requests: number
  /** How long the directory asked to be left alone, where it said so. */
  retryAfterSeconds?: number | undefined
}
