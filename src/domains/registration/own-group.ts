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

/** The group that somebody is in, behind its lock: that comes before places and orders, and members are counted there when one comes or goes. */
export async function lockOwnGroup(ctx: AtEvent, { group_id }: Pick<ParticipantRow, 'group_id'>): Promise<Payer | null> {
  if (group_id === null) return null
  const row = await ctx.db
    .selectFrom('managed_groups')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', group_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return asPayer(row)
}
