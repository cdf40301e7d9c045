import type { EventConfig } from '../configuration/schema/event-config.ts'
import { slugOf } from '../../kernel/ids.ts'
import { shownCell } from '../sheets/cells.ts'
import { detectColumns, proposedField } from '../sheets/detect.ts'
import type { ColumnProfile, SheetProfile } from '../sheets/profile.ts'
import { foldedWords } from '../sheets/words.ts'
import { EMAIL_FIELD, importFields, isAmount, isMoment, NAME_FIELDS, type SheetKind } from './fields.ts'
import { mapColumns } from './mapping.ts'
import { joinOf, planOf } from './sheet-plan.ts'
import { statusOf } from './statuses.ts'

/** Everything that was said about a setup, one call after the other. */
export interface Answered {
  kinds: readonly { sheet: string; kind: SheetKind }[]
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
  /** A binding, a field of imports, `new:<code>` or `ignore`. */
  field: string
  score: number
  confidence: 'sure' | 'check' | 'told'
  unmappedValues: string[]
  decimal: ColumnProfile['decimal']
  dates: ColumnProfile['dates']
  /** The different values, where they are few. */
  distinct: string[] | null
  proposed?: { responseType: 'choice' | 'text'; choices?: string[] }
}

export interface ProposedSheet {
  /** Which of the files. */
  file: number
  /** Unlike that of any other sheet. */
  name: string
  /** As the file has it. */
  called: string
  kind: SheetKind
  rows: number
  header: number
  columns: ProposedColumn[]
}

export interface Question {
  id: 'dateOrder' | 'decimalSeparator' | 'name' | 'key' | 'amount' | 'join' | 'kind' | 'products'
  question: string
  sheet?: string
  columns?: string[]
  options?: string[]
}

export interface Join {
  from: string
  to: string
  column: string
  matched: number
  unmatched: number
}

export interface Proposal {
  sheets: ProposedSheet[]
  joins: Join[]
  questions: Question[]
}

