import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob, enqueueJob } from '../../kernel/jobs.ts'
import type { RecurringTask } from '../../kernel/recurring.ts'
import { findDueGuaranteeAction, listRoomsWithDueGuarantee, listEventsWithDueGuarantees } from '../housing/due-guarantees.ts'
import { sendRoomDeadlineEmail, sendRoomEmails } from '../housing/emails.ts'
import { cancelStay } from '../housing/release.ts'
import { getReservation, listReservations } from '../housing/reservations.ts'
import { toRoomAnswers } from '../housing/room-answers.ts'
import { listHotelWaitlistSpots } from '../housing/waitlist.ts'
import { recordGuaranteeReminder, markGuaranteedStays } from '../housing/guarantee-status.ts'
import type { ReservationRow } from '../housing/tables.ts'
import { getParticipantEmailAddress } from '../registration/confirmation.ts'
import { formatParticipantName } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { saveRoomAnswers } from '../registration/sale/rooms.ts'
import { assignFreedRooms, sendEmailAboutReservation } from './room-waitlist.ts'
import { type RegistrationContext, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'

const loadRoomSnapshot = async (ctx: RegistrationContext, isTest: boolean): Promise<EventSnapshot> => ({
  ...(await loadEventSnapshot(ctx, isTest ? { test: { useDraft: true } } : {})),
  isTest,
})

/**
 * The background job that reminds participants whose room has no guarantee (card or deposit) halfway to the deadline, and cancels the rooms
 * after the deadline.
 */
export const enforceRoomGuarantees = defineJob({
  name: 'settle_room_guarantees',
  scope: 'event',
  exclusivePerEvent: true,
  input: z.object({}),
  async run(job) {
    const due = await job.step((ctx: EventContext) => listRoomsWithDueGuarantee(ctx))
    // Each room has its own transaction, so that a concurrent booking waits for the lock of one room at most.
    for (const id of due) await job.step((ctx: EventContext) => settleRoom(ctx, id))
    return { rooms: due.length }
  },
})

/**
 * Sends the reminder for a reservation or cancels it. Reads the reservation again, because it may have been guaranteed, paid or cancelled
 * since it was listed.
 */
async function settleRoom(ctx: RegistrationContext, reservationId: string): Promise<void> {
  await markGuaranteedStays(ctx, (await getReservation(ctx, reservationId)).participant_id)
  const due = await findDueGuaranteeAction(ctx, reservationId)
  if (due === null) return
  const room = await getReservation(ctx, reservationId)
  await (due === 'release' ? release(ctx, room) : remind(ctx, room))
}

async function remind(ctx: RegistrationContext, room: ReservationRow): Promise<void> {
  const row = await getParticipant(ctx, room.participant_id)
  await recordGuaranteeReminder(ctx, room.id)
  await sendEmailAboutReservation(ctx, row, room.id, (about) =>
    sendRoomDeadlineEmail(ctx, 'housing.guaranteeDue', { ...about, until: room.guarantee_due_at! }),
  )
}

/** Cancels the reservation and offers the room to the waiting list. */
async function release(ctx: RegistrationContext, room: ReservationRow): Promise<void> {
  const snapshot = await loadRoomSnapshot(ctx, room.is_test_data)
  await cancelStay(ctx, snapshot, room.id, 'not secured in time')
  await clearRoomAnswers(ctx, room.participant_id)
  const row = await getParticipant(ctx, room.participant_id)
  if (row.email !== null || row.host_id !== null)
    await sendRoomEmails(ctx, row, { email: await getParticipantEmailAddress(ctx, row), name: formatParticipantName(row) || null })
  await assignFreedRooms(ctx, snapshot, room.hotel_id)
}

/**
 * Removes the room from the participant's answers, so that it is not booked again when the registration is restored. The answers of a
 * participant who waits for another room are kept.
 */
async function clearRoomAnswers(ctx: RegistrationContext, participantId: string): Promise<void> {
  if ((await listHotelWaitlistSpots(ctx, [participantId])).length > 0) return
  const [other] = await listReservations(ctx, [participantId], ['confirmed'])
  await saveRoomAnswers(ctx, participantId, other ? toRoomAnswers(other) : {})
}

export const enqueueGuaranteeEnforcement: RecurringTask = {
  name: 'guarantees',
  schedule: { everySeconds: 3600 },
  run: ({ transact, queue, actor }) =>
    transact(async (db) => {
      for (const { tenantId, eventId } of await listEventsWithDueGuarantees(db))
        await enqueueJob({ tenantId, actor, db, queue }, enforceRoomGuarantees, {}, { eventId })
    }),
}
