import { z } from 'zod'
import { toOneLine, count, currency, day, id, instant, list, money, object, oneOf, untrustedText } from '../../kernel/args.ts'
import { COMPARISON_ROW_SECTIONS, COMPARISON_ROW_UNITS } from './comparison-rows.ts'
import { RISK_CODES } from './risks.ts'
import { ScoreShape } from './rubrics.ts'

/** The arguments that select responses to compare. */
export const comparisonArguments = {
  rfpId: id('rfp'),
  responseIds: list(id('rfpResponse'), 60).optional(),
  dateOption: count(0, 12).optional(),
  currency: currency().optional(),
}

const Column = object({
  responseId: id(),
  supplierId: id(),
  supplier: untrustedText(),
  dateOption: count(),
  arrival: day(),
  departure: day(),
  round: count(1),
  submittedAt: instant(),
})

const Row = object({
  section: oneOf(COMPARISON_ROW_SECTIONS),
  code: z.string(),
  item: z.string(),
  unit: oneOf(COMPARISON_ROW_UNITS),
  values: list(untrustedText().nullable()),
  best: id().nullable(),
})

const Totals = object({
  gross: money(),
  concessions: money(),
  net: money(),
  perRoomNight: money().nullable(),
  perPerson: money().nullable(),
})

export const comparisonResult = {
  rfp: toOneLine(object({ id: id(), number: z.string(), title: z.string() }), 'id, number, title'),
  currency: z.string(),
  columns: list(toOneLine(Column, 'responseId, supplierId, supplier, dateOption, arrival, departure, round, submittedAt')),
  rows: list(toOneLine(Row, 'section, code, item, unit, values[] by column, best (responseId)')),
  totals: list(toOneLine(Totals, 'gross, concessions, net, perRoomNight, perPerson')),
  risks: list(toOneLine(object({ responseId: id(), code: oneOf(RISK_CODES), message: untrustedText() }), 'responseId, code, message')),
  scores: list(ScoreShape).optional(),
  fx: list(toOneLine(object({ from: z.string(), to: z.string(), rate: z.string(), day: day() }), 'from, to, rate, day')),
}

const Answers = z.record(z.string(), z.union([untrustedText(), z.number(), z.boolean()]))
const Amount = money()

/** A response in full, as the supplier submitted it. */
export const FullRfpResponse = object({
  currency: z.string(),
  rooms: list(object({ night: day(), roomType: untrustedText(), rooms: count(), rates: z.record(z.string(), Amount) })),
  taxPercent: z.number(),
  feePerNight: Amount,
  rental: Amount,
  otherFees: list(object({ name: untrustedText(), amount: Amount, mandatory: z.boolean() })),
  fbMinimum: Amount,
  menu: list(object({ meal: untrustedText(), price: Amount })),
  servicePercent: z.number(),
  fbTaxPercent: z.number(),
  avEstimate: Amount,
  concessions: list(object({ kind: z.string(), per: count().optional(), value: Amount.optional(), text: untrustedText().optional() })),
  commissionPercent: z.number().optional(),
  attrition: z
    .object({
      method: z.string(),
      commitPercent: z.number().optional(),
      profitPercent: z.number().optional(),
      creditResold: z.boolean().optional(),
    })
    .optional(),
  cutoffDays: count().optional(),
  cancellation: list(object({ daysBefore: count(), percent: z.number() })),
  deposits: list(
    object({
      onSigning: z.boolean().optional(),
      daysBefore: count().optional(),
      percent: z.number().optional(),
      amount: Amount.optional(),
    }),
  ),
  answers: Answers,
  space: list(object({ function: untrustedText(), room: untrustedText(), areaSqm: z.number().optional() })),
  validUntil: day().optional(),
  note: untrustedText().optional(),
  files: list(z.string()),
})

export const RfpResponseSummary = object({
  id: id().optional(),
  supplier: object({ id: id(), name: untrustedText() }),
  status: z.string(),
  dateOption: count().optional(),
  round: count(1).optional(),
  submittedAt: instant().optional(),
  total: money().optional(),
  gross: money().optional(),
  validUntil: day().nullable().optional(),
  missing: list(z.string()).optional(),
  mustHavesFailed: list(z.string()).optional(),
  content: FullRfpResponse.optional(),
})

export const RFP_RESPONSE_FIELDS_SUMMARY = 'id, supplier {}, status, dateOption, round, total (net), gross, validUntil, missing[] ...'

export const SupplierWithoutResponse = object({ supplier: object({ id: id(), name: untrustedText() }), status: z.string() })
