import { getDatabaseTime } from '../../kernel/database-time.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toDayInZone } from '../../kernel/time.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { sendRoomDeadlineEmail } from '../housing/emails.ts'
import { markGuaranteedStays } from '../housing/guarantee-status.ts'
import { getReservation, listStays } from '../housing/reservations.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { listBlockGuests } from './guests.ts'
import { lockBlockRequest, getRequestLabel } from './requests.ts'

/**
 * Emails the guests of the request's block whose room is not guaranteed yet, each at most once a day, with the deadline and the link to
 * guarantee it. Returns the number of emails.
 */
export async function remindGuests(ctx: ExhibitorContext, requestId: string): Promise<number> {
  const row = await lockBlockRequest(ctx, requestId)
  if (row.status !== 'accepted') throw preconditionFailed(`Guests of ${getRequestLabel(row)} can be reminded after the rooms were accepted`)
  const today = toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx))
  const before = ctx.effects.counts().recipients
  for (const { reservationId, guaranteeDueAt } of await listBlockGuests(ctx, row))
    if (guaranteeDueAt !== null) await remind(ctx, reservationId, today)
  return ctx.effects.counts().recipients - before
}

async function remind(ctx: ExhibitorContext, reservationId: string, today: string): Promise<void> {
  const { participant_id: participantId } = await getReservation(ctx, reservationId)
  await markGuaranteedStays(ctx, participantId)
  const { guarantee_status, guarantee_due_at: until } = await getReservation(ctx, reservationId)
  const participant = await getParticipant(ctx, participantId)
  const stay = (await listStays(ctx, [participantId])).find((one) => one.reservationId === reservationId)
  if (guarantee_status !== 'pending' || until === null || participant.email === null || !stay) return
  const to = { email: participant.email, name: [participant.first_name, participant.last_name].filter(Boolean).join(' ') || null }
  await sendRoomDeadlineEmail(ctx, 'housing.guaranteeDue', { participant, to, stay, until, sentOn: today })
}
