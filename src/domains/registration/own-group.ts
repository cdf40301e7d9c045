import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { AtEvent } from './scene.ts'
import type { Submission } from './submit.ts'

type Payer = NonNullable<Submission['group']>

/** A group as a registration needs it. Its invoices are made out in its name unless its organizer said otherwise. */
export const asPayer = ({
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

/** Tags that somebody has beside those of flow and products: they decide what is shown to them, and at which price. */
export const givenTags = (
  { manual_tags, directory_tags }: Pick<ParticipantRow, 'manual_tags' | 'directory_tags'>,
  group: Pick<Payer, 'tags'> | null,
): string[] => [...manual_tags, ...directory_tags, ...(group?.tags ?? [])]

const named = ({ db, tenantId, event }: AtEvent, id: string) =>
  db.selectFrom('managed_groups').selectAll().where('tenant_id', '=', tenantId).where('event_id', '=', event.id).where('id', '=', id)

type InGroup = Pick<ParticipantRow, 'group_id'>

export async function groupOf(ctx: AtEvent, { group_id }: InGroup): Promise<Payer | null> {
  return group_id === null ? null : asPayer(await named(ctx, group_id).executeTakeFirstOrThrow())
}

/** Behind its lock: that comes before places and orders, and members are counted there when one comes or goes. */
export async function lockOwnGroup(ctx: AtEvent, { group_id }: InGroup): Promise<Payer | null> {
  return group_id === null ? null : asPayer(await named(ctx, group_id).forNoKeyUpdate().executeTakeFirstOrThrow())
}
