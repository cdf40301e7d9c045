import { type DirectoryPreset, buildPrefillFieldMapping, buildPresetRequest, toTextValuePaths } from './preset.ts'

const PROPERTIES = [
  'email',
  'firstname',
  'lastname',
  'company',
  'jobtitle',
  'phone',
  'mobilephone',
  'city',
  'zip',
  'country',
  'lifecyclestage',
]
const equal = (propertyName: string, value: string) => ({ propertyName, operator: 'EQ', value })
const search = (...filters: object[]) => JSON.stringify({ filterGroups: [{ filters }], properties: PROPERTIES, limit: 10 })
const path = '/crm/v3/objects/contacts/search'

const hubspot: DirectoryPreset = {
  code: 'hubspot',
  name: 'HubSpot',
  vendor: 'HubSpot',
  version: 1,
  authKind: 'bearer',
  baseUrlHint: 'https://api.hubapi.com',
  fixedBaseUrl: 'https://api.hubapi.com',
  credentialNames: ['token'],
  settingNames: [],
  inputs: ['email', 'lastName'],
  auth: { kind: 'bearer', settings: {} },
  requests: {
    lookup: buildPresetRequest({ method: 'POST', path, body: search(equal('email', '{{input.email}}')), resultPath: '$.results' }),
    search: buildPresetRequest({
      method: 'POST',
      path,
      body: search(equal('email', '{{input.email}}'), equal('lastname', '{{input.lastName}}')),
      inputs: ['email', 'lastName'],
      resultPath: '$.results',
    }),
    probe: buildPresetRequest({ path: '/crm/v3/objects/contacts', query: { limit: '1' }, inputs: [], resultPath: '$.results' }),
  },
  bindings: [
    buildPrefillFieldMapping('$.properties.firstname', 'firstName', 'trim'),
    buildPrefillFieldMapping('$.properties.lastname', 'lastName', 'trim'),
    buildPrefillFieldMapping('$.properties.email', 'email', 'trim'),
    buildPrefillFieldMapping('$.properties.company', 'company', 'trim'),
    buildPrefillFieldMapping('$.properties.jobtitle', 'jobTitle', 'trim'),
    buildPrefillFieldMapping('$.properties.phone', 'workPhone', 'phone'),
    buildPrefillFieldMapping('$.properties.mobilephone', 'mobilePhone', 'phone'),
    buildPrefillFieldMapping('$.properties.city', 'city', 'trim'),
    buildPrefillFieldMapping('$.properties.zip', 'postalCode', 'trim'),
    buildPrefillFieldMapping('$.properties.country', 'country', 'country'),
  ],
  tagRules: [],
  sources: toTextValuePaths('$.id', ...PROPERTIES.map((name) => `$.properties.${name}`)),
  notes:
    'Create a private app with the scope crm.objects.contacts.read; its access token is the credential. Membership is a custom property: add it to the body of the lookup and to the tag rules.',
}

export default hubspot
