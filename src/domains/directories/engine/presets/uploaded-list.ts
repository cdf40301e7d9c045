import type { DirectoryPreset } from './preset.ts'

const uploadedList: DirectoryPreset = {
  code: 'uploaded-list',
  name: 'Uploaded list',
  vendor: 'Lanyard',
  version: 1,
  authKind: 'none',
  baseUrlHint: 'none: the list is stored here',
  fixedBaseUrl: '',
  credentialNames: [],
  settingNames: [{ name: 'csv', required: true, help: 'The list as CSV text, with a column for the email or the member number' }],
  inputs: ['email', 'memberNumber'],
  auth: { kind: 'none', settings: {} },
  requests: {},
  bindings: [],
  tagRules: [],
  sources: [],
  notes:
    'For a list of members without an API: one row per member, found by email or member number. Every column is a source. Send a new csv when the members change.',
}

export default uploadedList
