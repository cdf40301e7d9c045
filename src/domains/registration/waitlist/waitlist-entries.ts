import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import { count, instant, object, oneOf, text } from '../../../kernel/args.ts'
import type { Tables } from '../../../kernel/columns.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext } from '../event-snapshot.ts'

/**
 * A waiting list entry of a participant. `rank` is the position among participants still waiting for the same target (event, flow or
 * product), starting at 1.
 */
export const WaitlistEntrySummary = object({
  entryId: text(),
  target: text(),
  quantity: count(),
  status: oneOf(['waiting', 'offered', 'promoted', 'removed']),
  rank: count().nullable(),
  offeredUntil: instant().nullable(),
  joinedAt: instant(),
  reason: text().nullable(),
})

type Entry = Pick<
  Selectable<Tables['waitlist_entries']>,
  'id' | 'target' | 'quantity' | 'status' | 'offered_until' | 'joined_at' | 'reason'
>

/** Lists all current and former waiting list entries of a participant, in the order in which they joined. */
export async function listWaitlistEntries(
  ctx: RegistrationContext,
  { id }: Pick<ParticipantRow, 'id'>,
): Promise<z.input<typeof WaitlistEntrySummary>[]> {
  const { rows } = await sql<Entry & { rank: number | null }>`
    select w.id, w.target, w.quantity, w.status, w.offered_until, w.joined_at, w.reason, case when w.status = 'waiting' then (
      select count(*) from waitlist_entries o where o.tenant_id = w.tenant_id and o.event_id = w.event_id and o.target = w.target
        and o.status = 'waiting' and o.is_test_data = w.is_test_data and o.position <= w.position) end as rank
    from waitlist_entries w where w.tenant_id = ${ctx.tenantId} and w.event_id = ${ctx.event.id} and w.participant_id = ${id}
    order by w.position, w.id`.execute(ctx.db)
  return rows.map(({ id: entryId, offered_until, joined_at, ...entry }) => ({
    entryId,
    ...entry,
    offeredUntil: offered_until ? formatInstant(offered_until) : null,
    joinedAt: formatInstant(joined_at),
  }))
}
