import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'

export type GroupRow = Selectable<Tables['managed_groups']>

export type GroupScope = Pick<RegistrationContext, 'db' | 'tenantId' | 'event'>

export const selectGroups = (ctx: GroupScope) => eventDb(ctx).selectFrom('managed_groups').selectAll().where('deleted_at', 'is', null)

const selectGroup = (ctx: GroupScope, named: string) =>
  selectGroups(ctx).where((eb) => eb.or([eb('code', '=', named.toLowerCase()), eb('id', '=', named.toLowerCase())]))

/** Finds a group by its code, which is part of the URLs of its pages. An id is not accepted. */
export const findGroupByCode = (ctx: GroupScope, code: string): Promise<GroupRow | undefined> =>
  selectGroups(ctx).where('code', '=', code).executeTakeFirst()

/** Finds a group by code or id. Undefined for unknown and deleted groups. */
export const findGroup = (ctx: GroupScope, named: string): Promise<GroupRow | undefined> => selectGroup(ctx, named).executeTakeFirst()

export async function getGroup(ctx: GroupScope, named: string): Promise<GroupRow> {
  const row = await findGroup(ctx, named)
  if (!row) throw await unknownGroupError(ctx, named)
  return row
}

/** Locks the group, found by code or id, until the end of the transaction. All decisions about its members are made under this lock. */
export const findAndLockGroup = (ctx: GroupScope, named: string): Promise<GroupRow | undefined> =>
  selectGroup(ctx, named).forNoKeyUpdate().executeTakeFirst()

export async function lockGroup(ctx: GroupScope, named: string): Promise<GroupRow> {
  const row = await findAndLockGroup(ctx, named)
  if (!row) throw await unknownGroupError(ctx, named)
  return row
}

/** Locks a group that accepts a new member: the group is open, has a free seat, and is test data if and only if new registrations are. */
export async function lockJoinableGroup(ctx: GroupScope, named: string): Promise<GroupRow> {
  const group = await lockGroup(ctx, named)
  assertAcceptsMembers(ctx, group)
  if (countSeatsLeft(group) === 0) throw createGroupFullError(group)
  return group
}

export function assertAcceptsMembers({ event }: GroupScope, { code, status, is_test_data }: GroupRow): void {
  if (status === 'closed') throw preconditionFailed(`Group ${code} is closed: it takes no new members`)
  if (is_test_data !== event.testMode) {
    const made = is_test_data
      ? 'created in test mode, but registrations are real now'
      : 'created as a real group, but registrations are test data now'
    throw preconditionFailed(`Group ${code} was ${made}. Create another group.`)
  }
}

export const countSeatsLeft = ({ max_members, member_count }: GroupRow): number =>
  max_members === null ? Number.POSITIVE_INFINITY : Math.max(0, max_members - member_count)

export const createGroupFullError = ({ code, max_members }: GroupRow, advice = ''): AppError =>
  new AppError('limit_exceeded', `Group ${code} is full: all ${max_members} seats are taken${advice}`)

async function unknownGroupError(ctx: GroupScope, named: string): Promise<AppError> {
  const codes = (await selectGroups(ctx).clearSelect().select('code').orderBy('code').limit(1000).execute()).map(({ code }) => code)
  const near = findMostSimilarName(named, codes)
  return notFound(`No group ${named} at this event${near === null ? ' — list_managed_groups shows them' : ` — did you mean ${near}?`}`)
}
