import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { tryPart } from '../../kernel/savepoint.ts'
import { claim, type Sale } from '../registration/claim.ts'
import { openScene } from '../registration/scene.ts'
import { addMember, type MemberToAdd } from './add-member.ts'
import type { LeftOrder } from './move-order.ts'
import { getGroup, type GroupRow, lockGroup, refuseJoining, seatsLeft } from './groups.ts'
import { type MemberToRemove, removeMember } from './remove-member.ts'

interface Update {
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
 * Changes who is in a group: those who leave first, so that their seats are free. Everything the group pays for in one call is on one invoice.
 * One row that cannot be done undoes all, unless the caller takes what can be done.
 */
export async function updateMembers(ctx: EventContext, { groupCode, add, remove, moveOrders, overrideMax, partial }: Update) {
  const scene = await openScene(ctx)
  const before = await lockGroup(ctx, groupCode)
  if (moveOrders && before.pay_by === 'members') {
    throw invalidArguments([
      { path: 'moveOrders', message: `members of group ${before.code} pay for themselves: there is no group order to move to` },
    ])
  }
  const errors: RowError[] = []
  const outcomes: RowOutcome[] = []
  const sales: Sale[] = []
  const left: LeftOrder[] = []
  let moved = 0
  const attempt = async <T>(list: RowError['list'], index: number, run: () => Promise<T>): Promise<T | null> => {
    const tried = await tryPart(ctx, run)
    if (!tried.refused) return tried.done
    errors.push({ list, index, code: tried.refused.code, message: tried.refused.message })
    return null
  }

  for (const [index, row] of remove.entries()) {
    outcomes.push(await attempt('remove', index, () => removeMember(ctx, scene, before, row)))
  }
  if (add.length > 0) refuseJoining(ctx, before)
  const group = await getGroup(ctx, before.id)
  const raised = overrideMax && add.length > seatsLeft(group)
  if (raised) await setMaximum(ctx, group.id, group.member_count + add.length)
  let seats = raised ? add.length : seatsLeft(group)
  for (const [index, row] of add.entries()) {
    const done = await attempt('add', index, () => addMember(ctx, { scene, group, moveOrders, seats }, row))
    if (done === null) continue
    outcomes.push(done.outcome)
    sales.push(...done.sales)
    if (done.outcome !== null) seats -= 1
    if (done.moved) moved += 1
    if (done.left) left.push(done.left)
  }
  if (errors.length > 0 && !partial) throw nothingSaved(errors)
  const claimed = await claim(ctx, scene, sales)
  if (raised) await settleMaximum(ctx, group)
  const count = (which: RowOutcome) => outcomes.filter((outcome) => outcome === which).length
  return {
    group: await getGroup(ctx, group.id),
    added: count('added'),
    created: count('created'),
    removed: count('removed'),
    cancelled: count('cancelled'),
    moved,
    left,
    errors,
    claimed,
  }
}

/** Every row that cannot be done is told, so that one repair is enough. */
function nothingSaved(errors: readonly RowError[]): AppError {
  const told = errors.slice(0, MAX_TOLD).map(({ list, index, message }) => `${list}/${index}: ${message}`)
  const more = errors.length > MAX_TOLD ? `; and ${errors.length - MAX_TOLD} more` : ''
  return new AppError(errors[0]!.code, `Nothing was saved. ${told.join('; ')}${more}`)
}

const MAX_TOLD = 20

const setMaximum = ({ db, tenantId, event }: EventContext, id: string, maximum: number) =>
  db
    .updateTable('managed_groups')
    .set({ max_members: maximum })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .execute()

/** Raised to as many as there are now, and no further than was needed. */
async function settleMaximum(ctx: EventContext, { id, max_members, is_test_data: isTestData }: GroupRow): Promise<void> {
  const { member_count } = await getGroup(ctx, id)
  const maximum = Math.max(max_members!, member_count)
  await setMaximum(ctx, id, maximum)
  recordChange(ctx, { kind: 'group', id, before: { maxMembers: max_members }, after: { maxMembers: maximum } })
  if (maximum !== max_members) announce(ctx, { kind: 'group.updated', entity: 'group', id, changed: ['maxMembers'], isTestData })
}
