import { z } from 'zod'
import {
  pageCursorSchema,
  booleanSchema,
  recordIdSchema,
  instantSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  objectSchema,
  enumSchema,
  keyValueMapSchema,
  type Schema,
  stringSchema,
} from '../../domains/entities/schemas.ts'
import { DeviceActivationBody, ScanSyncBody } from './device-bodies.ts'
import { LEAD_LIST_PARAMETERS } from './device-leads.ts'
import { LEAD_DEVICES_PATH } from './devices.ts'
import { LEAD_SCAN_PATH } from './endpoint.ts'
import { LEAD_SCAN_PARAMETERS } from './query.ts'
import type { QueryParameter } from '../rest/query.ts'

/** An API operation for scanner apps. */
export interface LeadApiOperation {
  operationId: string
  summary: string
  method: 'get' | 'post'
  path: string
  parameters: readonly (QueryParameter & { required?: true })[]
  /** The schema of the request body; null if there is none. */
  sent: string | null
  answered: string
  status: 200 | 201
  /** Whether the request needs the token of a device. */
  needsToken: boolean
  problems: Readonly<Record<number, string>>
}

const TOO_MANY = 'Too many calls; Retry-After gives the seconds to wait.'
const INVALID = 'A value is missing or invalid.'
const UNKNOWN_DEVICE = 'The token is missing or unknown, or the device was revoked (code device_revoked).'

const ABOUT: Record<(typeof LEAD_SCAN_PARAMETERS)[number], string> = {
  tenantCode: 'The tenant of the event.',
  clientCode: 'The client of the event.',
  eventCode: 'The event.',
  activationCode: 'The activation code of the exhibiting company. `0` selects the test event, which stores nothing.',
  badgeId: 'The scanned text of the badge, percent-encoded. `0` returns a sample lead.',
}

export const LEAD_API_OPERATIONS: readonly LeadApiOperation[] = [
  {
    operationId: 'scanLead',
    summary: 'Scan a badge: what the participant shares with the exhibiting company.',
    method: 'get',
    path: LEAD_SCAN_PATH,
    parameters: LEAD_SCAN_PARAMETERS.map((name) => ({
      name,
      about: ABOUT[name],
      schema: { ...stringSchema(), minLength: 1 },
      required: true as const,
    })),
    sent: null,
    answered: 'ScannedLead',
    status: 200,
    needsToken: false,
    problems: {
      400: 'A parameter is missing, empty or given twice.',
      401: 'The activation code is not valid for this tenant, client and event.',
      403: 'The company has no licence for lead retrieval.',
      404: 'No participant has this badge.',
      429: TOO_MANY,
    },
  },
  {
    operationId: 'activateDevice',
    summary: 'Exchange the activation code of a company for the token of a device. The token is shown once.',
    method: 'post',
    path: LEAD_DEVICES_PATH,
    parameters: [],
    sent: 'DeviceActivation',
    answered: 'ActivatedDevice',
    status: 201,
    needsToken: false,
    problems: {
      400: INVALID,
      401: 'The activation code is not valid for this tenant, client and event.',
      403: 'The company has no licence for devices, or no seat is left.',
      415: 'Only JSON is accepted.',
      429: TOO_MANY,
    },
  },
  {
    operationId: 'sendCaptures',
    summary: 'Send the scans that a device made, also offline. Each scan counts once, however often it is sent.',
    method: 'post',
    path: `${LEAD_DEVICES_PATH}/captures`,
    parameters: [],
    sent: 'Captures',
    answered: 'CaptureResults',
    status: 200,
    needsToken: true,
    problems: { 400: INVALID, 401: UNKNOWN_DEVICE, 415: 'Only JSON is accepted.', 429: TOO_MANY },
  },
  {
    operationId: 'listDeviceLeads',
    summary: "The leads of the device's company, in the order in which they changed.",
    method: 'get',
    path: `${LEAD_DEVICES_PATH}/leads`,
    parameters: LEAD_LIST_PARAMETERS,
    sent: null,
    answered: 'DeviceLeadPage',
    status: 200,
    needsToken: true,
    problems: { 400: 'A parameter is invalid, or the cursor belongs to another list.', 401: UNKNOWN_DEVICE, 429: TOO_MANY },
  },
]

