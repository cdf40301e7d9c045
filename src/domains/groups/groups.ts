import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { findNearest } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import type {} from './tables.ts'

export type GroupRow = Selectable<Tables['managed_groups']>

export type AtGroups = Pick<EventScope, 'db' | 'tenantId' | 'event'>

export const groupsAt = (ctx: AtGroups) =>
  eventDb(ctx)
    .selectFrom('managed_groups')
    .selectAll()
    .where('deleted_at', 'is', null)

/** By code or id. */
const groupNamed = (ctx: AtGroups, named: string) =>
  groupsAt(ctx).where((eb) => eb.or([eb('code', '=', named.toLowerCase()), eb('id', '=', named.toLowerCase())]))

export async function getGroup(ctx: AtGroups, named: string): Promise<GroupRow> {
  const row = await groupNamed(ctx, named).executeTakeFirst()
  if (!row) throw await unknownGroup(ctx, named)
  return row
}

/** The group of that code or id; nothing else is decided about it until this transaction has ended. */
export async function lockGroup(ctx: AtGroups, named: string): Promise<GroupRow> {
  const row = await groupNamed(ctx, named).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw await unknownGroup(ctx, named)
  return row
}

/** A locked group that takes one more, of the kind of rows that registrations are now. */
export async function lockGroupToJoin(ctx: AtGroups, named: string): Promise<GroupRow> {
  const group = await lockGroup(ctx, named)
  refuseJoining(ctx, group)
  if (seatsLeft(group) === 0) throw noSeats(group)
  return group
}

export function refuseJoining({ event }: AtGroups, { code, status, is_test_data }: GroupRow): void {
  if (status === 'closed') throw preconditionFailed(`Group ${code} is closed: it takes no new members`)
  if (is_test_data !== event.testMode) {
    const made = is_test_data ? 'made in test mode, and registrations are real now' : 'real, and registrations are test data now'
    throw preconditionFailed(`Group ${code} was ${made}: create another one for them`)
  }
}

export const seatsLeft = ({ max_members, member_count }: GroupRow): number =>
  max_members === null ? Number.POSITIVE_INFINITY : Math.max(0, max_members - member_count)

export const noSeats = ({ code, max_members }: GroupRow, advice = ''): AppError =>
  new AppError('limit_exceeded', `Group ${code} is full: all ${max_members} seats are taken${advice}`)

async function unknownGroup(ctx: AtGroups, named: string): Promise<AppError> {
  const codes = (await groupsAt(ctx).clearSelect().select('code').orderBy('code').limit(1000).execute()).map(({ code }) => code)
  const near = findNearest(named, codes)
  return notFound(`No group ${named} here${near === null ? ' — list_managed_groups shows them' : ` — did you mean ${near}?`}`)
}
