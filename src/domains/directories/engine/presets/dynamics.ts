import { type DirectoryPreset, buildPrefillFieldMapping, buildPresetRequest, toTextValuePaths } from './preset.ts'

const SELECT =
  'contactid,firstname,lastname,emailaddress1,jobtitle,telephone1,mobilephone,address1_city,address1_postalcode,address1_country,statecode'
/** In Dynamics, the `company` column of a contact is a phone number, so the name of the contact's account is used. */
const EXPAND = 'parentcustomerid_account($select=name)'
const headers = { 'OData-MaxVersion': '4.0', 'OData-Version': '4.0' }
const byEmail = "emailaddress1 eq '{{input.email | odata}}' and statecode eq 0"

const dynamics: DirectoryPreset = {
  code: 'dynamics',
  name: 'Dynamics 365',
  vendor: 'Microsoft',
  version: 2,
  authKind: 'oauth2ClientCredentials',
  baseUrlHint: 'https://your-organization.crm4.dynamics.com',
  credentialNames: ['clientId', 'clientSecret'],
  settingNames: [{ name: 'tenantId', required: true, help: 'Directory (tenant) ID of Microsoft Entra' }],
  inputs: ['email', 'lastName'],
  auth: {
    kind: 'oauth2ClientCredentials',
    settings: {
      tokenUrl: 'https://login.microsoftonline.com/{{setting.tenantId}}/oauth2/v2.0/token',
      scope: '{base}/.default',
      clientAuth: 'body',
    },
  },
  requests: {
    lookup: buildPresetRequest({
      path: '/api/data/v9.2/contacts',
      query: { $select: SELECT, $expand: EXPAND, $filter: byEmail, $top: '10' },
      headers,
      resultPath: '$.value',
    }),
    search: buildPresetRequest({
      path: '/api/data/v9.2/contacts',
      query: { $select: SELECT, $expand: EXPAND, $filter: `${byEmail} and lastname eq '{{input.lastName | odata}}'`, $top: '10' },
      headers,
      inputs: ['email', 'lastName'],
      resultPath: '$.value',
    }),
    probe: buildPresetRequest({
      path: '/api/data/v9.2/contacts',
      query: { $select: 'contactid', $top: '1' },
      headers,
      inputs: [],
      resultPath: '$.value',
    }),
  },
  bindings: [
    buildPrefillFieldMapping('$.firstname', 'firstName', 'trim'),
    buildPrefillFieldMapping('$.lastname', 'lastName', 'trim'),
    buildPrefillFieldMapping('$.emailaddress1', 'email', 'trim'),
    buildPrefillFieldMapping('$.jobtitle', 'jobTitle', 'trim'),
    buildPrefillFieldMapping('$.parentcustomerid_account.name', 'company', 'trim'),
    buildPrefillFieldMapping('$.telephone1', 'workPhone', 'phone'),
    buildPrefillFieldMapping('$.mobilephone', 'mobilePhone', 'phone'),
    buildPrefillFieldMapping('$.address1_city', 'city', 'trim'),
    buildPrefillFieldMapping('$.address1_postalcode', 'postalCode', 'trim'),
    buildPrefillFieldMapping('$.address1_country', 'country', 'country'),
  ],
  tagRules: [],
  sources: [
    ...toTextValuePaths('$.contactid', '$.firstname', '$.lastname', '$.emailaddress1', '$.jobtitle', '$.telephone1', '$.mobilephone'),
    ...toTextValuePaths('$.address1_city', '$.address1_postalcode', '$.address1_country', '$.parentcustomerid_account.name'),
    { expression: '$.statecode', sampleType: 'number' },
  ],
  notes:
    'Register an application in Entra and add it as an application user with a role that reads contacts. Membership is a custom column: add it to $select and to the tag rules.',
}

export default dynamics
