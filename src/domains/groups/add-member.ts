import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { addParticipant } from '../registration/add.ts'
import type { Answers } from '../registration/answers.ts'
import type { Sale } from '../registration/claim.ts'
import { resolveParticipant } from '../registration/named-participant.ts'
import { asPayer } from '../registration/own-group.ts'
import { nameOf, type ParticipantRow } from '../registration/participant-shape.ts'
import { updateParticipant } from '../registration/people.ts'
import type { AtEvent, Scene } from '../registration/scene.ts'
import { refreshTags } from '../registration/tags.ts'
import { type GroupRow, noSeats } from './groups.ts'
import { type LeftOrder, moveOrder } from './move-order.ts'

/** Somebody who has registered, or the answers of somebody new. */
export interface MemberToAdd {
  participantId?: string | undefined
  data?: Answers | undefined
}

interface Adding {
  scene: Scene
  /** Locked. */
  group: GroupRow
  moveOrders: boolean
  seats: number
}

interface AddedMember {
  outcome: 'added' | 'created' | null
  sales: readonly Sale[]
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
  const { scene, group } = adding
  refuseWithoutSeat(adding)
  const into: Sale[] = []
  const { status, participant } = await addParticipant(
    ctx,
    { ...NEW_MEMBER, flowSlug: group.flow_slug, data, group: asPayer(group), into },
    scene,
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
  const { scene, group, moveOrders } = adding
  const row = await resolveParticipant(ctx, named, { includeTestData: scene.isTest })
  if (row.group_id === group.id) return { outcome: null, sales: [] }
  await refuseOfOthers(ctx, row)
  refuseWithoutSeat(adding)
  const member = await joinGroup(ctx, scene, row, group)
  if (!moveOrders) return { outcome: 'added', sales: [] }
  const { sale, left } = await moveOrder(ctx, scene, member, group)
  return { outcome: 'added', sales: sale ? [sale] : [], moved: sale !== null, left }
}

function refuseWithoutSeat({ group, seats }: Adding): void {
  if (seats <= 0) throw noSeats(group, ' — pass overrideMax to raise its limit')
}

/** Who is in another group is asked for there; guests belong to who brought them. */
export async function refuseOfOthers(ctx: AtEvent, row: ParticipantRow): Promise<void> {
  if (row.status === 'cancelled')
    throw preconditionFailed(`The registration of ${nameOf(row)} is cancelled — reinstate it with edit_participant`)
  if (row.host_id !== null) throw preconditionFailed(`${nameOf(row)} is a guest: guests come with their host`)
  if (row.group_id === null) return
  const { code } = await ctx.db
    .selectFrom('managed_groups')
    .select('code')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.group_id)
    .executeTakeFirstOrThrow()
  throw conflict(`${nameOf(row)} is a member of group ${code} — take them out there first`)
}

/** Puts a registration into a group: its tags come with it, its order stays. */
export async function joinGroup(
  ctx: AtEvent,
  { config }: Pick<Scene, 'config'>,
  row: ParticipantRow,
  group: GroupRow,
): Promise<ParticipantRow> {
  const member = await updateParticipant(ctx, row, { group_id: group.id })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { groupId: null }, after: { groupId: group.id } })
  await refreshTags(ctx, config, [row.id])
  return member
}
