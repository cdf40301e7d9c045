import { type DirectoryPreset, buildPrefillFieldMapping, buildPresetRequest, toTextValuePaths } from './preset.ts'

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
    // The search returns a URL at which the found profiles are read, so the request treats that URL as a second page of results.
    lookup: buildPresetRequest({
      method: 'POST',
      path: '/api/v1/profile/search',
      body: '{"[Email | Primary]":"{{input.email}}"}',
      resultPath: '$.profiles',
      paging: { kind: 'next', itemPath: '$.profiles', nextPath: '$.profilesUrl', maxPages: 2 },
    }),
    search: buildPresetRequest({
      method: 'POST',
      path: '/api/v1/profile/search',
      body: '{"[Email | Primary]":"{{input.email}}","[Member Number]":"{{input.memberNumber}}"}',
      inputs: ['email', 'memberNumber'],
      resultPath: '$.profiles',
      paging: { kind: 'next', itemPath: '$.profiles', nextPath: '$.profilesUrl', maxPages: 2 },
    }),
    probe: buildPresetRequest({ path: '/api/v1/profile', query: { pageSize: '1' }, inputs: [], resultPath: '$.profiles' }),
  },
  bindings: [
    buildPrefillFieldMapping("$['[Name | First]']", 'firstName', 'trim'),
    buildPrefillFieldMapping("$['[Name | Last]']", 'lastName', 'trim'),
    buildPrefillFieldMapping("$['[Email | Primary]']", 'email', 'trim'),
    buildPrefillFieldMapping("$['[Organization]']", 'company', 'trim'),
    buildPrefillFieldMapping("$['[Phone | Primary]']", 'workPhone', 'phone'),
  ],
  tagRules: [{ when: { from: "$['[Member Status]']", op: 'equals', value: 'Active' }, tag: 'member' }],
  sources: [
    ...toTextValuePaths(
      "$['[Name | First]']",
      "$['[Name | Last]']",
      "$['[Email | Primary]']",
      "$['[Organization]']",
      "$['[Phone | Primary]']",
    ),
    ...toTextValuePaths("$['[Member Status]']", "$['[Member Type]']"),
    { expression: "$['[Member Number]']", sampleType: 'number' },
    { expression: "$['[Group]']", sampleType: 'list' },
    { expression: "$['[Expiration Date]']", sampleType: 'date' },
  ],
  notes: 'The vendor enables the API for each organization. A client with the scope read is enough.',
}

export default memberclicks
