import { z } from 'zod'
import {
  toOneLine,
  count,
  flag,
  id,
  instant,
  list,
  object,
  oneOf,
  pageArguments,
  searchArgument,
  optionalPageResultFields,
  text,
  untrustedText,
} from '../../../kernel/args.ts'
import { buildEditArguments } from '../../../kernel/record-shapes.ts'
import { LEAD_STATES } from '../states.ts'
import type { LeadCaptureType } from '../tables.ts'
import { LEAD_RECORD } from './lead-record.ts'

export const LEAD_SOURCES = ['sdk', 'device', 'appointment', 'manual', 'import'] as const satisfies readonly LeadCaptureType[]

const LEAD_STATS_BY = ['hour', 'day', 'staff', 'device'] as const
export type LeadStatsGrouping = (typeof LEAD_STATS_BY)[number]

const Lead = object({
  id: id('lead'),
  company: object({ companyId: text(), name: untrustedText() }),
  participantId: text(),
  source: oneOf(LEAD_SOURCES),
  status: oneOf(LEAD_STATES.all),
  captures: count(),
  firstCapturedAt: instant().nullable(),
  lastCapturedAt: instant().nullable(),
  rating: count(0, 5).nullable(),
  notes: untrustedText().nullable(),
  tags: list(untrustedText()),
  qualifiers: z.record(z.string(), z.unknown()).optional(),
  staffId: text().nullable(),
  fields: z.record(z.string(), untrustedText()),
  customFields: list(object({ code: text(), label: text(), value: untrustedText() })).optional(),
  revision: count(1, 2_147_483_647),
})

const LeadCapture = object({
  type: oneOf(LEAD_SOURCES),
  at: instant(),
  receivedAt: instant(),
  device: untrustedText().nullable(),
  staff: untrustedText().nullable(),
})

const LeadStats = object({
  by: oneOf(LEAD_STATS_BY),
  rows: list(object({ key: untrustedText(), leads: count(), captures: count() })),
  totals: object({ leads: count(), captures: count() }),
})

export const LEAD_FILTER_ARGUMENTS = {
  companyId: id('company'),
  source: oneOf(LEAD_SOURCES),
  since: instant(),
  minRating: count(0, 5),
  search: searchArgument(),
  includeDeleted: flag(),
  ...pageArguments,
}

export const LEAD_EDIT_ARGUMENTS = buildEditArguments(LEAD_RECORD)

export const NEW_LEAD_ARGUMENTS = { badgeId: text(100), note: text(2000), at: instant() }

export const LEAD_STATS_ARGUMENTS = { by: oneOf(LEAD_STATS_BY) }

export const LEAD_RESULT_FIELDS = {
  leads: toOneLine(list(Lead), 'id, company, captures, rating, fields, ...').optional(),
  history: toOneLine(list(LeadCapture), 'type, at, device, staff').optional(),
  stats: toOneLine(LeadStats, 'by, rows[], totals').optional(),
  joined: flag().optional(),
  changed: list(text()).optional(),
  ...optionalPageResultFields,
}
