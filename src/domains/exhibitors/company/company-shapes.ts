import { z } from 'zod'
import {
  toOneLine,
  count,
  flag,
  id,
  list,
  money,
  object,
  oneOf,
  pageArguments,
  searchArgument,
  optionalPageResultFields,
  text,
  untrustedText,
} from '../../../kernel/args.ts'
import { buildEditArguments } from '../../../kernel/record-shapes.ts'
import { COMPANY_RECORD } from '../company-record.ts'
import { COMPANY_STATES } from '../states.ts'

export const COMPANY_INCLUDE_OPTIONS = [
  'staff',
  'booths',
  'applications',
  'licences',
  'devices',
  'leadStats',
  'points',
  'order',
  'appointments',
] as const
export type CompanyIncludeOption = (typeof COMPANY_INCLUDE_OPTIONS)[number]

const { status: _status, ifRevision, clear, name, code, ...fields } = buildEditArguments(COMPANY_RECORD)

/** The fields of a company that organizers may change directly. Separate actions change the status. */
export const COMPANY_FIELD_ARGUMENTS = {
  name: name.unwrap(),
  code,
  fields: toOneLine(
    object({ ...fields, sponsorAmount: money().optional(), clear }),
    'website, logoFileId, description, country, categories, contact, billing, clear[], ...',
  ),
}
export const COMPANY_EDIT_ARGUMENTS = { ...COMPANY_FIELD_ARGUMENTS, ifRevision }

export const COMPANY_FILTER_ARGUMENTS = {
  status: oneOf(COMPANY_STATES.all),
  category: text(80),
  hasBooth: flag(),
  hasLicence: flag(),
  search: searchArgument(),
  ...pageArguments,
}

export const COMPANY_ACTION_ARGUMENTS = {
  companyId: id('company'),
  include: toOneLine(list(oneOf(COMPANY_INCLUDE_OPTIONS), COMPANY_INCLUDE_OPTIONS.length), COMPANY_INCLUDE_OPTIONS.join(', ')),
  competitorIds: list(id('company'), 200),
  companyIds: list(id('company'), 500),
  message: text(1000),
  productCode: text(80),
  seats: count(1, 1000),
  licenceId: id('licence'),
  points: z.number().min(-1_000_000).max(1_000_000),
  reason: text(300),
  keepId: id('company'),
  dropId: id('company'),
}

const CompanySummary = object({
  id: id('company'),
  code: text(),
  name: untrustedText(),
  status: oneOf(COMPANY_STATES.all),
  country: text().nullable(),
  categories: list(text()),
  sponsorLevel: text().nullable(),
  contact: object({ name: untrustedText().nullable(), email: text().nullable() }),
  boothNumbers: list(text()),
  hasLicence: flag(),
  revision: count(1, 2_147_483_647),
})

const Licence = object({
  licenceId: text(),
  productCode: text(),
  grants: list(text()),
  seats: count(),
  validSeats: count(),
  status: text(),
  orderLineId: text().nullable(),
  grantedBy: text().nullable(),
  createdAt: text(),
})

const Points = object({ total: z.number(), breakdown: list(object({ rule: text(), value: z.number(), points: z.number() })) })

/** A company in a tool result, with the parts named in `include`. Each part has the shape that its own tool returns. */
export const CompanyDetailsShape = object({
  id: id('company'),
  code: text(),
  name: untrustedText(),
  status: oneOf(COMPANY_STATES.all),
  description: untrustedText().nullable(),
  logoFileId: text().nullable(),
  website: untrustedText().nullable(),
  country: text().nullable(),
  categories: list(text()),
  contact: object({ name: untrustedText().nullable(), email: text().nullable(), phone: untrustedText().nullable().optional() }),
  billing: z.looseObject({}).nullable(),
  externalId: text().nullable(),
  sponsorLevel: text().nullable(),
  sponsorAmount: money().nullable(),
  appointmentsEnabled: flag(),
  organizationId: text(),
  competitors: list(object({ companyId: text(), name: untrustedText() })),
  activationCode: text().nullable().optional(),
  isTestData: flag(),
  revision: count(1, 2_147_483_647),
  licences: list(Licence).optional(),
  points: Points.nullable().optional(),
  staff: list(z.looseObject({ name: untrustedText() })).optional(),
  booths: list(z.looseObject({})).optional(),
  applications: list(z.looseObject({})).optional(),
  devices: z.looseObject({}).optional(),
  leadStats: z.looseObject({}).optional(),
  order: z.looseObject({}).optional(),
  appointments: list(z.looseObject({ name: untrustedText() })).optional(),
})

const MOVED = [
  'booths',
  'applications',
  'licences',
  'devices',
  'staff',
  'offerings',
  'leads',
  'leadsJoined',
  'orders',
  'appointments',
] as const
const Moved = object(Object.fromEntries(MOVED.map((kind) => [kind, count().optional()])))

export const COMPANY_RESULT_FIELDS = {
  companies: toOneLine(list(CompanySummary), 'id, code, name, status, boothNumbers, ...').optional(),
  company: toOneLine(CompanyDetailsShape, 'all fields, activationCode, what include names').optional(),
  changed: list(text()).optional(),
  moved: toOneLine(Moved, 'records by kind').optional(),
  queued: count().optional(),
  skipped: toOneLine(list(object({ reason: text(), count: count() })), 'reason, count').optional(),
  ...optionalPageResultFields,
}

export type CompanySelector = { companyId?: string | undefined; code?: string | undefined; name?: string | undefined }
