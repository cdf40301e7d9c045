import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Where } from './scene.ts'
import type {} from '../payments/tables.ts'

/** Rooms that wait for a card or a deposit and have it now. A card is had with the words of its owner, a deposit when its invoice is paid. */
const secure = (db: Db, which: RawBuilder<unknown>) =>
  sql`
  update reservations s set guarantee_status = 'secured', guarantee_due_at = null, saved_card_id = coalesce(s.saved_card_id, (
    select c.id from saved_cards c where s.guarantee_kind = 'card' and c.tenant_id = s.tenant_id and c.event_id = s.event_id
      and c.participant_id = s.participant_id and c.consent_at is not null order by c.created_at desc, c.id desc limit 1))
  where s.status = 'confirmed' and s.guarantee_status = 'pending' and ${which} and case s.guarantee_kind
    when 'card' then exists (
      select from saved_cards c where c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.participant_id = s.participant_id
        and c.consent_at is not null)
    when 'deposit' then exists (
      select from order_lines l join invoices i on i.tenant_id = l.tenant_id and i.event_id = l.event_id and i.id = l.invoice_id
      where l.tenant_id = s.tenant_id and l.event_id = s.event_id and l.reservation_id = s.id and l.kind = 'deposit' and i.balance <= 0)
    else false end`.execute(db)

/** For somebody who has just left a card or paid. */
export const secureStaysOf = async ({ db, tenantId, event }: Where, participantId: string): Promise<void> =>
  void (await secure(db, sql`s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.participant_id = ${participantId}`))

/** For whoever closed the browser too soon. */
export const secureAll = async (db: Db): Promise<void> => void (await secure(db, sql`true`))

/** Their guest was told that they have to be secured; of each deadline once. */
export const noteReminded = async ({ db, tenantId, event }: Where, reservationId: string): Promise<void> =>
  void (await sql`
    update reservations set guarantee_reminded_at = lanyard_now()
    where tenant_id = ${tenantId} and event_id = ${event.id} and id = ${reservationId}`.execute(db))
