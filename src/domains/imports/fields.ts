import { type DataField, dataFieldsOf } from '../configuration/data-fields.ts'
import type { ResponseType } from '../configuration/schema/catalog.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { TargetField } from '../sheets/detect.ts'
import { IMPORT_SYNONYMS, MOMENT_SYNONYMS, PERSON_SYNONYMS } from '../sheets/synonyms.ts'
import type { ValueType } from '../sheets/values.ts'

export const SHEET_KINDS = ['participants', 'orderLines', 'payments', 'ignore'] as const
export type SheetKind = (typeof SHEET_KINDS)[number]

const VALUE_TYPES: Record<ResponseType, ValueType | null> = {
  text: 'text',
  longText: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  choice: 'choice',
  multiChoice: 'choice',
  email: 'email',
  phone: 'phone',
  url: 'url',
  country: 'country',
  // A file is no cell.
  file: null,
}

const IMPORT_TYPES: Record<string, ValueType> = {
  fullName: 'twoWords',
  quantity: 'integer',
  amountDue: 'amount',
  amountPaid: 'amount',
  paidAt: 'date',
  createdAt: 'date',
  completedAt: 'date',
}

const PERSON = '@participant.'

function dataTarget({ binding, label, type, choices = [] }: DataField): TargetField[] {
  const property = binding.startsWith(PERSON) ? binding.slice(PERSON.length) : null
  const valueType = VALUE_TYPES[type]
  if (valueType === null) return []
  const called = [label, property ?? binding.slice('@custom.'.length), ...(property ? (PERSON_SYNONYMS[property] ?? '').split(',') : [])]
  return [{ name: binding, called, type: valueType, choices: choices.flatMap(({ code, name }) => [code, name]) }]
}

const importTarget = ([name, words]: [string, string]): TargetField => ({
  name,
  called: [name, ...words.split(',')],
  type: IMPORT_TYPES[name] ?? 'text',
})

const WHOSE = ['externalId', 'orderRef', `${PERSON}email`, `${PERSON}firstName`, `${PERSON}lastName`, 'fullName']
const OF_KIND: Partial<Record<SheetKind, readonly string[]>> = {
  payments: [...WHOSE, 'amountPaid', 'paymentMethod', 'paymentRef', 'paidAt'],
  orderLines: [...WHOSE, 'productName', 'quantity', 'amountDue', 'amountPaid'],
}

/** What columns of such a sheet may hold: all that can be asked of people, and what only imports know. */
export function importFields(config: Pick<EventConfig, 'customFields'>, kind: SheetKind): TargetField[] {
  const all = [
    ...dataFieldsOf(config)
      .filter(({ retired }) => !retired)
      .flatMap(dataTarget),
    ...Object.entries({ ...IMPORT_SYNONYMS, ...MOMENT_SYNONYMS }).map(importTarget),
  ]
  const only = OF_KIND[kind]
  return only ? all.filter(({ name }) => only.includes(name)) : all
}

export const NAME_FIELDS = [`${PERSON}firstName`, `${PERSON}lastName`, 'fullName'] as const
export const EMAIL_FIELD = `${PERSON}email`

/** Fields of which numbers, or days, have to be read. */
export const isAmount = (field: string) => field === 'amountDue' || field === 'amountPaid'
export const isMoment = (field: string) => field === 'paidAt' || field === 'createdAt' || field === 'completedAt'
