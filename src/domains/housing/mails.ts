import { sendEventEmail, type SentMail } from '../messages/event-mail/send.ts'
import type { AtEvent } from './scene.ts'
import { eventPages } from '../tenancy/public-pages.ts'
import { type Stay, staysOf } from './reservations.ts'
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
      recipientKey: keyOf(trigger, participant, stay),
    })
  }
  for (const wait of await hotelWaitsOf(ctx, [participant.id])) {
    if (wait.status !== 'waiting') continue
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

interface Nights {
  hotel: string | null
  checkIn: string
  checkOut: string
}

const keyOf = (trigger: string, { id }: Guest, { hotel, checkIn, checkOut }: Nights) => `${trigger}:${id}:${hotel}:${checkIn}:${checkOut}`

interface AboutStay {
  participant: Guest
  to: SentMail['to']
  stay: Stay
}

/** Somebody moved up and has the room: that is its confirmation, and no second one follows. */
export async function mailFilled(ctx: AtEvent, { participant, to, stay }: AboutStay): Promise<void> {
  await sendEventEmail(ctx, {
    participant,
    to,
    trigger: 'housing.filled',
    values: { ...nights(stay), 'housing.ackNumber': stay.ackNumber ?? '', ...linkTo(ctx) },
    isTestData: participant.is_test_data,
    sourceKind: 'reservation',
    sourceId: stay.reservationId,
    recipientKey: keyOf('housing.confirmed', participant, stay),
  })
}

/** That a room is held for somebody who waited, and until when; or that one has to be secured, and until when. */
export async function mailDeadline(
  ctx: AtEvent,
  trigger: 'housing.offered' | 'housing.guaranteeDue',
  { participant, to, stay, until }: AboutStay & { until: Date },
): Promise<void> {
  await sendEventEmail(ctx, {
    participant,
    to,
    trigger,
    values: {
      ...nights(stay),
      'housing.ackNumber': stay.ackNumber ?? '',
      'housing.deadline': { instant: until, zone: ctx.event.timezone },
      ...linkTo(ctx),
    },
    isTestData: participant.is_test_data,
    sourceKind: 'reservation',
    sourceId: stay.reservationId,
    recipientKey: `${keyOf(trigger, participant, stay)}:${until.toISOString()}`,
  })
}

/** What is to be done about a room is done on its own page. */
const linkTo = (ctx: AtEvent) => ({ 'links.myRegistration': eventPages(ctx).housing })

const nights = ({ hotel, checkIn, checkOut }: Nights) => ({
  'housing.hotelName': hotel ?? '',
  'housing.checkIn': { day: checkIn },
  'housing.checkOut': { day: checkOut },
})
