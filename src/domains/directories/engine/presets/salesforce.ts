import { type DirectoryPreset, buildPrefillFieldMapping, buildPresetRequest, toTextValuePaths } from './preset.ts'

const FIELDS = 'Id, FirstName, LastName, Email, Title, Phone, MobilePhone, MailingCity, MailingPostalCode, MailingCountry, Account.Name'
const byEmail = `SELECT ${FIELDS} FROM Contact WHERE Email = '{{input.email | soql}}'`

const salesforce: DirectoryPreset = {
  code: 'salesforce',
  name: 'Salesforce',
  vendor: 'Salesforce',
  version: 1,
  authKind: 'oauth2ClientCredentials',
  baseUrlHint: 'https://your-domain.my.salesforce.com',
  credentialNames: ['clientId', 'clientSecret'],
  settingNames: [{ name: 'apiVersion', required: false, help: 'Version of the REST API, such as v62.0', default: 'v62.0' }],
  inputs: ['email', 'lastName'],
  auth: { kind: 'oauth2ClientCredentials', settings: { tokenUrl: '{base}/services/oauth2/token', clientAuth: 'body' } },
  requests: {
    lookup: buildPresetRequest({
      path: '/services/data/{{setting.apiVersion}}/query',
      query: { q: `${byEmail} LIMIT 10` },
      resultPath: '$.records',
    }),
    search: buildPresetRequest({
      path: '/services/data/{{setting.apiVersion}}/query',
      query: { q: `${byEmail} AND LastName = '{{input.lastName | soql}}' LIMIT 10` },
      inputs: ['email', 'lastName'],
      resultPath: '$.records',
    }),
    probe: buildPresetRequest({
      path: '/services/data/{{setting.apiVersion}}/query',
      query: { q: 'SELECT Id FROM Contact LIMIT 1' },
      inputs: [],
      resultPath: '$.records',
    }),
  },
  bindings: [
    buildPrefillFieldMapping('$.FirstName', 'firstName', 'trim'),
    buildPrefillFieldMapping('$.LastName', 'lastName', 'trim'),
    buildPrefillFieldMapping('$.Email', 'email', 'trim'),
    buildPrefillFieldMapping('$.Title', 'jobTitle', 'trim'),
    buildPrefillFieldMapping('$.Account.Name', 'company', 'trim'),
    buildPrefillFieldMapping('$.Phone', 'workPhone', 'phone'),
    buildPrefillFieldMapping('$.MobilePhone', 'mobilePhone', 'phone'),
    buildPrefillFieldMapping('$.MailingCity', 'city', 'trim'),
    buildPrefillFieldMapping('$.MailingPostalCode', 'postalCode', 'trim'),
    buildPrefillFieldMapping('$.MailingCountry', 'country', 'country'),
  ],
  tagRules: [],
  sources: [
    ...toTextValuePaths('$.Id', '$.FirstName', '$.LastName', '$.Email', '$.Title', '$.Phone', '$.MobilePhone'),
    ...toTextValuePaths('$.MailingCity', '$.MailingPostalCode', '$.MailingCountry', '$.Account.Name'),
  ],
  notes:
    'Use an external client app with the client credentials flow and a user who may read contacts. If membership is a custom field, add it to the query and to the tag rules.',
}

export default salesforce
