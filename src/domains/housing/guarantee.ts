import type { NewLine } from '../orders/lines.ts'
import { amountsAt, termsOf } from '../pricing/taxes.ts'
import { startOfDay } from '../../kernel/time.ts'
import type { HousingScene, Where } from './scene.ts'
import { depositFor, type StayPrice } from './stay.ts'
import type { BlockRow, ReservationRow } from './tables.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import type {} from '../payments/tables.ts'

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

/** What a room is secured by: nothing, whoever owns the block, a card that was saved for it, or a deposit. What is missing has to come in time. */
export async function guaranteeFor(
  ctx: Where,
  { scene, participantId, checkIn, blocks }: { scene: HousingScene; participantId: string; checkIn: string; blocks: readonly BlockRow[] },
): Promise<Guarantee> {
  const { guarantee, guaranteeHours } = scene.config.housing
  if (guarantee === 'none') return NOT_NEEDED
  if (blocks.some(({ payment_by }) => payment_by === 'master')) return { ...NOT_NEEDED, guarantee_kind: 'master' }
  const card = guarantee === 'card' ? await savedCard(ctx, participantId) : null
  if (card !== null) return { ...NOT_NEEDED, guarantee_kind: 'card', guarantee_status: 'secured', saved_card_id: card }
  const due = Math.min(scene.at.getTime() + guaranteeHours * 3_600_000, startOfDay(scene.timezone, checkIn).getTime())
  return { ...NOT_NEEDED, guarantee_kind: guarantee, guarantee_status: 'pending', guarantee_due_at: new Date(due) }
}

async function savedCard({ db, tenantId, event }: Where, participantId: string): Promise<string | null> {
  const row = await db
    .selectFrom('saved_cards')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('participant_id', '=', participantId)
    .where('consent_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Where cards may not leave for a hotel, none is promised to it either. No hotel has shown an attestation yet, so the gate is closed. */
export function refuseUngated({ config }: HousingScene, hotel: string): void {
  const { pciGate, guarantee } = config.housing
  if (pciGate === 'booking' && guarantee === 'card')
    throw preconditionFailed(`${hotel} cannot be booked yet: it has not shown that it may be given cards (PCI attestation)`)
}

/** The deposit as a line on the guest's order; taxed only where the event names a tax for it. */
export function depositLine(
  { config, currency, at }: HousingScene,
  { id, participant_id }: Pick<ReservationRow, 'id' | 'participant_id'>,
  { price, hotel, nights }: { price: StayPrice; hotel: string; nights: string },
): NewLine | null {
  const amount = depositFor(config.housing, price, currency)
  if (amount === null || amount === 0) return null
  const { depositTaxCode: taxCode } = config.housing
  const terms = termsOf(config.taxes.find(({ code }) => code === taxCode))
  return {
    ...terms,
    ...amountsAt(terms, amount, 0),
    kind: 'deposit',
    productCode: null,
    description: `${hotel}, ${nights}`,
    quantity: 1,
    unitPrice: amount,
    participantId: participant_id,
    reservationId: id,
    pricedAt: at,
  }
}
