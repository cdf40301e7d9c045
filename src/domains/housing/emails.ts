import { sendEventEmail, sendEventEmails, type OutgoingEventEmail } from '../messages/event-mail/send.ts'
import type { HousingContext } from './context.ts'
import { buildEventPageUrls } from '../tenancy/public-pages.ts'
import { type Stay, listStays } from './reservations.ts'
import { listHotelWaitlistSpots } from './waitlist.ts'

type Guest = NonNullable<OutgoingEventEmail['participant']>

/** Emails a participant about each room that is confirmed, cancelled or on the waiting list: once per status. */
export async function sendRoomEmails(ctx: HousingContext, participant: Guest, to: OutgoingEventEmail['to']): Promise<void> {
  const about = { participant, to, isTestData: participant.is_test_data }
  const stays = await listStays(ctx, [participant.id])
  const changed = stays.filter(({ status }) => status === 'confirmed' || status === 'cancelled')
  await sendRoomStatusEmails(
    ctx,
    changed.map((stay) => ({ participant, to, stay })),
  )
  for (const wait of await listHotelWaitlistSpots(ctx, [participant.id])) {
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

interface StayDates {
  hotel: string | null
  checkIn: string
  checkOut: string
}

/**
 * Returns the deduplication key of an email. A stay that an organizer moved is confirmed again each time, even if it returns to its first
 * hotel.
 */
const recipientKeyOf = (trigger: string, { id }: Guest, { hotel, checkIn, checkOut, moves }: Stay) =>
  `${trigger}:${id}:${hotel}:${checkIn}:${checkOut}${moves > 0 ? `:${moves}` : ''}`

export interface StayEmail {
  participant: Guest
  to: OutgoingEventEmail['to']
  stay: Stay
}

/** Emails guests that rooms are confirmed or cancelled: once per status, dates and room. */
export async function sendRoomStatusEmails(ctx: HousingContext, emails: readonly StayEmail[]): Promise<void> {
  await sendEventEmails(ctx, emails.map(toRoomStatusEmail))
}

function toRoomStatusEmail({ participant, to, stay }: StayEmail): OutgoingEventEmail {
  const trigger = stay.status === 'confirmed' ? 'housing.confirmed' : 'housing.cancelled'
  return {
    participant,
    to,
    isTestData: participant.is_test_data,
    trigger,
    values: { ...nights(stay), 'housing.ackNumber': stay.ackNumber ?? '' },
    sourceKind: 'reservation',
    sourceId: stay.reservationId,
    // The deduplication key contains the participant, so that a substitute guest gets their own email.
    recipientKey: recipientKeyOf(trigger, participant, stay),
  }
}

/**
 * Emails that rooms from the waiting list are booked. They share their deduplication key with the confirmation email, so only one of the
 * two is sent.
 */
export async function sendWaitlistRoomEmails(ctx: HousingContext, emails: readonly StayEmail[]): Promise<void> {
  await sendEventEmails(
    ctx,
    emails.map(({ participant, to, stay }) => ({
      participant,
      to,
      trigger: 'housing.filled',
      values: toStayMergeFields(ctx, stay),
      isTestData: participant.is_test_data,
      sourceKind: 'reservation',
      sourceId: stay.reservationId,
      recipientKey: recipientKeyOf('housing.confirmed', participant, stay),
    })),
  )
}

/**
 * Emails that an offered room must be accepted, or that a booked room must be guaranteed, before a deadline. Each deadline is emailed once,
 * and once more on each day `sentOn` on which an organizer sends a reminder.
 */
export async function sendRoomDeadlineEmail(
  ctx: HousingContext,
  trigger: 'housing.offered' | 'housing.guaranteeDue',
  { participant, to, stay, until, sentOn }: StayEmail & { until: Date; sentOn?: string },
): Promise<void> {
  await sendEventEmail(ctx, {
    participant,
    to,
    trigger,
    values: { ...toStayMergeFields(ctx, stay), 'housing.deadline': { instant: until, zone: ctx.event.timezone } },
    isTestData: participant.is_test_data,
    sourceKind: 'reservation',
    sourceId: stay.reservationId,
    recipientKey: `${recipientKeyOf(trigger, participant, stay)}:${until.toISOString()}${sentOn === undefined ? '' : `:${sentOn}`}`,
  })
}

/** Merge fields of an email about one stay. */
export const toStayMergeFields = (ctx: HousingContext, stay: Stay) => ({
  ...nights(stay),
  'housing.ackNumber': stay.ackNumber ?? '',
  ...housingPageLink(ctx),
})

const housingPageLink = (ctx: HousingContext) => ({ 'links.myRegistration': buildEventPageUrls(ctx).housing })

const nights = ({ hotel, checkIn, checkOut }: StayDates) => ({
  'housing.hotelName': hotel ?? '',
  'housing.checkIn': { day: checkIn },
  'housing.checkOut': { day: checkOut },
})
