import type { Permissions } from '../../kernel/permissions.ts'
import { listWithheldFields } from './participant-shape.ts'

/** Shown instead of personal data to callers without the permission `personal.read`. */
export const PERSONAL_DATA_MASK = '***'

/**
 * Whether a value in the audit log must be hidden from callers with these permissions: all answers and personal fields of participants,
 * and all billing addresses.
 */
export function isHiddenAuditValue(permissions: Permissions, kind: string, field: string): boolean {
  if (permissions.has('personal.read')) return false
  if (field === 'billTo') return true
  if (kind !== 'participant') return false
  const name = field.replace(/^@participant\./, '')
  return listWithheldFields(permissions).includes(name) || name.startsWith('@')
}
