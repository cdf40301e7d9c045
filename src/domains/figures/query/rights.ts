import { AppError } from '../../../kernel/errors.ts'
import type { Permissions } from '../../../kernel/permissions.ts'
import type { AggregateFunction } from './names.ts'
import type { RequiredAccess, Plan } from './plan.ts'

/** The caller whose permissions a query runs with. */
export interface Reader {
  permissions: Permissions
  /** Name of the tool, for error messages about missing permissions. */
  tool: string
}

const forbid = (tool: string, { path, permission, use }: RequiredAccess) =>
  new AppError('forbidden', `Forbidden — ${tool} requires the ${permission} permission`, {
    fields: [{ path: use === 'entity' ? 'entity' : path, message: `needs ${permission}` }],
  })

/** Throws if a query uses an entity or a field without permission. */
export function requireRights({ needs }: Plan, { permissions, tool }: Reader): void {
  const missing = needs.find(({ permission }) => !permissions.has(permission))
  if (missing) throw forbid(tool, missing)
}

/**
 * Throws if a group query lacks a permission, and returns whether small groups must be merged: without personal.read, one category of a
 * person may be a group key if the query only counts and filters by no field that identifies people.
 */
export function requireGroupRights(
  plan: Plan,
  { permissions, tool }: Reader,
  { categories, functions }: { categories: readonly string[]; functions: readonly AggregateFunction[] },
): boolean {
  const missing = plan.needs.filter(({ permission }) => !permissions.has(permission))
  if (missing.length === 0) return false
  const [first] = missing
  const countsOnly = functions.every((fn) => fn === 'count' || fn === 'countDistinct')
  const isOneCategory =
    missing.length === 1 && first!.use === 'key' && first!.permission === 'personal.read' && categories.includes(first!.path)
  if (!isOneCategory || !countsOnly || plan.filteredPersons.length > 0) throw forbid(tool, first!)
  return true
}
