import type { DirectoryAuth, DirectoryBinding, DirectoryInput, DirectoryRequest, DirectoryRequests, DirectoryTagRule } from '../spec.ts'

/** Defaults for a new connection. They are copied, so a later version changes no existing connection. */
export interface DirectoryPreset {
  code: string
  name: string
  vendor: string
  version: number
  authKind: DirectoryAuth['kind'] | 'any'
  baseUrlHint: string
  /** For vendors with one address for all customers. */
  fixedBaseUrl?: string
  credentialNames: string[]
  settingNames: { name: string; required: boolean; help: string; default?: string }[]
  inputs: DirectoryInput[]
  auth: DirectoryAuth
  /** For vendors with a fixed client id and their own name for the client secret. */
  client?: { id: string; secretName: string }
  requests: DirectoryRequests
  bindings: DirectoryBinding[]
  tagRules: DirectoryTagRule[]
  sources: DirectorySource[]
  notes: string
}

export interface DirectorySource {
  expression: string
  sampleType: 'text' | 'number' | 'boolean' | 'date' | 'list' | 'object'
}

/** A GET request that returns at most one record; presets override what differs. */
export function buildPresetRequest(own: Partial<DirectoryRequest> & Pick<DirectoryRequest, 'path' | 'resultPath'>): DirectoryRequest {
  return { method: 'GET', query: {}, headers: {}, bodyType: 'json', inputs: ['email'], notFoundStatuses: [404], pick: 'only', ...own }
}

export const buildPrefillBinding = (from: string, to: string, transform?: string): DirectoryBinding => ({
  from,
  to: `@participant.${to}`,
  ...(transform ? { transform } : {}),
  mode: 'prefill',
})

export const toTextSources = (...expressions: string[]): DirectorySource[] =>
  expressions.map((expression) => ({ expression, sampleType: 'text' }))
