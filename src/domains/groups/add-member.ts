import { recordChange } from '../../kernel/audit.ts'
import { type EventContext, isParticipant } from '../../kernel/context.ts'
import { conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { addParticipant } from '../registration/add.ts'
import type { Answers } from '../registration/answers.ts'
import { findDirectoryLookupResult, type DirectoryLookupsByEmail } from '../registration/flows/flow-directories.ts'
import type { PendingSale } from '../registration/sale/record-sales.ts'
import { resolveParticipant } from '../registration/find/resolve-participant.ts'
import { toGroupPayer } from '../registration/participant-group.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import { type GroupRow, createGroupFullError } from './groups.ts'
import { moveOrderToGroup } from './move-order.ts'

/** The participant to add: an existing one, or the answers of a new one. */
export interface MemberToAdd {
  participantId?: string | undefined
  data?: Answers | undefined
}

interface MemberAddition {
  snapshot: EventSnapshot
  /** The group that the member joins. Its row must be locked. */
  group: GroupRow
  moveOrders: boolean
  seats: number
  lookups: DirectoryLookupsByEmail
}

interface AddedMember {
  outcome: 'added' | 'created' | null
  participantId: string
  sales: readonly PendingSale[]
  moved?: boolean
}

export async function addMember(ctx: EventContext, adding: MemberAddition, { participantId, data }: MemberToAdd): Promise<AddedMember> {
  if ((participantId === undefined) === (data === undefined)) {
    throw invalidArguments([{ path: '', message: 'pass either participantId or data' }])
  }
  return data === undefined ? addRegistered(ctx, adding, participantId!) : registerNewMember(ctx, adding, data)
}

/**
 * Registers a new participant with the group's flow, at the prices for its tags. The caller invoices all new members of one call
 * together.
 */
async function registerNewMember(ctx: EventContext, adding: MemberAddition, data: Answers): Promise<AddedMember> {
  const { snapshot, group } = adding
  assertSeatLeft(adding)
  const into: PendingSale[] = []
  const { status, participant } = await addParticipant(
    ctx,
    {
      ...NEW_MEMBER_REGISTRATION_OPTIONS,
      flowSlug: group.flow_slug,
      data,
      group: toGroupPayer(group),
      into,
      looked: findDirectoryLookupResult(adding.lookups, data),
    },
    snapshot,
  )
  if (status !== 'new')
    throw conflict(`${formatParticipantName(participant)} is already registered. Pass participantId ${participant.id} instead.`)
  return { outcome: 'created', participantId: participant.id, sales: into }
}

/** Registration options of a new member: required answers, opening times and capacity apply as for a participant who registers alone. */
export const NEW_MEMBER_REGISTRATION_OPTIONS = {
  tags: [],
  status: 'complete',
  skipRequired: false,
  joinWaitlist: false,
  overrideCapacity: false,
  overrideClosed: false,
  source: 'group',
} as const

async function addRegistered(ctx: EventContext, adding: MemberAddition, named: string): Promise<AddedMember> {
  const { snapshot, group, moveOrders } = adding
  const row = await resolveParticipant(ctx, named, { includeTestData: snapshot.isTest })
  if (row.group_id === group.id) return { outcome: null, participantId: row.id, sales: [] }
  await assertCanJoin(ctx, row)
  assertSeatLeft(adding)
  const member = await addRegistrationToGroup(ctx, snapshot, row, group)
  const joined = { outcome: 'added', participantId: row.id } as const
  if (!moveOrders) return { ...joined, sales: [] }
  const sale = await moveOrderToGroup(ctx, snapshot, member, group)
  return { ...joined, sales: sale ? [sale] : [], moved: sale !== null }
}

function assertSeatLeft({ group, seats }: MemberAddition): void {
  if (seats <= 0) throw createGroupFullError(group, '. Pass overrideMax to raise its limit.')
}

/** Throws for members of other groups, who must be removed there first, and for guests, who belong to their host. */
export async function assertCanJoin(ctx: RegistrationContext, row: ParticipantRow): Promise<void> {
  if (row.status === 'cancelled') {
    const advice = isParticipant(ctx) ? 'Ask the organizer to reinstate it.' : 'Reinstate it with edit_participant first.'
    throw preconditionFailed(`The registration of ${formatParticipantName(row)} is cancelled. ${advice}`)
  }
  if (row.host_id !== null) throw preconditionFailed(`${formatParticipantName(row)} is a guest. Guests belong to the group of their host.`)
  if (row.group_id === null) return
  const { code } = await eventDb(ctx).selectFrom('managed_groups').select('code').where('id', '=', row.group_id).executeTakeFirstOrThrow()
  throw conflict(`${formatParticipantName(row)} is a member of group ${code}. Remove them from that group first.`)
}

/** Adds a registration to a group. The participant gets the group's tags and keeps their own order. */
export async function addRegistrationToGroup(
  ctx: RegistrationContext,
  { config }: Pick<EventSnapshot, 'config'>,
  row: ParticipantRow,
  group: GroupRow,
): Promise<ParticipantRow> {
  const member = await updateParticipant(ctx, row, { group_id: group.id })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { groupId: null }, after: { groupId: group.id } })
  await recalculateTags(ctx, config, [row.id])
  return member
}
