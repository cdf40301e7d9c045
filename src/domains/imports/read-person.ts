import { createHash } from 'node:crypto'
import { checkAnswer, rulesOf, toE164 } from '../configuration/flow/values.ts'
import type { CustomField } from '../configuration/schema/event-config.ts'
import type { Cell, SheetRow } from '../sheets/cells.ts'
import { shownCell } from '../sheets/cells.ts'
import { dateOf } from '../sheets/dates.ts'
import { booleanOf, countryOf, numberIn, type Written } from '../sheets/values.ts'
import { foldedWords } from '../sheets/words.ts'
import { EMAIL_FIELD } from './fields.ts'
import { amountAt, errorsOf, hashOf, momentAt, type ReadingRules } from './reading.ts'
import type { ErrorRow } from './runs.ts'
import { IMPORTED_FEE, itemNamed, tagsIn, toldValue } from './setup-parts.ts'
import { cellAt, nameAt, type SheetPlan, textAt } from './sheet-plan.ts'
import { IMPORTED_STATUSES, type ImportedStatus, statusOf } from './statuses.ts'

/** Something that was bought, at the amount of the file. */
export interface ReadLine {
  productCode: string
  quantity: number
  total: number
}

export interface ReadPerson {
  row: number
  /** What the row is known by in the other system. */
  key: string
  /** By binding. */
  answers: Record<string, unknown>
  status: ImportedStatus
  tags: string[]
  createdAt: Date | null
  completedAt: Date | null
  line: ReadLine | null
  /** Paid in the same row. */
  paid: number | null
  orderRef: string | null
  hash: Buffer
}

export type ReadRow<T> = { ok: true; value: T } | { ok: false; errors: ErrorRow[] }

/** A row of the sheet of people, or all that is wrong with it. */
export function readPerson(plan: SheetPlan, row: SheetRow, rules: ReadingRules): ReadRow<ReadPerson> {
  const { errors, refuse } = errorsOf(plan, row)
  const answers = readAnswers(plan, row, rules, refuse)
  const { firstName, lastName, prefix, suffix } = nameAt(plan, row)
  if (lastName === '' && firstName === '')
    refuse(plan.at.has('fullName') ? 'fullName' : '@participant.lastName', 'name', 'There is no name.')
  Object.assign(answers, named({ firstName: firstName || '-', lastName: lastName || '-', prefix, suffix }))
  const externalId = textAt(plan, row, 'externalId')
  const email = typeof answers[EMAIL_FIELD] === 'string' ? answers[EMAIL_FIELD] : ''
  if (externalId === '' && email === '' && errors.length === 0)
    refuse(plan.at.has(EMAIL_FIELD) ? EMAIL_FIELD : 'externalId', 'key', 'There is neither an address nor a number of its own.')
  const status = statusAt(plan, row, rules, refuse)
  const tags = tagsAt(plan, row, rules, refuse)
  const createdAt = momentAt(plan, row, 'createdAt', rules, refuse)
  const completedAt = momentAt(plan, row, 'completedAt', rules, refuse)
  const [due, paid] = [amountAt(plan, row, 'amountDue', rules, refuse), amountAt(plan, row, 'amountPaid', rules, refuse)]
  const line = lineAt(plan, row, rules, refuse, due ?? paid)
  if (errors.length > 0) return { ok: false, errors }
  const orderRef = textAt(plan, row, 'orderRef') || null
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
      key: keyOf({ externalId, email, firstName, lastName }),
      answers,
      status: status!,
      tags: tags!,
      createdAt,
      completedAt,
      line,
      paid,
      orderRef,
      hash: hashOf(content),
    },
  }
}

const named = (parts: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([name, value]) =>
      value === '' ? [] : [[`@participant.${name}`, value.slice(0, name.endsWith('fix') ? 40 : 100)]],
    ),
  )

