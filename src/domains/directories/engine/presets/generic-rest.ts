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
    'For a directory that answers in JSON. Set how it signs in with configure_directory_connection and what to ask it with configure_directory_requests; then test it and bind the fields that it shows.',
}

export default genericRest
