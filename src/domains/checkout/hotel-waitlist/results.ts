import { sql } from 'kysely'
import type { z } from 'zod'
import { toOneLine, count, day, id, list, money, object, oneOf, text } from '../../../kernel/args.ts'
import { type Money, sumMinorUnits, toMinorUnits, toMoney } from '../../../kernel/money.ts'
import type { HousingContext } from '../../housing/context.ts'
import { isEntryChargePendingSql } from '../../housing/waitlist-entries.ts'
import type { WaitlistFillRow } from './fill-rows.ts'

const GivenRoom = object({
  id: text().optional(),
  ackNumber: text().nullable(),
  status: text(),
  hotelId: text(),
  roomTypeCode: text(),
  checkIn: day(),
  checkOut: day(),
})

export const WaitlistFillResult = object({
  entryId: id(),
  participantId: id(),
  outcome: oneOf(['filled', 'offered', 'charge_pending', 'skipped']),
  reason: text(500).optional(),
  reservation: GivenRoom.optional(),
  amount: money().optional(),
})

const RESULT = 'entryId, participantId, outcome filled|offered|charge_pending|skipped, reason, amount'

export const WaitlistFillResults = {
  results: list(toOneLine(WaitlistFillResult, RESULT), 1000),
  filled: count(),
  offered: count(),
  charged: toOneLine(object({ count: count(), amount: money() }), 'count, amount'),
  waiting: count(),
}
export type WaitlistFillResults = z.output<z.ZodObject<typeof WaitlistFillResults>>
type WaitlistFillResult = WaitlistFillResults['results'][number]

type ResultRow = Omit<WaitlistFillResult, 'reason' | 'reservation' | 'amount'> & {
  reason: string | null
  amount: number | null
  paid: number | null
  reservation: WaitlistFillResult['reservation'] | null
}

/**
 * Reads the outcomes of all waiting list entries that a fill (a call that gives hotel rooms to the waiting list) has processed so far, in
 * the tool call itself or in its background job.
 */
export async function readWaitlistFillResults(ctx: HousingContext, fill: WaitlistFillRow): Promise<WaitlistFillResults> {
  const { rows } = await sql<ResultRow>`
    select f.entry_id as "entryId", w.participant_id as "participantId", f.outcome, f.reason, f.amount,
      case when c.status = 'succeeded' and f.outcome = 'filled' then c.amount end as paid,
      case when s.id is not null then json_build_object('id', s.id, 'ackNumber', s.ack_number, 'status', s.status, 'hotelId', s.hotel_id,
        'roomTypeCode', s.room_type_code, 'checkIn', s.check_in, 'checkOut', s.check_out) end as reservation
    from hotel_waitlist_fill_entries f
    join hotel_waitlist_entries w on w.tenant_id = f.tenant_id and w.event_id = f.event_id and w.id = f.entry_id
    left join reservations s on s.tenant_id = f.tenant_id and s.event_id = f.event_id and s.id = f.reservation_id and f.outcome <> 'skipped'
    left join charges c on c.tenant_id = f.tenant_id and c.event_id = f.event_id and c.id = f.charge_id
    where f.tenant_id = ${ctx.tenantId} and f.event_id = ${ctx.event.id} and f.fill_id = ${fill.id} and f.outcome is not null
    order by f.ordinal`.execute(ctx.db)
  const { currency } = ctx.event
  const paid = rows.flatMap((row) => (row.paid === null ? [] : [Number(row.paid)]))
  return {
    results: rows.map(({ reason, amount, reservation, entryId, participantId, outcome }) => ({
      entryId,
      participantId,
      outcome,
      ...(reason === null ? {} : { reason: reason.slice(0, 500) }),
      ...(reservation ? { reservation } : {}),
      ...(amount === null ? {} : { amount: toMoney(Number(amount), currency) }),
    })),
    filled: rows.filter(({ outcome }) => outcome === 'filled').length,
    offered: rows.filter(({ outcome }) => outcome === 'offered').length,
    charged: { count: paid.length, amount: toMoney(sumMinorUnits(paid), currency) },
    waiting: await countWaiting(ctx, fill.hotel_id),
  }
}

/**
 * Counts the entries that still wait for a room of the hotel, or of any hotel, without test data and without entries whose card is being
 * charged.
 */
async function countWaiting({ db, tenantId, event }: HousingContext, hotelId: string | null): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from hotel_waitlist_entries w
    where w.tenant_id = ${tenantId} and w.event_id = ${event.id} and w.status = 'waiting' and not w.is_test_data and not ${isEntryChargePendingSql}
      and (${hotelId}::text is null or w.hotel_id is null or w.hotel_id = ${hotelId}
        or w.alternatives @> ${JSON.stringify([{ hotelId }])}::jsonb)`.execute(db)
  return rows[0]!.waiting
}

/**
 * Converts the results of a call for its dry run, which reserves nothing and charges no cards: without reservation ids, and with the
 * amounts that would be charged.
 */
export function toWaitlistFillPreview({ results }: Pick<WaitlistFillResults, 'results'>): Partial<WaitlistFillResults> {
  const pending = results.flatMap(({ outcome, amount }) => (outcome === 'charge_pending' && amount ? [amount] : []))
  return {
    results: results.map(({ reservation, ...result }) => {
      const { id: _unsaved, ...place } = reservation ?? {}
      return reservation ? { ...result, reservation: place as NonNullable<typeof reservation> } : result
    }),
    ...(pending.length === 0 ? {} : { charged: { count: pending.length, amount: sumOf(pending) } }),
  }
}

const sumOf = (amounts: readonly Money[]): Money =>
  toMoney(sumMinorUnits(amounts.map(({ amount, currency }) => toMinorUnits(amount, currency))), amounts[0]!.currency)
