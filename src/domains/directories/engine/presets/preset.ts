import type {
  DirectoryAuth,
  DirectoryFieldMapping,
  DirectoryLookupInput,
  DirectoryRequest,
  DirectoryRequests,
  DirectoryTagRule,
} from '../spec.ts'

/**
 * Defaults for a new connection to one directory product. They are copied, so a later version of the preset changes no existing
 * connection.
 */
export interface DirectoryPreset {
  code: string
  name: string
  vendor: string
  version: number
  authKind: DirectoryAuth['kind'] | 'any'
  baseUrlHint: string
  /** Base URL of vendors that have one address for all customers. */
  fixedBaseUrl?: string
  credentialNames: string[]
  settingNames: { name: string; required: boolean; help: string; default?: string }[]
  inputs: DirectoryLookupInput[]
  auth: DirectoryAuth
  /** OAuth client of vendors that have a fixed client id and their own name for the client secret. */
  client?: { id: string; secretName: string }
  requests: DirectoryRequests
  bindings: DirectoryFieldMapping[]
  tagRules: DirectoryTagRule[]
  sources: DirectoryValuePath[]
  notes: string
}

export interface DirectoryValuePath {
  expression: string
  sampleType: 'text' | 'number' | 'boolean' | 'date' | 'list' | 'object'
}

/** Builds a GET request that returns at most one record. A preset passes only the properties that differ from the defaults. */
export function buildPresetRequest(own: Partial<DirectoryRequest> & Pick<DirectoryRequest, 'path' | 'resultPath'>): DirectoryRequest {
  return { method: 'GET', query: {}, headers: {}, bodyType: 'json', inputs: ['email'], notFoundStatuses: [404], pick: 'only', ...own }
}

export const buildPrefillFieldMapping = (from: string, to: string, transform?: string): DirectoryFieldMapping => ({
  from,
  to: `@participant.${to}`,
  ...(transform ? { transform } : {}),
  mode: 'prefill',
})

export const toTextValuePaths = (...expressions: string[]): DirectoryValuePath[] =>
  expressions.map((expression) => ({ expression, sampleType: 'text' }))