export interface ReadSheet {
  file: number
  name: string
  called: string
  header: number
  profile: SheetProfile
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** What each sheet and column is most likely, with what was answered taken for true. */
export function proposeSheet(config: EventConfig, { profile, ...sheet }: ReadSheet, answered: Answered): ProposedSheet {
  const told = answered.mapping.filter((one) => same(one.sheet, sheet.name))
  const kind = answered.kinds.findLast((one) => same(one.sheet, sheet.name))?.kind ?? likelyKind(config, sheet.name, profile, told)
  const columns = profile.columns
  const mapped = mapColumns(columns, kind === 'ignore' ? [] : importFields(config, kind), told)
  const codes = new Set<string>()
  return {
    ...sheet,
    kind,
    rows: profile.rows,
    columns: columns.map((column, index) => {
      const { field, score, confidence } = mapped[index]!
      const own = field ?? (kind === 'participants' && column.filled > 0 ? `new:${freeCode(slugOf(column.name), codes)}` : 'ignore')
      return {
        name: column.name,
        samples: [...new Set(column.values.map(shownCell))].slice(0, 3),
        field: own,
        score,
        confidence: confidence ?? 'check',
        unmappedValues: unmappedValues(config, column, own, answered),
        decimal: column.decimal,
        dates: column.dates,
        distinct: column.distinct && [...column.distinct.keys()],
        ...(own.startsWith('new:') ? { proposed: proposedField(column) } : {}),
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

/** A sheet with names is of people, unless its own name says otherwise; one with money and without names is of payments or of what was bought. */
function likelyKind(
  config: EventConfig,
  name: string,
  { columns }: SheetProfile,
  told: readonly { column: string; field: string }[],
): SheetKind {
  const fields = new Set(mapColumns(columns, importFields(config, 'participants'), told).map(({ field }) => field))
  const hasAny = (names: readonly string[]) => names.some((one) => fields.has(one))
  const people = hasAny(NAME_FIELDS)
  const payment = () => {
    const found = new Set(detectColumns(columns, importFields(config, 'payments')).map(({ field }) => field))
    return found.has('amountPaid') && ['paymentRef', 'paidAt', 'paymentMethod'].some((one) => found.has(one))
  }
  if ((!people || PAYMENT_NAME.test(name)) && payment()) return 'payments'
  if ((!people || LINES_NAME.test(name)) && fields.has('productName') && hasAny(['quantity', 'amountDue', 'amountPaid', 'orderRef']))
    return 'orderLines'
  return people || hasAny([EMAIL_FIELD, 'externalId']) ? 'participants' : 'ignore'
}

function unmappedValues(config: EventConfig, { name, distinct }: ColumnProfile, field: string, { values }: Answered): string[] {
  const answered = (value: string) => values.some(({ column, from }) => same(column, name) && foldedWords(from) === foldedWords(value))
  const all = [...(distinct?.keys() ?? [])].filter((value) => !answered(value))
  if (field === 'statusText') return all.filter((value) => statusOf(value) === null).slice(0, 20)
  const custom = config.customFields.find(({ code }) => `@custom.${code}` === field)
  if (custom?.responseType !== 'choice') return []
  const known = new Set(custom.choices.flatMap(({ code, name: called }) => [foldedWords(code), foldedWords(called)]))
  return all.filter((value) => !known.has(foldedWords(value))).slice(0, 20)
}

/** What nobody can know from the files. Each is asked once, however many columns it is about. */
export function questionsOf(sheets: readonly ProposedSheet[], { formats }: Answered): Question[] {
  const used = sheets.filter(({ kind }) => kind !== 'ignore')
  const open = (is: (column: ProposedColumn) => boolean) =>
    used.flatMap((sheet) =>
      sheet.columns
        .filter(({ field }) => field !== 'ignore')
        .filter(is)
        .map(({ name }) => `${sheet.name}: ${name}`),
    )
  const days = formats.dateOrder === undefined ? open(({ field, dates }) => isMoment(field) && dates === 'either') : []
  const amounts = formats.decimalSeparator === undefined ? open(({ field, decimal }) => isAmount(field) && decimal === 'either') : []
  const people = used.find(({ kind }) => kind === 'participants')
  return [
    ...(people
      ? []
      : [{ id: 'kind' as const, question: 'Which sheet holds the people? Answer with kinds.', options: sheets.map(({ name }) => name) }]),
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
            question: 'What stands before the decimals of amounts? Answer with formats.decimalSeparator.',
            columns: amounts,
            options: ['.', ','],
          },
        ]
      : []),
    ...used.flatMap((sheet) => questionsOfSheet(sheet, people)),
  ]
}

function questionsOfSheet(sheet: ProposedSheet, people: ProposedSheet | undefined): Question[] {
  const has = (field: string) => sheet.columns.some((column) => column.field === field)
  const options = sheet.columns.map(({ name }) => name)
  const ask = (id: Question['id'], question: string): Question => ({ id, question, sheet: sheet.name, options })
  const products = sheet.columns.find(({ field }) => field === 'productName')
  const many =
    products && products.distinct === null
      ? [
          ask(
            'products',
            `${products.name} holds more than 100 different products; give its codes with mapping to another column, or ignore it.`,
          ),
        ]
      : []
  if (sheet.kind === 'participants') {
    const named = has('fullName') || (has('@participant.firstName') && has('@participant.lastName'))
    return [
      ...(named ? [] : [ask('name', 'Which columns hold the names? Answer with mapping.')]),
      ...(has(EMAIL_FIELD) || has('externalId')
        ? []
        : [ask('key', 'Which column holds the email address, or a number of its own for each person? Answer with mapping.')]),
      ...many,
    ]
  }
  const joined = people !== undefined && joinOf(planOf(people, {}), planOf(sheet, {})) !== null
  return [
    ...(sheet.kind === 'payments' && !has('amountPaid')
      ? [ask('amount', 'Which column holds the amount that was paid? Answer with mapping.')]
      : []),
    ...(sheet.kind === 'orderLines' && !has('productName') ? [ask('amount', 'Which column holds the product? Answer with mapping.')] : []),
    ...(joined || people === undefined
      ? []
      : [ask('join', 'By which column are the people of this sheet found in the sheet of people? Answer with mapping.')]),
    ...many,
  ]
}