/** The schema of a request body, from the type that validates it. */
function toBodySchema(type: z.ZodType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' })
  return schema as Schema
}

const optional = (properties: Record<string, Schema>, required: readonly string[]): Schema => ({ ...objectSchema(properties), required })

const PERSON = {
  fields: {
    ...keyValueMapSchema(stringSchema()),
    description: 'What the participant shares. Fields that are empty or not shared are omitted.',
  },
  customFields: arraySchema(objectSchema({ code: stringSchema(), label: stringSchema(), value: stringSchema() })),
  photoUrl: stringSchema('Valid for one hour.'),
}
const TEST_MARKS = {
  isTest: { ...booleanSchema('Only on the sample lead.'), const: true as const },
  testEvent: { ...booleanSchema('Only at the test event.'), const: true as const },
}
const SCANNED = ['leadId', 'badgeId', 'source', 'captures', 'firstCapturedAt', 'lastCapturedAt', 'fields', 'customFields']
const ON_DEVICE = [
  'leadId',
  'source',
  'captures',
  'firstCapturedAt',
  'lastCapturedAt',
  'fields',
  'customFields',
  'rating',
  'notes',
  'tags',
  'qualifiers',
  'updatedAt',
]

const DEVICE_LEAD = {
  leadId: stringSchema(),
  badgeId: stringSchema('Only in the result of the scan.'),
  source: enumSchema(['sdk', 'device', 'appointment', 'manual', 'import']),
  captures: integerSchema(0),
  firstCapturedAt: nullableSchema(instantSchema()),
  lastCapturedAt: nullableSchema(instantSchema()),
  ...PERSON,
  rating: nullableSchema(integerSchema(0)),
  notes: nullableSchema(stringSchema()),
  tags: arraySchema(stringSchema()),
  qualifiers: keyValueMapSchema(),
  updatedAt: instantSchema(),
  ...TEST_MARKS,
}

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` }) as Schema

export const LEAD_OPENAPI_SCHEMAS: Record<string, Schema> = {
  ScannedLead: optional(
    {
      leadId: stringSchema(),
      badgeId: stringSchema(),
      source: enumSchema(['sdk']),
      captures: integerSchema(0),
      firstCapturedAt: instantSchema(),
      lastCapturedAt: instantSchema(),
      ...PERSON,
      ...TEST_MARKS,
    },
    SCANNED,
  ),
  DeviceActivation: toBodySchema(DeviceActivationBody),
  ActivatedDevice: optional(
    {
      deviceId: stringSchema(),
      deviceToken: stringSchema('Sent as Authorization: Bearer. Shown once.'),
      company: objectSchema({ id: stringSchema(), name: stringSchema() }),
      qualifiers: arraySchema(
        objectSchema({
          code: stringSchema(),
          label: stringSchema(),
          type: stringSchema(),
          choices: arraySchema(objectSchema({ code: stringSchema(), label: stringSchema() })),
        }),
      ),
      testEvent: TEST_MARKS.testEvent,
    },
    ['deviceId', 'deviceToken', 'company', 'qualifiers'],
  ),
  Captures: toBodySchema(ScanSyncBody),
  CaptureResults: objectSchema({
    results: arraySchema(
      optional(
        {
          nonce: stringSchema(),
          result: enumSchema(['created', 'counted', 'duplicate', 'unknown_badge']),
          lead: ref('DeviceLead'),
          leftOut: arraySchema(stringSchema('A value that could not be stored.')),
        },
        ['nonce', 'result'],
      ),
    ),
  }),
  DeviceLead: optional(DEVICE_LEAD, ON_DEVICE),
  DeletedLead: objectSchema({ leadId: recordIdSchema(), deleted: { ...booleanSchema(), const: true }, updatedAt: instantSchema() }),
  DeviceLeadPage: objectSchema({
    data: arraySchema({ anyOf: [ref('DeviceLead'), ref('DeletedLead')] }),
    pageInfo: objectSchema({ nextCursor: nullableSchema(pageCursorSchema()), hasMore: booleanSchema() }),
  }),
}
