import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { ColumnProfile } from '../sheets/profile.ts'
import type { ImportSheetKind } from './fields.ts'
import type { ColumnOverride } from './mapping.ts'

interface OwnFile {
  kind: ImportSheetKind
  /** Columns by which a file written by export_event is recognized: no other file has all of them. */
  signature: readonly string[]
  /** The field into which each column of the file is imported. Columns without one are calculated or have no meaning at another event. */
  fields: Readonly<Record<string, string>>
}

const PERSON_PROPERTIES = [
  'firstName',
  'lastName',
  'preferredName',
  'suffix',
  'email',
  'company',
  'jobTitle',
  'department',
  'prefix',
  'pronouns',
  'bio',
  'website',
  'linkedin',
  'workPhone',
  'mobilePhone',
  'address1',
  'address2',
  'city',
  'region',
  'postalCode',
  'country',
  'language',
  'dietary',
  'accessibility',
  'emergencyName',
  'emergencyPhone',
]

const OWN_FILES: readonly OwnFile[] = [
  {
    kind: 'participants',
    signature: ['id', 'orderId', 'confirmationNumber', 'badgeId', 'flowSlug', 'firstName', 'lastName', 'status'],
    fields: {
      id: 'externalId',
      orderId: 'orderRef',
      status: 'statusText',
      tags: 'tagList',
      createdAt: 'createdAt',
      completedAt: 'completedAt',
      ...Object.fromEntries(PERSON_PROPERTIES.map((name) => [name, `@participant.${name}`])),
    },
  },
  {
    kind: 'payments',
    signature: ['id', 'orderId', 'invoiceId', 'method', 'amount', 'amount.currency', 'receiptNumber', 'receivedAt'],
    fields: {
      orderId: 'orderRef',
      amount: 'amountPaid',
      'amount.currency': 'currency',
      method: 'paymentMethod',
      receiptNumber: 'paymentRef',
      receivedAt: 'paidAt',
    },
  },
]

const CUSTOM_PREFIX = 'custom.'

/** Recognizes the files of participants and payments that export_event writes, whose columns can be mapped without questions. */
export function recognizeLanyardExport(
  config: Pick<EventConfig, 'customFields'>,
  columns: readonly Pick<ColumnProfile, 'name' | 'filled'>[],
): { kind: ImportSheetKind; mapping: ColumnOverride[] } | null {
  const own = OWN_FILES.find(({ signature }) => signature.every((column) => columns.some(({ name }) => name === column)))
  if (!own) return null
  const toField = ({ name, filled }: Pick<ColumnProfile, 'name' | 'filled'>): string => {
    const field = own.fields[name]
    if (field !== undefined || !name.startsWith(CUSTOM_PREFIX) || filled === 0) return field ?? 'ignore'
    const code = name.slice(CUSTOM_PREFIX.length)
    return config.customFields.some((one) => one.code === code && !one.retired) ? `@${CUSTOM_PREFIX}${code}` : `new:${code}`
  }
  return { kind: own.kind, mapping: columns.map((column) => ({ column: column.name, field: toField(column) })) }
}
