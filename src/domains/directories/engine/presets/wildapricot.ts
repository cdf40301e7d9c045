import { type DirectoryPreset, buildPrefillFieldMapping, buildPresetRequest, toTextValuePaths } from './preset.ts'

const fixed = { $async: 'false', $top: '10' }

const wildapricot: DirectoryPreset = {
  code: 'wildapricot',
  name: 'WildApricot',
  vendor: 'Personify',
  version: 1,
  authKind: 'oauth2ClientCredentials',
  baseUrlHint: 'https://api.wildapricot.org/v2.2',
  fixedBaseUrl: 'https://api.wildapricot.org/v2.2',
  credentialNames: ['apiKey'],
  settingNames: [
    { name: 'accountId', required: true, help: 'Number of the account, shown under Settings, Security, Authorized applications' },
  ],
  inputs: ['email', 'lastName'],
  auth: {
    kind: 'oauth2ClientCredentials',
    settings: { tokenUrl: 'https://oauth.wildapricot.org/auth/token', scope: 'auto', clientAuth: 'basic' },
  },
  client: { id: 'APIKEY', secretName: 'apiKey' },
  requests: {
    lookup: buildPresetRequest({
      path: '/accounts/{{setting.accountId}}/contacts',
      query: { ...fixed, $filter: "'Email' eq '{{input.email | odata}}'" },
      resultPath: '$.Contacts',
    }),
    search: buildPresetRequest({
      path: '/accounts/{{setting.accountId}}/contacts',
      query: { ...fixed, $filter: "'Email' eq '{{input.email | odata}}' and 'Last name' eq '{{input.lastName | odata}}'" },
      inputs: ['email', 'lastName'],
      resultPath: '$.Contacts',
    }),
    probe: buildPresetRequest({ path: '/accounts/{{setting.accountId}}', inputs: [], resultPath: '$' }),
  },
  bindings: [
    buildPrefillFieldMapping('$.FirstName', 'firstName', 'trim'),
    buildPrefillFieldMapping('$.LastName', 'lastName', 'trim'),
    buildPrefillFieldMapping('$.Email', 'email', 'trim'),
    buildPrefillFieldMapping('$.Organization', 'company', 'trim'),
  ],
  tagRules: [{ when: { from: '$.Status', op: 'in', value: ['Active', 'PendingRenewal'] }, tag: 'member' }],
  sources: [
    ...toTextValuePaths('$.FirstName', '$.LastName', '$.Email', '$.Organization', '$.Status', '$.MembershipLevel.Name'),
    { expression: '$.Id', sampleType: 'number' },
    { expression: '$.MembershipEnabled', sampleType: 'boolean' },
    { expression: "$.FieldValues[?(@.SystemCode=='Phone')].Value", sampleType: 'text' },
  ],
  notes: 'Create an API key of the type server application with the right to view contacts.',
}

export default wildapricot
