import { type Selectable, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { announceParticipantFieldChange } from './announce-participants.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { RegistrationContext } from './event-snapshot.ts'
import type { RegistrationSubmission } from './submit.ts'

type Payer = NonNullable<RegistrationSubmission['group']>

/** Returns the billing data of a group as the payer. Invoices show the group's name unless the organizer set another billing address. */
export const toGroupPayer = ({
  id,
  name,
  tags,
  pay_by,
  bill_to,
}: Pick<Selectable<Tables['managed_groups']>, 'id' | 'name' | 'tags' | 'pay_by' | 'bill_to'>): Payer => ({
  id,
  tags,
  payBy: pay_by,
  billTo: { company: name, ...bill_to },
})

/** Collects the tags that do not come from the flow or from products. These tags decide visibility and prices. */
export const collectAssignedTags = (
  { manual_tags, directory_tags }: Pick<ParticipantRow, 'manual_tags' | 'directory_tags'>,
  group: Pick<Payer, 'tags'> | null,
): string[] => [...manual_tags, ...directory_tags, ...(group?.tags ?? [])]

const selectGroup = (ctx: RegistrationContext, id: string) => eventDb(ctx).selectFrom('managed_groups').selectAll().where('id', '=', id)

type InGroup = Pick<ParticipantRow, 'group_id'>

export async function findGroupOfParticipant(ctx: RegistrationContext, { group_id }: InGroup): Promise<Payer | null> {
  return group_id === null ? null : toGroupPayer(await selectGroup(ctx, group_id).executeTakeFirstOrThrow())
}

/** Locks the group row of a participant, before the locks on capacity and orders are taken. The lock also guards the member count. */
export async function lockGroupOfParticipant(ctx: RegistrationContext, { group_id }: InGroup): Promise<Payer | null> {
  return group_id === null ? null : toGroupPayer(await selectGroup(ctx, group_id).forNoKeyUpdate().executeTakeFirstOrThrow())
}

export async function makeGroupLeader(ctx: RegistrationContext, participantId: string): Promise<void> {
  await eventDb(ctx).updateTable('participants').set({ group_leader: true }).where('id', '=', participantId).execute()
}

/** Removes participants from their group. The participants stay registered. */
export async function detachFromGroup(
  ctx: RegistrationContext,
  members: readonly Pick<ParticipantRow, 'id' | 'is_test_data'>[],
): Promise<void> {
  const ids = members.map(({ id }) => id)
  await eventDb(ctx)
    .updateTable('participants')
    .set({ group_id: null, group_leader: false })
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  announceParticipantFieldChange(ctx, members, 'groupId')
}
