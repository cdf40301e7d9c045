import type { DirectoryPreset } from './preset.ts'

const genericRest: DirectoryPreset = {
  code: 'generic-rest',
  name: 'Any REST directory',
  vendor: 'any',
  version: 1,
  authKind: 'any',
  baseUrlHint: 'https://directory.example.org/api',
  credentialNames: [],
  settingNames: [],
  inputs: ['email', 'memberNumber', 'lastName', 'postalCode'],
  auth: { kind: 'none', settings: {} },
  requests: {},
  bindings: [],
  tagRules: [],
  sources: [],
  notes:
    'For a directory that answers in JSON. Set its sign-in with configure_directory_connection and its requests with configure_directory_requests; then test it and bind the fields of its records.',
}

export default genericRest
