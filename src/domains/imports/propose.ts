import type { EventConfig } from '../configuration/schema/event-config.ts'
import { toSlug } from '../../kernel/ids.ts'
import { formatCell } from '../sheets/cells.ts'
import { detectColumns, proposeFieldForUnknownColumn } from '../sheets/detect.ts'
import type { ColumnProfile, SheetProfile } from '../sheets/profile.ts'
import { normalizeColumnHeading } from '../sheets/normalize.ts'
import { PERSON_EMAIL_FIELD, listImportFields, isAmountField, isDateTimeField, PERSON_NAME_FIELDS, type ImportSheetKind } from './fields.ts'
import { mapColumns } from './mapping.ts'
import { recognizeLanyardExport } from './own-export.ts'
import { findSheetJoinField, buildSheetReadingPlan } from './sheet-plan.ts'
import { toImportedStatus } from './statuses.ts'

/** All answers the caller has given so far to the questions of an import setup. */
export interface ImportQuestionAnswers {
  kinds: readonly { sheet: string; kind: ImportSheetKind }[]
  mapping: readonly { sheet: string; column: string; field: string }[]
  values: readonly { column: string; from: string; to: string }[]
  formats: {
    dateOrder?: 'DMY' | 'MDY' | undefined
    decimalSeparator?: '.' | ',' | undefined
    timezone?: string | undefined
    currency?: string | undefined
  }
}

export interface ProposedColumn {
  name: string
  samples: string[]
  /** The target of the column: a binding (question of the event), an import-only field, `new:<code>` for a new question, or `ignore`. */
  field: string
  score: number
  confidence: 'sure' | 'check' | 'told'
  unmappedValues: string[]
  decimal: ColumnProfile['decimal']
  dates: ColumnProfile['dates']
  /** The different values of the column; null if there are too many to list. */
  distinct: string[] | null
  proposed?: { responseType: 'choice' | 'text'; choices?: string[] }
}

export interface ProposedSheet {
  /** Index of the file in the list of files of the import setup. */
  file: number
  /** Name of the sheet, unique within the import setup. */
  name: string
  /** The name that the file gives to the sheet. */
  called: string
  kind: ImportSheetKind
  rows: number
  header: number
  columns: ProposedColumn[]
}

export interface ImportSetupQuestion {
  id: 'dateOrder' | 'decimalSeparator' | 'name' | 'key' | 'amount' | 'join' | 'kind' | 'products'
  question: string
  sheet?: string
  columns?: string[]
  options?: string[]
}

export interface SheetJoinStatistics {
  from: string
  to: string
  column: string
  matched: number
  unmatched: number
}

export interface ImportProposal {
  sheets: ProposedSheet[]
  joins: SheetJoinStatistics[]
  questions: ImportSetupQuestion[]
}

