import { type DirectoryPreset, buildPrefillFieldMapping, buildPresetRequest, toTextValuePaths } from './preset.ts'

const imis: DirectoryPreset = {
  code: 'imis',
  name: 'iMIS',
  vendor: 'ASI',
  version: 1,
  authKind: 'oauth2Password',
  baseUrlHint: 'https://members.example.org, the address that serves /api and /token',
  credentialNames: ['username', 'password'],
  settingNames: [
    { name: 'queryPath', required: true, help: 'Path of the query (IQA), such as $/Lanyard/MemberLookup; it takes the parameter email' },
  ],
  inputs: ['email'],
  auth: { kind: 'oauth2Password', settings: { tokenUrl: '{base}/token' } },
  requests: {
    lookup: buildPresetRequest({
      path: '/api/query',
      query: { QueryName: '{{setting.queryPath}}', email: '{{input.email}}', Limit: '100', Offset: '{{page.offset}}' },
      resultPath: '$.Items.$values',
      paging: { kind: 'offset', itemPath: '$.Items.$values', nextPath: '$.NextOffset', maxPages: 3 },
    }),
    probe: buildPresetRequest({
      path: '/api/query',
      query: { QueryName: '{{setting.queryPath}}', Limit: '1' },
      inputs: [],
      resultPath: '$.Items.$values',
    }),
  },
  bindings: [
    buildPrefillFieldMapping('$.FirstName', 'firstName', 'trim'),
    buildPrefillFieldMapping('$.LastName', 'lastName', 'trim'),
    buildPrefillFieldMapping('$.Email', 'email', 'trim'),
    buildPrefillFieldMapping('$.Company', 'company', 'trim'),
    buildPrefillFieldMapping('$.Title', 'jobTitle', 'trim'),
  ],
  tagRules: [{ when: { from: '$.Status', op: 'in', value: ['A', 'Active'] }, tag: 'member' }],
  sources: toTextValuePaths(
    '$.ID',
    '$.FirstName',
    '$.LastName',
    '$.Email',
    '$.Company',
    '$.Title',
    '$.MemberType',
    '$.Status',
    '$.PaidThru',
  ),
  notes:
    'The sign-in belongs to a user of the role RemoteService. The query needs a filter on email that is prompted for at run time, and its columns are the sources: use these names as aliases, or change the bindings.',
}

export default imis
