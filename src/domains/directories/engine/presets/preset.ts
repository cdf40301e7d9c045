import type { DirectoryAuth, DirectoryBinding, DirectoryInput, DirectoryRequest, DirectoryRequests, DirectoryTagRule } from '../spec.ts'

/** What a connection starts from. It is copied when the connection is made, so a later version changes no connection. */
export interface DirectoryPreset {
  code: string
  name: string
  vendor: string
  version: number
  authKind: DirectoryAuth['kind'] | 'any'
  baseUrlHint: string
  /** Where the vendor has one address for everybody. */
  fixedBaseUrl?: string
  credentialNames: string[]
  settingNames: { name: string; required: boolean; help: string; default?: string }[]
  inputs: DirectoryInput[]
  auth: DirectoryAuth
  /** Where the vendor names its client differently: a client id that is the same for everybody, and a credential of another name. */
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

/** A GET that asks for at most one record; a preset says only what is different. */
export function request(own: Partial<DirectoryRequest> & Pick<DirectoryRequest, 'path' | 'resultPath'>): DirectoryRequest {
  return { method: 'GET', query: {}, headers: {}, bodyType: 'json', inputs: ['email'], notFoundStatuses: [404], pick: 'only', ...own }
}

export const prefill = (from: string, to: string, transform?: string): DirectoryBinding => ({
  from,
  to: `@participant.${to}`,
  ...(transform ? { transform } : {}),
  mode: 'prefill',
})

/** Most fields of a directory are texts. */
export const texts = (...expressions: string[]): DirectorySource[] => expressions.map((expression) => ({ expression, sampleType: 'text' }))
