import { sendEventEmail, type SentMail } from '../messages/event-mail/send.ts'
import type { AtEvent } from './scene.ts'
import { staysOf } from './reservations.ts'
import { hotelWaitsOf } from './waitlist.ts'

type Guest = NonNullable<SentMail['participant']>

/** Tells somebody of their rooms as they are: booked, given up, or waited for. Of each state they are told once. */
export async function mailRooms(ctx: AtEvent, participant: Guest, to: SentMail['to']): Promise<void> {
  const about = { participant, to, isTestData: participant.is_test_data }
  for (const stay of await staysOf(ctx, [participant.id])) {
    if (stay.status !== 'confirmed' && stay.status !== 'cancelled') continue
    const trigger = stay.status === 'confirmed' ? 'housing.confirmed' : 'housing.cancelled'
    await sendEventEmail(ctx, {
      ...about,
      trigger,
      values: { ...nights(stay), 'housing.ackNumber': stay.ackNumber ?? '' },
      sourceKind: 'reservation',
      sourceId: stay.reservationId,
      // Whoever takes the room over is told too.
      recipientKey: `${trigger}:${participant.id}:${stay.hotel}:${stay.checkIn}:${stay.checkOut}`,
    })
  }
  for (const wait of await hotelWaitsOf(ctx, [participant.id])) {
    await sendEventEmail(ctx, {
      ...about,
      trigger: 'housing.waitlisted',
      values: nights(wait),
      sourceKind: 'hotelWaitlist',
      sourceId: participant.id,
      recipientKey: `${wait.hotelId ?? 'any'}:${wait.checkIn}:${wait.checkOut}`,
    })
  }
}

const nights = ({ hotel, checkIn, checkOut }: { hotel: string | null; checkIn: string; checkOut: string }) => ({
  'housing.hotelName': hotel ?? '',
  'housing.checkIn': { day: checkIn },
  'housing.checkOut': { day: checkOut },
})
