import { type DirectoryPreset, prefill, request, texts } from './preset.ts'

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
    lookup: request({
      path: '/services/data/{{setting.apiVersion}}/query',
      query: { q: `${byEmail} LIMIT 10` },
      resultPath: '$.records',
    }),
    search: request({
      path: '/services/data/{{setting.apiVersion}}/query',
      query: { q: `${byEmail} AND LastName = '{{input.lastName | soql}}' LIMIT 10` },
      inputs: ['email', 'lastName'],
      resultPath: '$.records',
    }),
    probe: request({
      path: '/services/data/{{setting.apiVersion}}/query',
      query: { q: 'SELECT Id FROM Contact LIMIT 1' },
      inputs: [],
      resultPath: '$.records',
    }),
  },
  bindings: [
    prefill('$.FirstName', 'firstName', 'trim'),
    prefill('$.LastName', 'lastName', 'trim'),
    prefill('$.Email', 'email', 'trim'),
    prefill('$.Title', 'jobTitle', 'trim'),
    prefill('$.Account.Name', 'company', 'trim'),
    prefill('$.Phone', 'workPhone', 'phone'),
    prefill('$.MobilePhone', 'mobilePhone', 'phone'),
    prefill('$.MailingCity', 'city', 'trim'),
    prefill('$.MailingPostalCode', 'postalCode', 'trim'),
    prefill('$.MailingCountry', 'country', 'country'),
  ],
  tagRules: [],
  sources: [
    ...texts('$.Id', '$.FirstName', '$.LastName', '$.Email', '$.Title', '$.Phone', '$.MobilePhone'),
    ...texts('$.MailingCity', '$.MailingPostalCode', '$.MailingCountry', '$.Account.Name'),
  ],
  notes:
    'Use an external client app with the client credentials flow and a user who may read contacts. Where membership is kept in a field of your own, add it to the query and to the tag rules.',
}

export default salesforce
