import type { NewOrderLine } from '../orders/lines.ts'
import { computeTaxedAmounts, toApplicableTax } from '../pricing/taxes.ts'
import { startOfDay } from '../../kernel/time.ts'
import type { HousingSnapshot, HousingQueryContext } from './context.ts'
import { listReservedNights } from './reservations.ts'
import { calculateDeposit, priceStay, type StayPrice } from './stay.ts'
import type { BlockRow, HotelRow, ReservationRow } from './tables.ts'
import type { BookedNight } from './take-nights.ts'
import { eventDb } from '../../kernel/scoped-db.ts'

type Guarantee = Pick<
  ReservationRow,
  'guarantee_kind' | 'guarantee_status' | 'guarantee_due_at' | 'guarantee_reminded_at' | 'saved_card_id'
>

const NOT_NEEDED: Guarantee = {
  guarantee_kind: 'none',
  guarantee_status: 'notNeeded',
  guarantee_due_at: null,
  guarantee_reminded_at: null,
  saved_card_id: null,
}

/**
 * Determines how a room is guaranteed: not at all, by the block's owner, by a saved card, or by a deposit. A missing guarantee gets a
 * deadline.
 */
export async function determineRoomGuarantee(
  ctx: HousingQueryContext,
  {
    snapshot,
    participantId,
    checkIn,
    blocks,
  }: { snapshot: HousingSnapshot; participantId: string; checkIn: string; blocks: readonly BlockRow[] },
): Promise<Guarantee> {
  const { guarantee, guaranteeHours } = snapshot.config.housing
  if (guarantee === 'none') return NOT_NEEDED
  if (blocks.some(({ payment_by }) => payment_by === 'master')) return { ...NOT_NEEDED, guarantee_kind: 'master' }
  const card = guarantee === 'card' ? await findSavedCardId(ctx, participantId) : null
  if (card !== null) return { ...NOT_NEEDED, guarantee_kind: 'card', guarantee_status: 'secured', saved_card_id: card }
  const due = Math.min(snapshot.at.getTime() + guaranteeHours * 3_600_000, startOfDay(snapshot.timezone, checkIn).getTime())
  return { ...NOT_NEEDED, guarantee_kind: guarantee, guarantee_status: 'pending', guarantee_due_at: new Date(due) }
}

async function findSavedCardId(ctx: HousingQueryContext, participantId: string): Promise<string | null> {
  const row = await eventDb(ctx)
    .selectFrom('saved_cards')
    .select('id')
    .where('participant_id', '=', participantId)
    .where('consent_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.id ?? null
}

/** The amounts of the deposit for a stay; null without a deposit. It is taxed only if the event configures a tax for deposits. */
export function computeDepositAmounts({ config, currency }: Pick<HousingSnapshot, 'config' | 'currency'>, price: StayPrice) {
  const amount = calculateDeposit(config.housing, price, currency)
  if (amount === null || amount === 0) return null
  const terms = toApplicableTax(config.taxes.find(({ code }) => code === config.housing.depositTaxCode))
  return { ...terms, ...computeTaxedAmounts(terms, amount, 0), unitPrice: amount }
}

/** Builds the order line of the deposit. */
function buildDepositLine(
  snapshot: HousingSnapshot,
  { id, participant_id }: Pick<ReservationRow, 'id' | 'participant_id'>,
  { price, hotel, nights }: { price: StayPrice; hotel: string; nights: string },
): NewOrderLine | null {
  const amounts = computeDepositAmounts(snapshot, price)
  if (amounts === null) return null
  return {
    ...amounts,
    kind: 'deposit',
    productCode: null,
    description: `${hotel}, ${nights}`,
    quantity: 1,
    participantId: participant_id,
    reservationId: id,
    pricedAt: snapshot.at,
  }
}

/** Lists the room blocks that a held or booked room comes from. */
export async function listReservationBlocks(ctx: HousingQueryContext, reservationId: string): Promise<BlockRow[]> {
  const ids = (await listReservedNights(ctx, reservationId)).flatMap(({ block_id }) => block_id ?? [])
  if (ids.length === 0) return []
  return eventDb(ctx).selectFrom('room_blocks').selectAll().where('id', 'in', ids).execute()
}

/** Builds the deposit line of a held or booked room from its nightly rates. */
export async function buildReservationDeposit(
  ctx: HousingQueryContext,
  snapshot: HousingSnapshot,
  reservation: Pick<ReservationRow, 'id' | 'participant_id' | 'check_in' | 'check_out'>,
  hotel: HotelRow,
): Promise<NewOrderLine | null> {
  const nights: Pick<BookedNight, 'rate'>[] = await listReservedNights(ctx, reservation.id)
  const price = priceStay(
    hotel,
    nights.map(({ rate }) => rate),
  )
  return buildDepositLine(snapshot, reservation, { price, hotel: hotel.name, nights: `${reservation.check_in} – ${reservation.check_out}` })
}