/** The other system's own number goes before who somebody is: people change their names and addresses. */
export function keyOf({
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
  const who = `${email.toLowerCase()}|${foldedWords(`${firstName} ${lastName}`)}`
  return `who:${createHash('sha256').update(who).digest('base64url').slice(0, 32)}`
}

type Refuse = ReturnType<typeof errorsOf>['refuse']

const NAMES = new Set(['firstName', 'lastName', 'prefix', 'suffix'].map((name) => `@participant.${name}`))

function readAnswers(plan: SheetPlan, row: SheetRow, rules: ReadingRules, refuse: Refuse): Record<string, unknown> {
  const answers: Record<string, unknown> = {}
  for (const [field, { name, written }] of plan.at) {
    if (!field.startsWith('@') || NAMES.has(field)) continue
    const cell = cellAt(plan, row, field)
    const rule = rulesOf(rules.config, field)
    if (cell === null || rule === null) continue
    const custom = rules.config.customFields.find(({ code }) => `@custom.${code}` === field) ?? null
    const country = rules.config.details.venue?.country ?? null
    const value = valueOf(rule.type, cell, { custom, written, told: (text) => toldValue(rules.values, name, text), country })
    // A number that no network has is still what somebody gave; it is kept as it was typed.
    const wrong = rule.type === 'phone' ? null : checkAnswer(rule, null, value, { country })
    if (wrong === null) answers[field] = value
    else refuse(field, rule.type === 'multiChoice' ? 'choice' : rule.type === 'longText' ? 'text' : rule.type, wrong)
  }
  return answers
}

interface Reading {
  custom: CustomField | null
  written: Written
  told: (text: string) => string
  country: string | null
}

/** As it is kept; what cannot be read is left as it is, for the check to refuse. */
function valueOf(type: string, cell: Cell, { custom, written, told, country }: Reading): unknown {
  const text = shownCell(cell)
  const choice = (value: string) => itemNamed(custom?.choices ?? [], told(value))?.code ?? value
  switch (type) {
    case 'number': {
      const number = numberIn(cell, written)
      return number === null ? text : Number(number)
    }
    case 'boolean':
      return booleanOf(cell) ?? text
    case 'date':
      return dateOf(cell, written.dates)?.day ?? text
    case 'choice':
      return choice(text)
    case 'multiChoice':
      return text.split(/\s*[;|,]\s*/).map(choice)
    case 'country':
      return countryOf(told(text)) ?? text
    case 'phone':
      return toE164(text, country) ?? text.slice(0, 40)
    case 'url':
      return /^https?:\/\//i.test(text) ? text : `https://${text}`
    default:
      return told(text)
  }
}

function statusAt(plan: SheetPlan, row: SheetRow, { values }: ReadingRules, refuse: Refuse): ImportedStatus | null {
  const column = plan.at.get('statusText')
  const text = textAt(plan, row, 'statusText')
  if (!column || text === '') return 'complete'
  const told = toldValue(values, column.name, text)
  const status = IMPORTED_STATUSES.find((one) => one === told.trim().toLowerCase()) ?? statusOf(told)
  return status ?? refuse('statusText', 'status', `This is no status that is known: ${IMPORTED_STATUSES.join(', ')}.`)
}

function tagsAt(plan: SheetPlan, row: SheetRow, { config, values }: ReadingRules, refuse: Refuse): string[] | null {
  const column = plan.at.get('tagList')
  const text = textAt(plan, row, 'tagList')
  if (!column || text === '') return []
  const found = tagsIn(toldValue(values, column.name, text)).map((tag) => itemNamed(config.tags, toldValue(values, column.name, tag))?.code)
  return found.every((code) => code !== undefined)
    ? [...new Set(found)].toSorted()
    : refuse('tagList', 'tag', 'There is no such tag at the event.')
}

const MAX_QUANTITY = 1000

/** What was bought in a row; an amount without a product is a fee of its own. */
export function lineAt(
  plan: SheetPlan,
  row: SheetRow,
  { config, values }: ReadingRules,
  refuse: Refuse,
  total: number | null,
): ReadLine | null {
  const column = plan.at.get('productName')
  const name = textAt(plan, row, 'productName')
  if (!column || name === '') return total === null || total === 0 ? null : { productCode: IMPORTED_FEE, quantity: 1, total }
  const product = itemNamed(config.products, toldValue(values, column.name, name))
  if (!product) return refuse('productName', 'product', 'There is no such product at the event.')
  const quantity = Number(textAt(plan, row, 'quantity') || '1')
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY)
    return refuse('quantity', 'quantity', `A quantity is from 1 to ${MAX_QUANTITY}.`)
  return { productCode: product.code, quantity, total: total ?? 0 }
}
