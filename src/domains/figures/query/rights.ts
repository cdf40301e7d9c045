import { AppError } from '../../../kernel/errors.ts'
import type { Permissions } from '../../../kernel/permissions.ts'
import type { CompiledGroupQuery } from './compile-groups.ts'
import type { RequiredPermission, StatementPlan } from './plan.ts'

/** The caller whose permissions a query runs with. */
export interface QueryCaller {
  permissions: Permissions
  /** Name of the tool, for error messages about missing permissions. */
  tool: string
  /**
   * For a query over several events, whose permissions were checked at each event before: the events at which small groups are merged, and
   * whether the caller may read personal data at all of them.
   */
  across?: { mergingEvents: readonly string[]; readsPersonal: boolean }
}

/** Whether query results may include the answers to survey questions that are marked as personal. */
export const mayReadPersonalAnswers = ({ permissions, across }: QueryCaller): boolean =>
  across?.readsPersonal ?? permissions.has('personal.read')

const forbid = (tool: string, { path, permission, use }: RequiredPermission) =>
  new AppError('forbidden', `Forbidden — ${tool} requires the ${permission} permission`, {
    fields: [{ path: use === 'entity' ? 'entity' : path, message: `needs ${permission}` }],
  })

/** Returns the first permission that a query needs and the caller does not have; null if it may run. */
export const findMissingQueryPermission = ({ needs }: StatementPlan, permissions: Permissions): RequiredPermission | null =>
  needs.find(({ permission }) => !permissions.has(permission)) ?? null

/** Throws if a query uses an entity or a field without permission. */
export function requireQueryPermissions(plan: StatementPlan, { permissions, tool }: QueryCaller): void {
  const missing = findMissingQueryPermission(plan, permissions)
  if (missing) throw forbid(tool, missing)
}

/**
 * Decides whether a caller may run a group query, and whether small groups must be merged for it. Without personal.read, people may be
 * grouped by one field with few values, if the query only counts and has no filter that identifies people.
 */
export function decideGroupQueryAccess(
  { plan, categories, countsOnly }: Pick<CompiledGroupQuery, 'plan' | 'categories' | 'countsOnly'>,
  permissions: Permissions,
): { missing: RequiredPermission | null; mergesSmallGroups: boolean } {
  const missing = plan.needs.filter(({ permission }) => !permissions.has(permission))
  const [first] = missing
  if (!first) return { missing: null, mergesSmallGroups: false }
  const isOneCategory =
    missing.length === 1 && first.use === 'key' && first.permission === 'personal.read' && categories.includes(first.path)
  const mergesSmallGroups = isOneCategory && countsOnly && plan.filteredPersons.length === 0
  return { missing: mergesSmallGroups ? null : first, mergesSmallGroups }
}

/** Throws if the caller lacks a permission for a grouped query. Returns whether small groups of the result must be merged. */
export function requireGroupQueryPermissions(compiled: CompiledGroupQuery, { permissions, tool }: QueryCaller): boolean {
  const { missing, mergesSmallGroups } = decideGroupQueryAccess(compiled, permissions)
  if (missing) throw forbid(tool, missing)
  return mergesSmallGroups
}
