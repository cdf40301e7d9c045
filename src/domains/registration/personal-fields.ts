import type { Permissions } from '../../kernel/permissions.ts'
import { withheldFrom } from './participant-shape.ts'

/** Instead of what only readers of personal data may see. */
export const HIDDEN = '***'

/** Whether a value in the audit log is kept from callers with these permissions: of people, what their record keeps from them, and every answer; of who is billed, all of it. */
export function isPersonal(permissions: Permissions, kind: string, field: string): boolean {
  if (permissions.has('personal.read')) return false
  if (field === 'billTo') return true
  if (kind !== 'participant') return false
  const name = field.replace(/^@participant\./, '')
  return withheldFrom(permissions).includes(name) || name.startsWith('@')
}
