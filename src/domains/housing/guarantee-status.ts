import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { HousingQueryContext } from './context.ts'
import { GUARANTEE_STATES } from './states.ts'

const PENDING = 'pending'
const SECURED = GUARANTEE_STATES.move(PENDING, 'secured')

/**
 * Marks rooms as guaranteed once the guest consented to a card charge or the invoice of the deposit is paid. A deposit that was credited
 * guarantees nothing: it belongs to an earlier booking of the same reservation.
 */
const updateSecured = (db: Db, which: RawBuilder<unknown>) =>
  sql`
  update reservations s set guarantee_status = ${SECURED}, guarantee_due_at = null, saved_card_id = coalesce(s.saved_card_id, (
    select c.id from saved_cards c where s.guarantee_kind = 'card' and c.tenant_id = s.tenant_id and c.event_id = s.event_id
      and c.participant_id = s.participant_id and c.consent_at is not null order by c.created_at desc, c.id desc limit 1))
  where s.status = 'confirmed' and s.guarantee_status = ${PENDING} and ${which} and case s.guarantee_kind
    when 'card' then exists (
      select from saved_cards c where c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.participant_id = s.participant_id
        and c.consent_at is not null)
    when 'deposit' then exists (
      select from order_lines l join invoices i on i.tenant_id = l.tenant_id and i.event_id = l.event_id and i.id = l.invoice_id
      where l.tenant_id = s.tenant_id and l.event_id = s.event_id and l.reservation_id = s.id and l.kind = 'deposit' and i.balance <= 0
        and not exists (select from order_lines c where c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.reverses_line_id = l.id
          and c.quantity < 0))
    else false end`.execute(db)

/** Marks a participant's rooms as guaranteed, after they saved a card or paid. */
export const markGuaranteedStays = async ({ db, tenantId, event }: HousingQueryContext, participantId: string): Promise<void> =>
  void (await updateSecured(db, sql`s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = ${participantId}`))

/**
 * Marks every room whose guarantee has arrived, including those of guests who closed the browser before they returned from the payment
 * page.
 */
export const markAllGuaranteedStays = async (db: Db): Promise<void> => void (await updateSecured(db, sql`true`))

/** Records that a guarantee reminder was sent, so that there is one reminder per deadline. */
export const recordGuaranteeReminder = async ({ db, tenantId, event }: HousingQueryContext, reservationId: string): Promise<void> =>
  void (await sql`
    update reservations set guarantee_reminded_at = lanyard_now()
    where tenant_id = ${tenantId} and event_id = ${event.id} and id = ${reservationId}`.execute(db))
