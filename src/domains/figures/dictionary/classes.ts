import type { Permission } from '../../../kernel/permissions.ts'
import { type QueryEntityField, FIELD_ACCESS_CLASSES, type FieldAccessClass, type FieldType } from './types.ts'

/** The permission that fields of each access class need, in addition to reports.read and the read permission of their entity. */
export const ACCESS_CLASS_PERMISSIONS: Readonly<Record<FieldAccessClass, { result: Permission | null; file: Permission | null }>> = {
  open: { result: null, file: null },
  identity: { result: 'registration.read', file: 'registration.read' },
  personal: { result: 'personal.read', file: 'personal.export' },
  sensitive: { result: 'personal.read', file: 'personal.export' },
}

/** Returns the access class of a computed value: the strictest class of the columns that it is computed from. */
export const findStrictestAccessClass = (columns: readonly { class: FieldAccessClass }[]): FieldAccessClass =>
  FIELD_ACCESS_CLASSES.findLast((one) => columns.some((column) => column.class === one)) ?? 'open'

const CATEGORY_TYPES: readonly FieldType[] = ['enum', 'boolean', 'country', 'list']

/** Whether a field has few possible values. Without personal.read, people are counted only by such fields, and small groups are merged. */
export const isCategoricalField = ({ type, choices }: QueryEntityField): boolean => CATEGORY_TYPES.includes(type) || choices !== undefined
