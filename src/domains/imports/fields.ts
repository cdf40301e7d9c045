import { type DataField, listParticipantDataFields } from '../configuration/data-fields.ts'
import type { QuestionResponseType } from '../configuration/schema/catalog.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { MappableField } from '../sheets/detect.ts'
import { IMPORT_COLUMN_HEADINGS, REGISTRATION_TIME_HEADINGS, PERSON_COLUMN_HEADINGS } from '../sheets/synonyms.ts'
import type { ValueType } from '../sheets/values.ts'

export const IMPORT_SHEET_KINDS = ['participants', 'orderLines', 'payments', 'ignore'] as const
export type ImportSheetKind = (typeof IMPORT_SHEET_KINDS)[number]

const VALUE_TYPES: Record<QuestionResponseType, ValueType | null> = {
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
  // A spreadsheet cell cannot contain a file, so questions that ask for a file have no import column.
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

const PERSON_PREFIX = '@participant.'

function dataTarget({ binding, label, type, choices = [] }: DataField): MappableField[] {
  const property = binding.startsWith(PERSON_PREFIX) ? binding.slice(PERSON_PREFIX.length) : null
  const valueType = VALUE_TYPES[type]
  if (valueType === null) return []
  const called = [
    label,
    property ?? binding.slice('@custom.'.length),
    ...(property ? (PERSON_COLUMN_HEADINGS[property] ?? '').split(',') : []),
  ]
  return [{ name: binding, called, type: valueType, choices: choices.flatMap(({ code, name }) => [code, name]) }]
}

const importTarget = ([name, words]: [string, string]): MappableField => ({
  name,
  called: [name, ...words.split(',')],
  type: IMPORT_TYPES[name] ?? 'text',
})

const PERSON_KEY_FIELDS = [
  'externalId',
  'orderRef',
  `${PERSON_PREFIX}email`,
  `${PERSON_PREFIX}firstName`,
  `${PERSON_PREFIX}lastName`,
  'fullName',
]
const FIELDS_BY_KIND: Partial<Record<ImportSheetKind, readonly string[]>> = {
  payments: [...PERSON_KEY_FIELDS, 'amountPaid', 'currency', 'paymentMethod', 'paymentRef', 'paidAt'],
  orderLines: [...PERSON_KEY_FIELDS, 'productName', 'quantity', 'amountDue', 'amountPaid', 'currency'],
}

/** Lists the fields that the columns of a sheet of this kind can map to: data fields of the event and import-only fields. */
export function listImportFields(config: Pick<EventConfig, 'customFields'>, kind: ImportSheetKind): MappableField[] {
  const all = [
    ...listParticipantDataFields(config)
      .filter(({ retired }) => !retired)
      .flatMap(dataTarget),
    ...Object.entries({ ...IMPORT_COLUMN_HEADINGS, ...REGISTRATION_TIME_HEADINGS }).map(importTarget),
  ]
  const only = FIELDS_BY_KIND[kind]
  return only ? all.filter(({ name }) => only.includes(name)) : all
}

export const PERSON_NAME_FIELDS = [`${PERSON_PREFIX}firstName`, `${PERSON_PREFIX}lastName`, 'fullName'] as const
export const PERSON_EMAIL_FIELD = `${PERSON_PREFIX}email`

export const isAmountField = (field: string) => field === 'amountDue' || field === 'amountPaid'
export const isDateTimeField = (field: string) => field === 'paidAt' || field === 'createdAt' || field === 'completedAt'
