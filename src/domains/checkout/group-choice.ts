import type { FieldError } from '../../kernel/errors.ts'
import { createGroup } from '../groups/create.ts'
import { selectGroups, lockGroupToJoin, assertAcceptsMembers, countSeatsLeft } from '../groups/groups.ts'
import { toGroupPayer, lockGroupOf, makeGroupLeader } from '../registration/participant-group.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'
import type { EventScope } from '../registration/event-snapshot.ts'
import type { Progress } from './progress.ts'
import { toFieldErrors } from './quote.ts'

const GROUP_CODE = '@group.code'
const GROUP_NAME = '@group.name'

/** Validates the group code that the participant entered on this page. */
export async function checkGroupCode(
  ctx: EventScope,
  { answers: before }: Progress,
  answers: Progress['answers'],
): Promise<readonly FieldError[]> {
  const code = answers[GROUP_CODE]
  if (typeof code !== 'string') return []
  if (typeof answers[GROUP_NAME] === 'string') return [{ path: GROUP_NAME, message: 'groupBoth' }]
  if (code === before[GROUP_CODE]) return []
  const group = await selectGroups(ctx).where('code', '=', code.toLowerCase()).executeTakeFirst()
  if (!group) return [{ path: GROUP_CODE, message: 'unknownGroup' }]
  try {
    assertAcceptsMembers(ctx, group)
  } catch (error) {
    return toFieldErrors(error).map(() => ({ path: GROUP_CODE, message: 'closedGroup' }))
  }
  return countSeatsLeft(group) === 0 ? [{ path: GROUP_CODE, message: 'fullGroup' }] : []
}

/** Locks and returns the group to register in: the current one, the one whose code was entered, or a new one. */
export async function lockGroupToRegisterIn(ctx: EventScope, { row, flow, answers }: Progress): Promise<Progress['group']> {
  if (row.group_id !== null) return lockGroupOf(ctx, row)
  const [code, name] = [answers[GROUP_CODE], answers[GROUP_NAME]]
  if (typeof code === 'string') return toGroupPayer(await lockGroupToJoin(ctx, code))
  if (typeof name !== 'string') return null
  const admins = row.email === null ? [] : [{ email: row.email, name: nameOf(row) || row.email }]
  const { group } = await createGroup(ctx, { name, kind: 'other', payBy: 'members', tags: [], admins, flowSlug: flow.slug })
  return toGroupPayer(await lockGroupToJoin(ctx, group.code))
}

/** A participant who created the group during registration becomes its leader. */
export async function makeCreatorGroupLeader(ctx: EventScope, { id, group_id, answers }: ParticipantRow): Promise<void> {
  if (group_id === null || typeof answers[GROUP_NAME] !== 'string' || typeof answers[GROUP_CODE] === 'string') return
  await makeGroupLeader(ctx, id)
}
