import { type DirectoryPreset, prefill, request, texts } from './preset.ts'

const memberclicks: DirectoryPreset = {
  code: 'memberclicks',
  name: 'MemberClicks MC Professional',
  vendor: 'Personify',
  version: 1,
  authKind: 'oauth2ClientCredentials',
  baseUrlHint: 'https://your-organization.memberclicks.net',
  credentialNames: ['clientId', 'clientSecret'],
  settingNames: [],
  inputs: ['email', 'memberNumber'],
  auth: { kind: 'oauth2ClientCredentials', settings: { tokenUrl: '{base}/oauth/v1/token', scope: 'read', clientAuth: 'basic' } },
  requests: {
    // The search answers with an address, and the profiles are there: the second page of an answer whose first page is empty.
    lookup: request({
      method: 'POST',
      path: '/api/v1/profile/search',
      body: '{"[Email | Primary]":"{{input.email}}"}',
      resultPath: '$.profiles',
      paging: { kind: 'next', itemPath: '$.profiles', nextPath: '$.profilesUrl', maxPages: 2 },
    }),
    search: request({
      method: 'POST',
      path: '/api/v1/profile/search',
      body: '{"[Email | Primary]":"{{input.email}}","[Member Number]":"{{input.memberNumber}}"}',
      inputs: ['email', 'memberNumber'],
      resultPath: '$.profiles',
      paging: { kind: 'next', itemPath: '$.profiles', nextPath: '$.profilesUrl', maxPages: 2 },
    }),
    probe: request({ path: '/api/v1/profile', query: { pageSize: '1' }, inputs: [], resultPath: '$.profiles' }),
  },
  bindings: [
    prefill("$['[Name | First]']", 'firstName', 'trim'),
    prefill("$['[Name | Last]']", 'lastName', 'trim'),
    prefill("$['[Email | Primary]']", 'email', 'trim'),
    prefill("$['[Organization]']", 'company', 'trim'),
    prefill("$['[Phone | Primary]']", 'workPhone', 'phone'),
  ],
  tagRules: [{ when: { from: "$['[Member Status]']", op: 'equals', value: 'Active' }, tag: 'member' }],
  sources: [
    ...texts("$['[Name | First]']", "$['[Name | Last]']", "$['[Email | Primary]']", "$['[Organization]']", "$['[Phone | Primary]']"),
    ...texts("$['[Member Status]']", "$['[Member Type]']"),
    { expression: "$['[Member Number]']", sampleType: 'number' },
    { expression: "$['[Group]']", sampleType: 'list' },
    { expression: "$['[Expiration Date]']", sampleType: 'date' },
  ],
  notes: 'The API is switched on by the vendor for each organization. A client with the scope read is enough.',
}

export default memberclicks
