import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { planEdit, saveEdit } from '../../kernel/records.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { DirectoryLookupsByEmail } from '../registration/flows/flow-directories.ts'
import { recordSales, type PendingSale } from '../registration/sale/record-sales.ts'
import { loadEventSnapshot } from '../registration/event-snapshot.ts'
import { addMember, type MemberToAdd } from './add-member.ts'
import { listUnmovedMemberOrders } from './kept-orders.ts'
import { GROUP_RECORD } from './group-record.ts'
import { getGroup, type GroupRow, lockGroup, assertAcceptsMembers, countSeatsLeft } from './groups.ts'
import { type MemberToRemove, removeMember } from './remove-member.ts'

interface MembersUpdate {
  groupCode: string
  add: readonly MemberToAdd[]
  remove: readonly MemberToRemove[]
  moveOrders: boolean
  overrideMax: boolean
  partial: boolean
}

interface RowError {
  list: 'add' | 'remove'
  index: number
  code: AppError['code']
  message: string
}

type RowOutcome = 'added' | 'created' | 'removed' | 'cancelled' | null

/**
 * Adds and removes members. Removals come first, so that their seats are free. Everything the group pays for in one call is on one invoice.
 * One row that fails rolls back the whole call, unless `partial` is set.
 */
export async function updateMembers(
  ctx: EventContext,
  { groupCode, add, remove, moveOrders, overrideMax, partial }: MembersUpdate,
  lookups: DirectoryLookupsByEmail = new Map(),
) {
  const snapshot = await loadEventSnapshot(ctx)
  const before = await lockGroup(ctx, groupCode)
  if (moveOrders && before.pay_by === 'members') {
    throw invalidArguments([
      { path: 'moveOrders', message: `members of group ${before.code} pay for themselves, so there is no group order to move to` },
    ])
  }
  const errors: RowError[] = []
  const outcomes: RowOutcome[] = []
  const sales: PendingSale[] = []
  const changed: { added: string[]; removed: string[] } = { added: [], removed: [] }
  let moved = 0
  const attempt = async <T>(list: RowError['list'], index: number, run: () => Promise<T>): Promise<T | null> => {
    const tried = await runInSavepoint(ctx, run)
    if (!tried.refused) return tried.done
    errors.push({ list, index, code: tried.refused.code, message: tried.refused.message })
    return null
  }

  for (const [index, row] of remove.entries()) {
    const done = await attempt('remove', index, () => removeMember(ctx, snapshot, before, row))
    outcomes.push(done?.outcome ?? null)
    if (done?.outcome === 'removed') changed.removed.push(done.participantId)
  }
  if (add.length > 0) assertAcceptsMembers(ctx, before)
  const group = await getGroup(ctx, before.id)
  const raised = overrideMax && add.length > countSeatsLeft(group)
  if (raised) await setMaximum(ctx, group.id, group.member_count + add.length)
  let seats = raised ? add.length : countSeatsLeft(group)
  for (const [index, row] of add.entries()) {
    const done = await attempt('add', index, () => addMember(ctx, { snapshot, group, moveOrders, seats, lookups }, row))
    if (done === null) continue
    outcomes.push(done.outcome)
    sales.push(...done.sales)
    if (done.outcome !== null) seats -= 1
    if (done.moved) moved += 1
    if (done.outcome === 'added') changed.added.push(done.participantId)
  }
  if (errors.length > 0 && !partial) throw nothingSavedError(errors)
  const claimed = await recordSales(ctx, snapshot, sales)
  if (raised) await settleMaximum(ctx, group)
  const count = (which: RowOutcome) => outcomes.filter((outcome) => outcome === which).length
  return {
    group: await getGroup(ctx, group.id),
    added: count('added'),
    created: count('created'),
    removed: count('removed'),
    cancelled: count('cancelled'),
    moved,
    notMoved: await listUnmovedMemberOrders(ctx, group, { ...changed, moveOrders }),
    errors,
    claimed,
  }
}

/** Builds the error that lists every member who could not be added or removed, so that the caller can fix all of them in one attempt. */
function nothingSavedError(errors: readonly RowError[]): AppError {
  const shown = errors.slice(0, MAX_SHOWN_ERRORS).map(({ list, index, message }) => `${list}/${index}: ${message}`)
  const more = errors.length > MAX_SHOWN_ERRORS ? `; and ${errors.length - MAX_SHOWN_ERRORS} more` : ''
  return new AppError(errors[0]!.code, `Nothing was saved. ${shown.join('; ')}${more}`)
}

const MAX_SHOWN_ERRORS = 20

const setMaximum = (ctx: EventContext, id: string, maximum: number) =>
  eventDb(ctx).updateTable('managed_groups').set({ max_members: maximum }).where('id', '=', id).execute()

/** Raises the group's maximum number of members if the group has more members than that. */
async function settleMaximum(ctx: EventContext, before: GroupRow): Promise<void> {
  const raised = await getGroup(ctx, before.id)
  const maximum = Math.max(before.max_members!, raised.member_count)
  // While members were added, the row had a higher maximum, so the maximum is written even if it is the same as before the call.
  await saveEdit(ctx, planEdit(GROUP_RECORD, { ...before, revision: raised.revision }, {}), { max_members: maximum })
}
