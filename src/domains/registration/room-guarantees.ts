import { sql } from 'kysely'
import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob, enqueueJob } from '../../kernel/jobs.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { sendRoomDeadlineEmail, sendRoomEmails } from '../housing/emails.ts'
import { cancelStay } from '../housing/release.ts'
import { getReservation } from '../housing/reservations.ts'
import { recordGuaranteeReminder, markSecuredStays } from '../housing/guarantee-status.ts'
import type { ReservationRow } from '../housing/tables.ts'
import { getEmailAddress } from './confirmation.ts'
import { nameOf } from './participant-shape.ts'
import { getParticipant } from './participant-rows.ts'
import { assignFreedRooms, emailAboutRoom } from './room-waitlist.ts'
import { type EventScope, loadEventSnapshot, type EventSnapshot } from './event-snapshot.ts'

/** Half of the time to guarantee the room has passed, and no reminder was sent yet. */
const IS_HALF_TIME = sql`s.guarantee_reminded_at is null and s.guarantee_due_at > lanyard_now()
  and lanyard_now() >= s.confirmed_at + (s.guarantee_due_at - s.confirmed_at) / 2`

/** A reservation with a pending payment is not overdue, so that it is not cancelled while the participant is paying. */
const IS_OVERDUE = sql`s.guarantee_due_at <= lanyard_now() and not exists (
  select from charges c where c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.participant_id = s.participant_id
    and c.status in ('pending', 'unknown'))`

const UNSECURED = sql`s.status = 'confirmed' and s.guarantee_status = 'pending'`

const loadRoomSnapshot = async (ctx: EventScope, isTest: boolean): Promise<EventSnapshot> => ({
  ...(await loadEventSnapshot(ctx, isTest ? { test: { useDraft: true } } : {})),
  isTest,
})

/** Reminds participants with unguaranteed rooms at half time, and cancels the rooms after the deadline. */
export const settleRoomGuarantees = defineJob({
  name: 'settle_room_guarantees',
  scope: 'event',
  exclusivePerEvent: true,
  input: z.object({}),
  async run(job) {
    const due = await job.step((ctx: EventContext) => listDueRooms(ctx))
    // One transaction per room, so that concurrent bookings wait for at most one of them.
    for (const id of due) await job.step((ctx: EventContext) => settleRoom(ctx, id))
    return { rooms: due.length }
  },
})

async function listDueRooms({ db, tenantId, event }: EventScope): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from reservations s
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and ${UNSECURED} and (${IS_OVERDUE} or ${IS_HALF_TIME})
    order by s.guarantee_due_at, s.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Checks the reservation again, because it may have been guaranteed, paid or cancelled since it was listed. */
async function settleRoom(ctx: EventScope, reservationId: string): Promise<void> {
  await markSecuredStays(ctx, (await getReservation(ctx, reservationId)).participant_id)
  const { rows } = await sql<{ overdue: boolean }>`
    select ${IS_OVERDUE} as overdue from reservations s
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = ${reservationId} and ${UNSECURED}
      and (${IS_OVERDUE} or ${IS_HALF_TIME})`.execute(ctx.db)
  if (!rows[0]) return
  const room = await getReservation(ctx, reservationId)
  await (rows[0].overdue ? release(ctx, room) : remind(ctx, room))
}

async function remind(ctx: EventScope, room: ReservationRow): Promise<void> {
  const row = await getParticipant(ctx, room.participant_id)
  await recordGuaranteeReminder(ctx, room.id)
  await emailAboutRoom(ctx, row, room.id, (about) => sendRoomDeadlineEmail(ctx, 'housing.guaranteeDue', { ...about, until: room.guarantee_due_at! }))
}

/** Cancels the reservation and offers the room to the waiting list. */
async function release(ctx: EventScope, room: ReservationRow): Promise<void> {
  const snapshot = await loadRoomSnapshot(ctx, room.is_test_data)
  await cancelStay(ctx, snapshot, room.id, 'not secured in time')
  const row = await getParticipant(ctx, room.participant_id)
  if (row.email !== null || row.host_id !== null) await sendRoomEmails(ctx, row, { email: await getEmailAddress(ctx, row), name: nameOf(row) || null })
  await assignFreedRooms(ctx, snapshot, room.hotel_id)
}

export const enqueueRoomGuarantees: RecurringTask = {
  name: 'guarantees',
  schedule: { everySeconds: 3600 },
  run: ({ transact, queue, actor }) =>
    transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string }>`
        select distinct s.tenant_id as "tenantId", s.event_id as "eventId" from reservations s
        join events e on e.tenant_id = s.tenant_id and e.id = s.event_id and e.status <> 'archived'
        where ${UNSECURED} and (${IS_OVERDUE} or ${IS_HALF_TIME})`.execute(db)
      for (const { tenantId, eventId } of rows) await enqueueJob({ tenantId, actor, db, queue }, settleRoomGuarantees, {}, { eventId })
    }),
}
