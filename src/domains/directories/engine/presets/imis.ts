import { type DirectoryPreset, prefill, request, texts } from './preset.ts'

const imis: DirectoryPreset = {
  code: 'imis',
  name: 'iMIS',
  vendor: 'ASI',
  version: 1,
  authKind: 'oauth2Password',
  baseUrlHint: 'https://members.example.org, the address under which /api and /token answer',
  credentialNames: ['username', 'password'],
  settingNames: [
    { name: 'queryPath', required: true, help: 'Path of the query (IQA), such as $/Lanyard/MemberLookup; it takes the parameter email' },
  ],
  inputs: ['email'],
  auth: { kind: 'oauth2Password', settings: { tokenUrl: '{base}/token' } },
  requests: {
    lookup: request({
      path: '/api/query',
      query: { QueryName: '{{setting.queryPath}}', email: '{{input.email}}', Limit: '100', Offset: '{{page.offset}}' },
      resultPath: '$.Items.$values',
      paging: { kind: 'offset', itemPath: '$.Items.$values', nextPath: '$.NextOffset', maxPages: 3 },
    }),
    probe: request({
      path: '/api/query',
      query: { QueryName: '{{setting.queryPath}}', Limit: '1' },
      inputs: [],
      resultPath: '$.Items.$values',
    }),
  },
  bindings: [
    prefill('$.FirstName', 'firstName', 'trim'),
    prefill('$.LastName', 'lastName', 'trim'),
    prefill('$.Email', 'email', 'trim'),
    prefill('$.Company', 'company', 'trim'),
    prefill('$.Title', 'jobTitle', 'trim'),
  ],
  tagRules: [{ when: { from: '$.Status', op: 'in', value: ['A', 'Active'] }, tag: 'member' }],
  sources: texts('$.ID', '$.FirstName', '$.LastName', '$.Email', '$.Company', '$.Title', '$.MemberType', '$.Status', '$.PaidThru'),
  notes:
    'The sign-in belongs to a user of the role RemoteService. The query needs a filter on email that is asked for at run time, and its columns are the sources: give them these names as aliases, or change the bindings.',
}

export default imis
