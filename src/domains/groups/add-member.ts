import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { addParticipant } from '../registration/add.ts'
import type { Answers } from '../registration/answers.ts'
import type { PendingSale } from '../registration/record-sales.ts'
import { resolveParticipant } from '../registration/resolve-participant.ts'
import { toGroupPayer } from '../registration/participant-group.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import type { EventScope, EventSnapshot } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import { type GroupRow, noSeats } from './groups.ts'
import { type LeftOrder, moveOrder } from './move-order.ts'

/** Somebody who has registered, or the answers of somebody new. */
export interface MemberToAdd {
  participantId?: string | undefined
  data?: Answers | undefined
}

interface Adding {
  snapshot: EventSnapshot
  /** Locked. */
  group: GroupRow
  moveOrders: boolean
  seats: number
}

interface AddedMember {
  outcome: 'added' | 'created' | null
  sales: readonly PendingSale[]
  moved?: boolean
  left?: LeftOrder | null
}

export async function addMember(ctx: EventContext, adding: Adding, { participantId, data }: MemberToAdd): Promise<AddedMember> {
  if ((participantId === undefined) === (data === undefined)) {
    throw invalidArguments([{ path: '', message: 'give participantId or data, and not both' }])
  }
  return data === undefined ? addRegistered(ctx, adding, participantId!) : register(ctx, adding, data)
}

/** Registers somebody new by the group's flow, at the prices of its tags. What it costs is claimed with the others of the call. */
async function register(ctx: EventContext, adding: Adding, data: Answers): Promise<AddedMember> {
  const { snapshot, group } = adding
  refuseWithoutSeat(adding)
  const into: PendingSale[] = []
  const { status, participant } = await addParticipant(
    ctx,
    { ...NEW_MEMBER, flowSlug: group.flow_slug, data, group: toGroupPayer(group), into },
    snapshot,
  )
  if (status !== 'new') throw conflict(`${nameOf(participant)} has registered already — pass participantId ${participant.id}`)
  return { outcome: 'created', sales: into }
}

/** As the person themselves would: by what the flow asks, when it is open, while there are places. */
export const NEW_MEMBER = {
  tags: [],
  status: 'complete',
  skipRequired: false,
  joinWaitlist: false,
  overrideCapacity: false,
  overrideClosed: false,
  source: 'group',
} as const

async function addRegistered(ctx: EventContext, adding: Adding, named: string): Promise<AddedMember> {
  const { snapshot, group, moveOrders } = adding
  const row = await resolveParticipant(ctx, named, { includeTestData: snapshot.isTest })
  if (row.group_id === group.id) return { outcome: null, sales: [] }
  await refuseOfOthers(ctx, row)
  refuseWithoutSeat(adding)
  const member = await joinGroup(ctx, snapshot, row, group)
  if (!moveOrders) return { outcome: 'added', sales: [] }
  const { sale, left } = await moveOrder(ctx, snapshot, member, group)
  return { outcome: 'added', sales: sale ? [sale] : [], moved: sale !== null, left }
}

function refuseWithoutSeat({ group, seats }: Adding): void {
  if (seats <= 0) throw noSeats(group, ' — pass overrideMax to raise its limit')
}

/** Who is in another group is asked for there; guests belong to who brought them. */
export async function refuseOfOthers(ctx: EventScope, row: ParticipantRow): Promise<void> {
  if (row.status === 'cancelled')
    throw preconditionFailed(`The registration of ${nameOf(row)} is cancelled — reinstate it with edit_participant`)
  if (row.host_id !== null) throw preconditionFailed(`${nameOf(row)} is a guest: guests come with their host`)
  if (row.group_id === null) return
  const { code } = await eventDb(ctx)
    .selectFrom('managed_groups')
    .select('code')
    .where('id', '=', row.group_id)
    .executeTakeFirstOrThrow()
  throw conflict(`${nameOf(row)} is a member of group ${code} — take them out there first`)
}

/** Puts a registration into a group: its tags come with it, its order stays. */
export async function joinGroup(
  ctx: EventScope,
  { config }: Pick<EventSnapshot, 'config'>,
  row: ParticipantRow,
  group: GroupRow,
): Promise<ParticipantRow> {
  const member = await updateParticipant(ctx, row, { group_id: group.id })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { groupId: null }, after: { groupId: group.id } })
  await recalculateTags(ctx, config, [row.id])
  return member
}
