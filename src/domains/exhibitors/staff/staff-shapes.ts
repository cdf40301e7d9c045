import {
  toOneLine,
  count,
  email,
  flag,
  id,
  list,
  name,
  object,
  oneOf,
  pageArguments,
  searchArgument,
  optionalPageResultFields,
  text,
  untrustedText,
} from '../../../kernel/args.ts'
import { STAFF_STATES } from '../states.ts'
import { StaffAllotmentShape } from './allotment.ts'
import { STAFF_ROLES } from './staff-rows.ts'

export const STAFF_FILTER_ARGUMENTS = {
  companyId: id('company'),
  role: oneOf(STAFF_ROLES),
  status: oneOf(STAFF_STATES.all),
  search: searchArgument(),
  ...pageArguments,
}

const Person = object({
  firstName: name(80),
  lastName: name(80),
  email: email(),
  role: oneOf(STAFF_ROLES).default('staff'),
  jobTitle: text(120).optional(),
})

export const NEW_STAFF_ARGUMENTS = {
  people: toOneLine(list(Person, 500), 'firstName, lastName, email, role (admin, staff or contact), jobTitle?'),
  register: flag(),
  pass: oneOf(['auto', 'free', 'paid']),
}

export const STAFF_ACTION_ARGUMENTS = {
  staffId: id('exhibitorStaff'),
  cancelRegistration: flag(),
  staffIds: list(id('exhibitorStaff'), 500),
  resend: flag(),
  extra: count(-1000, 1000),
  reason: text(300),
}

const Exhibitor = object({
  staffId: id('exhibitorStaff'),
  name: untrustedText(),
  email: text(),
  role: oneOf(STAFF_ROLES),
  company: object({ companyId: text(), name: untrustedText() }),
  boothNumbers: list(text()),
  status: oneOf(STAFF_STATES.all),
  pass: oneOf(['free', 'paid']),
  participantId: text().optional(),
  result: oneOf(['created', 'linked', 'skipped']).optional(),
})

export const STAFF_RESULT_FIELDS = {
  exhibitors: toOneLine(list(Exhibitor), 'staffId, name, role, company, status, pass, ...').optional(),
  allotment: toOneLine(StaffAllotmentShape, 'used, left, ...').optional(),
  changed: list(text()).optional(),
  queued: count().optional(),
  skipped: toOneLine(list(object({ reason: text(), count: count() })), 'reason, count').optional(),
  ...optionalPageResultFields,
}
