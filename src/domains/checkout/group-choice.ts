import type { FieldError } from '../../kernel/errors.ts'
import { createGroup } from '../groups/create.ts'
import { groupsAt, lockGroupToJoin, refuseJoining, seatsLeft } from '../groups/groups.ts'
import { asPayer, lockOwnGroup } from '../registration/own-group.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'
import type { AtEvent } from '../registration/scene.ts'
import type { Progress } from './progress.ts'
import { faultsIn } from './quote.ts'

const CODE = '@group.code'
const NAME = '@group.name'

/** What is wrong with the group that somebody wants to join, told at the page that asked for it. */
export async function groupFaults(
  ctx: AtEvent,
  { answers: before }: Progress,
  answers: Progress['answers'],
): Promise<readonly FieldError[]> {
  const code = answers[CODE]
  if (typeof code !== 'string') return []
  if (typeof answers[NAME] === 'string') return [{ path: NAME, message: 'groupBoth' }]
  if (code === before[CODE]) return []
  const group = await groupsAt(ctx).where('code', '=', code.toLowerCase()).executeTakeFirst()
  if (!group) return [{ path: CODE, message: 'unknownGroup' }]
  try {
    refuseJoining(ctx, group)
  } catch (error) {
    return faultsIn(error).map(() => ({ path: CODE, message: 'closedGroup' }))
  }
  return seatsLeft(group) === 0 ? [{ path: CODE, message: 'fullGroup' }] : []
}

/** The group that a registration finishes in, behind its lock: their own, the one whose code they gave, or a new one that they lead. */
export async function groupToFinishIn(ctx: AtEvent, { row, flow, answers }: Progress): Promise<Progress['group']> {
  if (row.group_id !== null) return lockOwnGroup(ctx, row)
  const [code, name] = [answers[CODE], answers[NAME]]
  if (typeof code === 'string') return asPayer(await lockGroupToJoin(ctx, code))
  if (typeof name !== 'string') return null
  const admins = row.email === null ? [] : [{ email: row.email, name: nameOf(row) || row.email }]
  const { group } = await createGroup(ctx, { name, kind: 'other', payBy: 'members', tags: [], admins, flowSlug: flow.slug })
  return asPayer(await lockGroupToJoin(ctx, group.code))
}

/** Whoever made a group by registering leads it, from their registration too. */
export async function leadOwnGroup({ db, tenantId, event }: AtEvent, { id, group_id, answers }: ParticipantRow): Promise<void> {
  if (group_id === null || typeof answers[NAME] !== 'string' || typeof answers[CODE] === 'string') return
  await db
    .updateTable('participants')
    .set({ group_leader: true })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', id)
    .execute()
}
