import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { resolveParticipant } from '../registration/find/resolve-participant.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import { type GroupScope, lockGroup } from './groups.ts'

interface LeadersUpdate {
  groupCode: string
  add: readonly string[]
  remove: readonly string[]
}

/**
 * Adds and removes leaders of a group. Leaders are members who see the member list and correct answers, but never see amounts. A member
 * who leaves the group stops being a leader.
 */
export async function editLeaders(ctx: EventContext, { groupCode, add, remove }: LeadersUpdate) {
  const group = await lockGroup(ctx, groupCode)
  const wanted = new Map<string, { row: ParticipantRow; leads: boolean }>()
  for (const [names, leads] of [
    [remove, false],
    [add, true],
  ] as const) {
    for (const [index, name] of names.entries()) {
      const row = await resolveParticipant(ctx, name, { includeTestData: group.is_test_data })
      const path = `${leads ? 'add' : 'remove'}/${index}`
      if (wanted.get(row.id)?.leads === !leads)
        throw invalidArguments([{ path, message: `${formatParticipantName(row)} cannot be both added and removed` }])
      if (leads) assertMember(row, group)
      wanted.set(row.id, { row, leads })
    }
  }
  const changed: string[] = []
  for (const { row, leads } of wanted.values()) {
    if (row.group_id !== group.id || row.group_leader === leads) continue
    await updateParticipant(ctx, row, { group_leader: leads })
    recordChange(ctx, {
      kind: 'participant',
      id: row.id,
      before: { groupLeader: row.group_leader },
      after: { groupLeader: leads },
    })
    changed.push(row.id)
  }
  return { leaders: (await listLeaders(ctx, group.id)).map(toMemberIdentity), changed }
}

function assertMember(row: ParticipantRow, group: { id: string; code: string }): void {
  if (row.status === 'cancelled') throw preconditionFailed(`The registration of ${formatParticipantName(row)} is cancelled`)
  if (row.group_id !== group.id) {
    throw preconditionFailed(
      `${formatParticipantName(row)} is not a member of group ${group.code} — add with update_managed_group_members first`,
    )
  }
}

type Member = Pick<ParticipantRow, 'id' | 'first_name' | 'last_name' | 'email'>

export const toMemberIdentity = (row: Member) => ({ participantId: row.id, name: formatParticipantName(row), email: row.email })

const MAX_LEADERS = 500

export const listLeaders = (ctx: GroupScope, groupId: string): Promise<Member[]> =>
  eventDb(ctx)
    .selectFrom('participants')
    .select(['id', 'first_name', 'last_name', 'email'])
    .where('group_id', '=', groupId)
    .where('group_leader', '=', true)
    .orderBy('last_name')
    .orderBy('first_name')
    .orderBy('id')
    .limit(MAX_LEADERS)
    .execute()
