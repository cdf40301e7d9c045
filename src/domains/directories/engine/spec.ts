import type { Secret } from '../../../kernel/secrets.ts'

/** A directory connection independent of its database row: the caller reads the row and decrypts the secrets. */
export interface DirectoryConnectionSpec {
  id: string
  preset: string
  baseUrl: string
  /** Values for the preset's setting names, such as account id, organization or API version. */
  settings: Readonly<Record<string, string>>
  auth: DirectoryAuth
  requests: DirectoryRequests
  bindings: readonly DirectoryFieldMapping[]
  tagRules: readonly DirectoryTagRule[]
  timeoutMs: number
}

export const AUTH_KINDS = ['none', 'apiKeyHeader', 'apiKeyQuery', 'basic', 'bearer', 'oauth2ClientCredentials', 'oauth2Password'] as const

export interface DirectoryAuth {
  kind: (typeof AUTH_KINDS)[number]
  /** Names used by the auth method. `header` is also the name of the query parameter for apiKeyQuery. */
  settings: {
    header?: string | undefined
    tokenUrl?: string | undefined
    scope?: string | undefined
    clientAuth?: 'basic' | 'body' | undefined
  }
}

export const DIRECTORY_LOOKUP_INPUTS = ['email', 'memberNumber', 'lastName', 'postalCode'] as const
export type DirectoryLookupInput = (typeof DIRECTORY_LOOKUP_INPUTS)[number]
export type DirectoryLookupInputs = Readonly<Partial<Record<DirectoryLookupInput, string>>>

export interface DirectoryRequest {
  method: 'GET' | 'POST'
  path: string
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
  /** Request body as JSON text with placeholders. For forms, a JSON object of the form fields. */
  body?: string | undefined
  bodyType: 'json' | 'form'
  inputs: readonly DirectoryLookupInput[]
  resultPath: string
  /** A JSONPath expression that must match a truthy value for the record to count as found. */
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

export interface DirectoryFieldMapping {
  from: string
  to: string
  /** Transforms as written in the binding, such as `trim`, `date(DD.MM.YYYY)` or `map{"A":"active"}`. */
  transform?: string | undefined
  mode: 'prefill' | 'overwrite' | 'lock'
}

export interface DirectoryTagRule {
  when: { from: string; op: 'equals' | 'notEquals' | 'in' | 'contains' | 'gt' | 'lt' | 'isSet' | 'isNotSet'; value?: unknown }
  tag: string
  elseTag?: string | undefined
}

export type GetSecret = (name: string) => Secret | null

export const DIRECTORY_CALL_STEPS = ['resolve', 'connect', 'auth', 'request', 'parse', 'map'] as const
export interface DirectoryCallStep {
  name: (typeof DIRECTORY_CALL_STEPS)[number]
  ok: boolean
  ms: number
  /** Explanation of this step of the lookup for users. Never contains a secret or personal data. */
  detail: string
}

export type DirectoryLookupOutcome = 'found' | 'notFound' | 'many' | 'error'

/** Result of one lookup. `record` is set only for `found`. */
export interface DirectoryLookupResult {
  outcome: DirectoryLookupOutcome
  httpStatus: number | null
  record: unknown
  steps: DirectoryCallStep[]
  /** Number of HTTP requests sent, including token requests. */
  requests: number
  /** Value of the Retry-After header, if the directory sent one. */
  retryAfterSeconds?: number | undefined
}
