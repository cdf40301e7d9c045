import type { Permissions } from '../../../kernel/permissions.ts'
import { ACCESS_CLASS_PERMISSIONS } from '../../figures/dictionary/classes.ts'
import type { QueryEntity, QueryEntityField } from '../../figures/dictionary/types.ts'
import type { PersonalDataLevel } from './options.ts'

/** A field of an export, and whether its values are replaced by pseudonyms. */
export interface ExportedField {
  path: string
  field: QueryEntityField
  isPseudonym: boolean
}

/** Whether a field identifies people in other systems, such as ids and numbers of documents and badges. */
const isIdentifier = (path: string, { type }: QueryEntityField) =>
  type === 'id' || (type !== 'integer' && /(^|\.)(number|[a-z][A-Za-z]*(Number|Id))$/.test(path))

/** The access classes of the fields that an export contains, by the requested level of personal data. */
const CLASSES: Readonly<Record<PersonalDataLevel, ReadonlySet<string>>> = {
  none: new Set(['open']),
  identity: new Set(['open', 'identity']),
  full: new Set(['open', 'identity', 'personal', 'sensitive']),
}

/**
 * Lists the fields of an entity that an export contains. Without personal data, free text is left out, because people may write names into
 * it, and identifiers are replaced by pseudonyms.
 */
export function listExportedFields(entity: QueryEntity, personalData: PersonalDataLevel, permissions: Permissions): ExportedField[] {
  return Object.entries(entity.fields).flatMap(([path, field]): ExportedField[] => {
    const fieldClass = field.class ?? 'open'
    if (personalData === 'none') {
      if (isIdentifier(path, field) && (fieldClass === 'open' || fieldClass === 'identity')) return [{ path, field, isPseudonym: true }]
      return fieldClass === 'open' && field.type !== 'text' ? [{ path, field, isPseudonym: false }] : []
    }
    const needed = ACCESS_CLASS_PERMISSIONS[fieldClass].file
    const isAllowed = CLASSES[personalData].has(fieldClass) && (needed === null || permissions.has(needed))
    return isAllowed ? [{ path, field, isPseudonym: false }] : []
  })
}
