import { sql } from 'kysely'
import { readPage } from '../../../kernel/page.ts'
import { eventDb, joinRowsOfSameEvent } from '../../../kernel/scoped-db.ts'
import { countAvailableUnits, readStockLevels, type StockLevel } from '../../inventory/units.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import { formatParticipantName } from '../participant-shape.ts'

/** The figures of one waiting list. */
export interface Waitlist {
  /** The inventory key of the event, flow or product that people wait for. */
  target: string
  waiting: number
  offered: number
  /** The number of units that open offers hold. */
  heldByOffers: number
  /** The time when the first person on the waiting list joined; null if the list is empty. */
  oldestJoinedAt: Date | null
  /** The time when the next of the open waiting list offers expires. */
  nextOfferEndsAt: Date | null
  expiredThisWeek: number
  stock: StockLevel | null
  /** The number of units that can be offered; null if the capacity is unlimited. */
  available: number | null
}

/**
 * Lists the waiting lists with waiting or offered entries, longest first. The list with the key `also` is included even if it is empty.
 * Test data has separate lists.
 */
export async function listWaitlists(
  ctx: RegistrationContext,
  { isTestData, also }: { isTestData: boolean; also: string | undefined },
): Promise<Waitlist[]> {
  const { rows } = await sql<Omit<Waitlist, 'stock' | 'available'>>`
    select w.target, count(*) filter (where w.status = 'waiting')::int as waiting,
      count(*) filter (where w.status = 'offered')::int as offered,
      coalesce(sum(w.quantity) filter (where w.status = 'offered'), 0)::int as "heldByOffers",
      min(w.joined_at) filter (where w.status = 'waiting') as "oldestJoinedAt",
      min(w.offered_until) filter (where w.status = 'offered') as "nextOfferEndsAt",
      count(*) filter (where w.reason = 'offer_expired' and w.ended_at > lanyard_now() - interval '7 days')::int as "expiredThisWeek"
    from waitlist_entries w
    where w.tenant_id = ${ctx.tenantId} and w.event_id = ${ctx.event.id} and w.is_test_data = ${isTestData}
    group by w.target having count(*) filter (where w.status in ('waiting', 'offered')) > 0 or w.target = ${also ?? ''}
    order by waiting desc, w.target`.execute(ctx.db)
  const stock = await readStockLevels(
    ctx,
    rows.map(({ target }) => target),
  )
  return rows.map((row) => {
    const level = stock.get(row.target) ?? null
    return { ...row, stock: level, available: level === null ? null : countAvailableUnits(level) }
  })
}

/** A person on a waiting list, with their entry. */
export interface WaitlistedPerson {
  entryId: string
  participantId: string
  name: string
  email: string | null
  company: string | null
  tags: readonly string[]
  quantity: number
  joinedAt: Date
  offeredUntil: Date | null
  /** Whether a card charge for this waiting list entry is in progress. */
  charging: boolean
  /** The participant's saved payment card that may be charged, such as "visa 4242". */
  card: string | null
}

interface QueueRequest {
  target: string
  status: 'waiting' | 'offered'
  isTestData: boolean
  limit: number
  cursor?: string | undefined
}

/** Lists the people on a waiting list in the order in which they joined: those who are waiting, or those with an open offer. */
export function listPeopleOnWaitlist(ctx: RegistrationContext, { target, status, isTestData, ...page }: QueueRequest) {
  const rows = eventDb(ctx)
    .selectFrom('waitlist_entries')
    .innerJoin('participants', (join) => joinRowsOfSameEvent(join, 'participants.id', 'waitlist_entries.participant_id'))
    .select([
      'waitlist_entries.id',
      'waitlist_entries.participant_id',
      'waitlist_entries.quantity',
      'waitlist_entries.position',
      'waitlist_entries.joined_at',
      'waitlist_entries.offered_until',
    ])
    .select(['participants.first_name', 'participants.last_name', 'participants.email', 'participants.company', 'participants.tags'])
    .select([
      sql<boolean>`exists (select from charges c where c.tenant_id = waitlist_entries.tenant_id and c.event_id = waitlist_entries.event_id and c.entry_id = waitlist_entries.id
        and c.status in ('pending', 'unknown'))`.as('charging'),
      sql<
        string | null
      >`(select concat_ws(' ', coalesce(s.brand, 'card'), s.last4) from saved_cards s where s.tenant_id = waitlist_entries.tenant_id
        and s.event_id = waitlist_entries.event_id and s.participant_id = waitlist_entries.participant_id and s.consent_at is not null
        order by s.consent_at desc, s.id desc limit 1)`.as('card'),
    ])
    .where('waitlist_entries.target', '=', target)
    .where('waitlist_entries.status', '=', status)
    .where('waitlist_entries.is_test_data', '=', isTestData)
  return readPage(ctx, page, {
    rows,
    order: [{ by: sql`waitlist_entries.position`, type: 'bigint', of: (row) => String(row.position) }],
    shape: (row): WaitlistedPerson => ({
      entryId: row.id,
      participantId: row.participant_id,
      name: formatParticipantName(row),
      email: row.email,
      company: row.company,
      tags: row.tags,
      quantity: row.quantity,
      joinedAt: row.joined_at,
      offeredUntil: row.offered_until,
      charging: row.charging,
      card: row.card,
    }),
  })
}

/** Counts the people who are ahead of this entry on the waiting list. */
export async function countEntriesAheadOnWaitlist(
  ctx: RegistrationContext,
  { target, entryId, isTestData }: { target: string; entryId: string; isTestData: boolean },
): Promise<number> {
  const { rows } = await sql<{ before: number }>`
    select count(*)::int as before from waitlist_entries o join waitlist_entries w
      on w.tenant_id = o.tenant_id and w.event_id = o.event_id and w.id = ${entryId}
    where o.tenant_id = ${ctx.tenantId} and o.event_id = ${ctx.event.id} and o.target = ${target} and o.status = 'waiting'
      and o.is_test_data = ${isTestData} and o.position < w.position`.execute(ctx.db)
  return rows[0]!.before
}
