import { type DirectoryPreset, prefill, request, texts } from './preset.ts'

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
    lookup: request({ method: 'POST', path, body: search(equal('email', '{{input.email}}')), resultPath: '$.results' }),
    search: request({
      method: 'POST',
      path,
      body: search(equal('email', '{{input.email}}'), equal('lastname', '{{input.lastName}}')),
      inputs: ['email', 'lastName'],
      resultPath: '$.results',
    }),
    probe: request({ path: '/crm/v3/objects/contacts', query: { limit: '1' }, inputs: [], resultPath: '$.results' }),
  },
  bindings: [
    prefill('$.properties.firstname', 'firstName', 'trim'),
    prefill('$.properties.lastname', 'lastName', 'trim'),
    prefill('$.properties.email', 'email', 'trim'),
    prefill('$.properties.company', 'company', 'trim'),
    prefill('$.properties.jobtitle', 'jobTitle', 'trim'),
    prefill('$.properties.phone', 'workPhone', 'phone'),
    prefill('$.properties.mobilephone', 'mobilePhone', 'phone'),
    prefill('$.properties.city', 'city', 'trim'),
    prefill('$.properties.zip', 'postalCode', 'trim'),
    prefill('$.properties.country', 'country', 'country'),
  ],
  tagRules: [],
  sources: texts('$.id', ...PROPERTIES.map((name) => `$.properties.${name}`)),
  notes:
    'Make a private app with the scope crm.objects.contacts.read; its access token is the credential. Membership is a property of your own: add it to the body of the lookup and to the tag rules.',
}

export default hubspot