export interface SheetWithProfile {
  file: number
  name: string
  called: string
  header: number
  profile: SheetProfile
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** Proposes what each sheet contains and the import field of each column. Answers of the caller take precedence. */
export function proposeSheetMapping(
  config: EventConfig,
  { profile, ...sheet }: SheetWithProfile,
  answered: ImportQuestionAnswers,
): ProposedSheet {
  const overrides = answered.mapping.filter((one) => same(one.sheet, sheet.name))
  const columns = profile.columns
  const exported = recognizeLanyardExport(config, columns)
  const kind =
    answered.kinds.findLast((one) => same(one.sheet, sheet.name))?.kind ??
    exported?.kind ??
    guessSheetKind(config, sheet.name, profile, overrides)
  const known = exported?.kind === kind ? exported.mapping.filter(({ field }) => !overrides.some((one) => one.field === field)) : []
  const mapped = mapColumns(columns, kind === 'ignore' ? [] : listImportFields(config, kind), [...known, ...overrides])
  const codes = new Set<string>()
  return {
    ...sheet,
    kind,
    rows: profile.rows,
    columns: columns.map((column, index) => {
      const { field, score, confidence } = mapped[index]!
      const own = field ?? (kind === 'participants' && column.filled > 0 ? `new:${freeCode(toSlug(column.name), codes)}` : 'ignore')
      return {
        name: column.name,
        samples: [...new Set(column.values.map(formatCell))].slice(0, 3),
        field: own,
        score,
        confidence: confidence ?? 'check',
        unmappedValues: unmappedValues(config, column, own, answered),
        decimal: column.decimal,
        dates: column.dates,
        distinct: column.distinct && [...column.distinct.keys()],
        ...(own.startsWith('new:') ? { proposed: proposeFieldForUnknownColumn(column) } : {}),
      }
    }),
  }
}

function freeCode(code: string, taken: Set<string>): string {
  let free = code
  for (let again = 2; taken.has(free); again++) free = `${code.slice(0, 58)}-${again}`
  taken.add(free)
  return free
}

const PAYMENT_NAME = /pay|zahl|paiement|pago|pagam|betal|transact|transak/i
const LINES_NAME = /order|line|item|bestell|commande|pedido|ordin/i

/**
 * A sheet with names contains people, unless the name of the sheet suggests otherwise. A sheet with amounts but no names contains payments
 * or order lines.
 */
function guessSheetKind(
  config: EventConfig,
  name: string,
  { columns }: SheetProfile,
  overrides: readonly { column: string; field: string }[],
): ImportSheetKind {
  const fields = new Set(mapColumns(columns, listImportFields(config, 'participants'), overrides).map(({ field }) => field))
  const hasAny = (names: readonly string[]) => names.some((one) => fields.has(one))
  const people = hasAny(PERSON_NAME_FIELDS)
  const payment = () => {
    const found = new Set(detectColumns(columns, listImportFields(config, 'payments')).map(({ field }) => field))
    return found.has('amountPaid') && ['paymentRef', 'paidAt', 'paymentMethod'].some((one) => found.has(one))
  }
  if ((!people || PAYMENT_NAME.test(name)) && payment()) return 'payments'
  if ((!people || LINES_NAME.test(name)) && fields.has('productName') && hasAny(['quantity', 'amountDue', 'amountPaid', 'orderRef']))
    return 'orderLines'
  return people || hasAny([PERSON_EMAIL_FIELD, 'externalId']) ? 'participants' : 'ignore'
}

function unmappedValues(
  config: EventConfig,
  { name, distinct }: ColumnProfile,
  field: string,
  { values }: ImportQuestionAnswers,
): string[] {
  const answered = (value: string) =>
    values.some(({ column, from }) => same(column, name) && normalizeColumnHeading(from) === normalizeColumnHeading(value))
  const all = [...(distinct?.keys() ?? [])].filter((value) => !answered(value))
  if (field === 'statusText') return all.filter((value) => toImportedStatus(value) === null).slice(0, 20)
  const custom = config.customFields.find(({ code }) => `@custom.${code}` === field)
  if (custom?.responseType !== 'choice') return []
  const known = new Set(custom.choices.flatMap(({ code, name: called }) => [normalizeColumnHeading(code), normalizeColumnHeading(called)]))
  return all.filter((value) => !known.has(normalizeColumnHeading(value))).slice(0, 20)
}

/**
 * Lists what the caller must still decide because the files do not show it, such as the date order. Each question covers all columns
 * concerned.
 */
export function listSetupQuestions(sheets: readonly ProposedSheet[], { formats }: ImportQuestionAnswers): ImportSetupQuestion[] {
  const used = sheets.filter(({ kind }) => kind !== 'ignore')
  const open = (is: (column: ProposedColumn) => boolean) =>
    used.flatMap((sheet) =>
      sheet.columns
        .filter(({ field }) => field !== 'ignore')
        .filter(is)
        .map(({ name }) => `${sheet.name}: ${name}`),
    )
  const days = formats.dateOrder === undefined ? open(({ field, dates }) => isDateTimeField(field) && dates === 'either') : []
  const amounts = formats.decimalSeparator === undefined ? open(({ field, decimal }) => isAmountField(field) && decimal === 'either') : []
  const people = used.find(({ kind }) => kind === 'participants')
  return [
    ...(people
      ? []
      : [
          { id: 'kind' as const, question: 'Which sheet contains the people? Answer with kinds.', options: sheets.map(({ name }) => name) },
        ]),
    ...(days.length > 0
      ? [
          {
            id: 'dateOrder' as const,
            question: 'Does the day or the month come first? Answer with formats.dateOrder.',
            columns: days,
            options: ['DMY', 'MDY'],
          },
        ]
      : []),
    ...(amounts.length > 0
      ? [
          {
            id: 'decimalSeparator' as const,
            question: 'What is the decimal separator of amounts? Answer with formats.decimalSeparator.',
            columns: amounts,
            options: ['.', ','],
          },
        ]
      : []),
    ...used.flatMap((sheet) => listSheetQuestions(sheet, people)),
  ]
}

function listSheetQuestions(sheet: ProposedSheet, people: ProposedSheet | undefined): ImportSetupQuestion[] {
  const has = (field: string) => sheet.columns.some((column) => column.field === field)
  const options = sheet.columns.map(({ name }) => name)
  const ask = (id: ImportSetupQuestion['id'], question: string): ImportSetupQuestion => ({ id, question, sheet: sheet.name, options })
  const products = sheet.columns.find(({ field }) => field === 'productName')
  const many =
    products && products.distinct === null
      ? [
          ask(
            'products',
            `${products.name} contains more than 100 different products. Map the product codes of another column, or ignore this column.`,
          ),
        ]
      : []
  if (sheet.kind === 'participants') {
    const named = has('fullName') || (has('@participant.firstName') && has('@participant.lastName'))
    return [
      ...(named ? [] : [ask('name', 'Which columns contain the names? Answer with mapping.')]),
      ...(has(PERSON_EMAIL_FIELD) || has('externalId')
        ? []
        : [ask('key', 'Which column contains the email address, or a unique number for each person? Answer with mapping.')]),
      ...many,
    ]
  }
  const joined = people !== undefined && findSheetJoinField(buildSheetReadingPlan(people, {}), buildSheetReadingPlan(sheet, {})) !== null
  return [
    ...(sheet.kind === 'payments' && !has('amountPaid')
      ? [ask('amount', 'Which column contains the paid amount? Answer with mapping.')]
      : []),
    ...(sheet.kind === 'orderLines' && !has('productName')
      ? [ask('amount', 'Which column contains the product? Answer with mapping.')]
      : []),
    ...(joined || people === undefined
      ? []
      : [ask('join', 'Which column identifies the people of this sheet in the people sheet? Answer with mapping.')]),
    ...many,
  ]
}
