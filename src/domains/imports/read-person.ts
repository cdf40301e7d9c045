import { createHash } from 'node:crypto'
import { toAnswerCodes } from '../configuration/flow/answer-codes.ts'
import { findAnswerErrorMessage, findQuestionRules, toE164PhoneNumber } from '../configuration/flow/answer-rules.ts'
import type { CustomField } from '../configuration/schema/event-config.ts'
import type { SheetCell, SheetRow } from '../sheets/cells.ts'
import { formatCell } from '../sheets/cells.ts'
import { parseDate } from '../sheets/dates.ts'
import { parseBoolean, readNumberCell, type SheetColumnFormat } from '../sheets/values.ts'
import { normalizeColumnHeading } from '../sheets/normalize.ts'
import { PERSON_EMAIL_FIELD } from './fields.ts'
import { readAmountCell, createRowErrorCollector, hashRowContent, readDateTimeCell, type ImportReadingContext } from './reading.ts'
import type { ImportErrorRow } from './runs.ts'
import { IMPORTED_FEE_CODE, findConfigItem, splitTags, replaceImportedValue } from './setup-parts.ts'
import { readCell, readPersonName, type SheetReadingPlan, readCellText } from './sheet-plan.ts'
import { IMPORTED_REGISTRATION_STATUSES, type ImportedStatus, toImportedStatus } from './statuses.ts'
import { foldEmailCase, toEmailAddress } from '../../kernel/email-address.ts'

/** A product that a person purchased, with the total that the imported file gives. */
export interface ImportedPurchase {
  productCode: string
  quantity: number
  total: number
}

export interface ParsedPerson {
  row: number
  /** Unique key of the person in the source system. */
  key: string
  answers: Record<string, unknown>
  status: ImportedStatus
  tags: string[]
  createdAt: Date | null
  completedAt: Date | null
  line: ImportedPurchase | null
  /** Amount paid according to the row of the person. */
  paid: number | null
  orderRef: string | null
  hash: Buffer
}

export type RowParseResult<T> = { ok: true; value: T } | { ok: false; errors: ImportErrorRow[] }

/** Reads a row of the people sheet. Returns all its errors if it is invalid. */
export function readPersonRow(plan: SheetReadingPlan, row: SheetRow, rules: ImportReadingContext): RowParseResult<ParsedPerson> {
  const { errors, refuse } = createRowErrorCollector(plan, row)
  const answers = readAnswers(plan, row, rules, refuse)
  const { firstName, lastName, prefix, suffix } = readPersonName(plan, row)
  if (lastName === '' && firstName === '')
    refuse(plan.at.has('fullName') ? 'fullName' : '@participant.lastName', 'name', 'The name is missing.')
  Object.assign(answers, named({ firstName: firstName || '-', lastName: lastName || '-', prefix, suffix }))
  const externalId = readCellText(plan, row, 'externalId')
  const email = typeof answers[PERSON_EMAIL_FIELD] === 'string' ? answers[PERSON_EMAIL_FIELD] : ''
  if (externalId === '' && email === '' && errors.length === 0)
    refuse(
      plan.at.has(PERSON_EMAIL_FIELD) ? PERSON_EMAIL_FIELD : 'externalId',
      'key',
      'Both the email address and the external number are missing.',
    )
  const status = readStatus(plan, row, rules, refuse)
  const tags = readTags(plan, row, rules, refuse)
  const createdAt = readDateTimeCell(plan, row, 'createdAt', rules, refuse)
  const completedAt = readDateTimeCell(plan, row, 'completedAt', rules, refuse)
  const [due, paid] = [readAmountCell(plan, row, 'amountDue', rules, refuse), readAmountCell(plan, row, 'amountPaid', rules, refuse)]
  const line = readPurchaseOfRow(plan, row, rules, refuse, due ?? paid)
  if (errors.length > 0) return { ok: false, errors }
  const orderRef = readCellText(plan, row, 'orderRef') || null
  const content = {
    answers,
    status,
    tags,
    createdAt: createdAt?.getTime() ?? null,
    completedAt: completedAt?.getTime() ?? null,
    line,
    orderRef,
  }
  return {
    ok: true,
    value: {
      row: row.number,
      key: toPersonSourceKey({ externalId, email, firstName, lastName }),
      answers,
      status: status!,
      tags: tags!,
      createdAt,
      completedAt,
      line,
      paid,
      orderRef,
      hash: hashRowContent(content),
    },
  }
}

const named = (parts: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) =>
      value === '' ? [] : [[`@participant.${name}`, value.slice(0, name.endsWith('fix') ? 40 : 100)]],
    ),
  )

/** Returns the key that identifies a person in the source system. Prefers the external id, because names and emails change. */
export function toPersonSourceKey({
  externalId,
  email,
  firstName,
  lastName,
}: {
  externalId: string
  email: string
  firstName: string
  lastName: string
}): string {
  if (externalId !== '') return `id:${externalId.toLowerCase()}`
  const who = `${foldEmailCase(email)}|${normalizeColumnHeading(`${firstName} ${lastName}`)}`
  return `who:${createHash('sha256').update(who).digest('base64url').slice(0, 32)}`
}

