import { type DirectoryPreset, buildPrefillFieldMapping, buildPresetRequest, toTextValuePaths } from './preset.ts'

const SELECT = [
  'id',
  'first_name',
  'last_name',
  'email_primary.email',
  'phone_primary.phone',
  'job_title',
  'organization_name',
  'address_primary.city',
  'address_primary.postal_code',
  'address_primary.country_id:abbr',
]

/** Memberships are fetched with the contact, so that a person with two memberships is still one record. */
const currentMemberships = [
  'Membership',
  'get',
  {
    select: ['status_id:name', 'membership_type_id:name', 'end_date'],
    where: [
      ['contact_id', '=', '$id'],
      ['status_id.is_current_member', '=', true],
    ],
  },
]

/** CiviCRM expects the parameters as JSON text in a single field of the request body. */
const get = (...where: [string, string, string][]) =>
  JSON.stringify({
    params: { select: SELECT, where: [['is_deleted', '=', false], ...where], limit: 10, chain: { memberships: currentMemberships } },
  })

const path = '/civicrm/ajax/api4/Contact/get'
const headers = { 'X-Requested-With': 'XMLHttpRequest' }

const civicrm: DirectoryPreset = {
  code: 'civicrm',
  name: 'CiviCRM',
  vendor: 'CiviCRM',
  version: 1,
  authKind: 'bearer',
  baseUrlHint: 'https://crm.example.org, the site that CiviCRM runs on',
  credentialNames: ['token'],
  settingNames: [],
  inputs: ['email', 'lastName'],
  auth: { kind: 'bearer', settings: { header: 'X-Civi-Auth' } },
  requests: {
    lookup: buildPresetRequest({
      method: 'POST',
      path,
      headers,
      bodyType: 'form',
      body: get(['email_primary.email', '=', '{{input.email}}']),
      resultPath: '$.values',
    }),
    search: buildPresetRequest({
      method: 'POST',
      path,
      headers,
      bodyType: 'form',
      body: get(['email_primary.email', '=', '{{input.email}}'], ['last_name', '=', '{{input.lastName}}']),
      inputs: ['email', 'lastName'],
      resultPath: '$.values',
    }),
    probe: buildPresetRequest({
      method: 'POST',
      path,
      headers,
      bodyType: 'form',
      body: JSON.stringify({ params: { select: ['id'], limit: 1 } }),
      inputs: [],
      resultPath: '$.values',
    }),
  },
  bindings: [
    buildPrefillFieldMapping('$.first_name', 'firstName', 'trim'),
    buildPrefillFieldMapping('$.last_name', 'lastName', 'trim'),
    buildPrefillFieldMapping("$['email_primary.email']", 'email', 'trim'),
    buildPrefillFieldMapping("$['phone_primary.phone']", 'workPhone', 'phone'),
    buildPrefillFieldMapping('$.job_title', 'jobTitle', 'trim'),
    buildPrefillFieldMapping('$.organization_name', 'company', 'trim'),
    buildPrefillFieldMapping("$['address_primary.city']", 'city', 'trim'),
    buildPrefillFieldMapping("$['address_primary.postal_code']", 'postalCode', 'trim'),
    buildPrefillFieldMapping("$['address_primary.country_id:abbr']", 'country', 'country'),
  ],
  tagRules: [{ when: { from: "$.memberships[*]['status_id:name']", op: 'isSet' }, tag: 'member' }],
  sources: [
    ...toTextValuePaths(...SELECT.map((field) => (field.includes('.') ? `$['${field}']` : `$.${field}`))),
    { expression: "$.memberships[*]['status_id:name']", sampleType: 'list' },
    { expression: "$.memberships[*]['membership_type_id:name']", sampleType: 'list' },
  ],
  notes:
    'Needs APIv4 and the extension AuthX with the header X-Civi-Auth allowed for API keys. The credential is the API key of a contact who may view contacts and memberships.',
}

export default civicrm
