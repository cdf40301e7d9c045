import type { EventContext } from '../../../kernel/context.ts'
import type { Permission } from '../../../kernel/permissions.ts'
import { findUserPermissions, toUserContext } from '../../access/event-people.ts'
import type { ReportRunRow } from './tables.ts'

export const PERMISSION_WITHDRAWN_MESSAGE = 'The person who requested this run no longer has the permissions that it needs'

/** Lists the permissions that a report run or an export always requires, regardless of its content. */
export function listRequiredRunPermissions({ kind, options }: Pick<ReportRunRow, 'kind' | 'options'>): Permission[] {
  if (kind !== 'export') return ['reports.read']
  return ['reports.read', 'registration.read', ...(options.export?.personalData === 'none' ? [] : ['personal.export' as const])]
}

/** Returns the context of a run's requester with their current permissions; null if these no longer allow the run. */
export async function toRequesterContext(
  ctx: EventContext,
  run: ReportRunRow,
  needs: readonly Permission[] = [],
): Promise<EventContext | null> {
  const person = await findUserPermissions(ctx, { userId: run.requested_by })
  if (!person || ![...listRequiredRunPermissions(run), ...needs].every((permission) => person.permissions.has(permission))) return null
  return toUserContext(ctx, person, { id: null, name: run.app })
}