type Refuse = ReturnType<typeof createRowErrorCollector>['refuse']

const NAME_BINDINGS = new Set(['firstName', 'lastName', 'prefix', 'suffix'].map((name) => `@participant.${name}`))

function readAnswers(plan: SheetReadingPlan, row: SheetRow, rules: ImportReadingContext, refuse: Refuse): Record<string, unknown> {
  const answers: Record<string, unknown> = {}
  for (const [field, { name, written }] of plan.at) {
    if (!field.startsWith('@') || NAME_BINDINGS.has(field)) continue
    const cell = readCell(plan, row, field)
    const rule = findQuestionRules(rules.config, field)
    if (cell === null || rule === null) continue
    const custom = rules.config.customFields.find(({ code }) => `@custom.${code}` === field) ?? null
    const country = rules.config.details.venue?.country ?? null
    const context = { custom, written, replaced: (text: string) => replaceImportedValue(rules.values, name, text), country }
    const value = toAnswerCodes(rules.config, field, rule, toAnswer(rule.type, cell, context))
    // Invalid phone numbers are kept as typed.
    const wrong = rule.type === 'phone' ? null : findAnswerErrorMessage(rule, null, value, { country })
    if (wrong === null) answers[field] = value
    else refuse(field, rule.type === 'multiChoice' ? 'choice' : rule.type === 'longText' ? 'text' : rule.type, wrong)
  }
  return answers
}

interface CellContext {
  custom: CustomField | null
  written: SheetColumnFormat
  replaced: (text: string) => string
  country: string | null
}

/** Converts a cell to the type of the field. A cell that cannot be converted stays text, which the validation of the answer rejects. */
function toAnswer(type: string, cell: SheetCell, { custom, written, replaced, country }: CellContext): unknown {
  const text = formatCell(cell)
  const choice = (value: string) => findConfigItem(custom?.choices ?? [], replaced(value))?.code ?? value
  switch (type) {
    case 'number': {
      const number = readNumberCell(cell, written)
      return number === null ? text : Number(number)
    }
    case 'boolean':
      return parseBoolean(cell) ?? text
    case 'date':
      return parseDate(cell, written.dates)?.day ?? text
    case 'choice':
      return choice(text)
    case 'multiChoice':
      return text.split(/\s*[;|,]\s*/).map(choice)
    case 'phone':
      return toE164PhoneNumber(text, country) ?? text.slice(0, 40)
    case 'email':
      return toEmailAddress(replaced(text)) ?? text
    case 'url':
      return /^https?:\/\//i.test(text) ? text : `https://${text}`
    default:
      return replaced(text)
  }
}

function readStatus(plan: SheetReadingPlan, row: SheetRow, { values }: ImportReadingContext, refuse: Refuse): ImportedStatus | null {
  const column = plan.at.get('statusText')
  const text = readCellText(plan, row, 'statusText')
  if (!column || text === '') return 'complete'
  const replaced = replaceImportedValue(values, column.name, text)
  const status = IMPORTED_REGISTRATION_STATUSES.find((one) => one === replaced.trim().toLowerCase()) ?? toImportedStatus(replaced)
  return status ?? refuse('statusText', 'status', `Unknown status. Use one of ${IMPORTED_REGISTRATION_STATUSES.join(', ')}.`)
}

function readTags(plan: SheetReadingPlan, row: SheetRow, { config, values }: ImportReadingContext, refuse: Refuse): string[] | null {
  const column = plan.at.get('tagList')
  const text = readCellText(plan, row, 'tagList')
  if (!column || text === '') return []
  const found = splitTags(replaceImportedValue(values, column.name, text)).map(
    (tag) => findConfigItem(config.tags, replaceImportedValue(values, column.name, tag))?.code,
  )
  return found.every((code) => code !== undefined) ? [...new Set(found)].toSorted() : refuse('tagList', 'tag', 'The event has no such tag.')
}

const MAX_QUANTITY = 1000

/** Reads the purchase in a row. An amount without a product becomes the product "imported fee". */
export function readPurchaseOfRow(
  plan: SheetReadingPlan,
  row: SheetRow,
  { config, values }: ImportReadingContext,
  refuse: Refuse,
  total: number | null,
): ImportedPurchase | null {
  const column = plan.at.get('productName')
  const name = readCellText(plan, row, 'productName')
  if (!column || name === '') return total === null || total === 0 ? null : { productCode: IMPORTED_FEE_CODE, quantity: 1, total }
  const product = findConfigItem(config.products, replaceImportedValue(values, column.name, name))
  if (!product) return refuse('productName', 'product', 'The event has no such product.')
  const quantity = Number(readCellText(plan, row, 'quantity') || '1')
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY)
    return refuse('quantity', 'quantity', `The quantity must be from 1 to ${MAX_QUANTITY}.`)
  return { productCode: product.code, quantity, total: total ?? 0 }
}
