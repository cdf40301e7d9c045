import { formatDay } from '../../../kernel/language/format.ts'
import { defineNoticeEmail, buildHeading, buildParagraphs } from '../../messages/rendering/notice.ts'

interface Removal {
  event: string
  /** The name of the hotel; null if the participant accepted any hotel. */
  hotel: string | null
  checkIn: string
  checkOut: string
  reason: string
}

/** The email to a participant whom an organizer removed from the waiting list of a hotel. */
export const waitlistRemovalNotice = defineNoticeEmail<Removal>({
  code: 'hotel-waitlist-removed',
  category: 'transactional',
  write: ({ event, hotel, checkIn, checkOut, reason }, { words: { say, locale } }) => {
    const stay = { event, from: formatDay(locale, checkIn), until: formatDay(locale, checkOut) }
    return {
      subject: say('mail.roomRemoved.subject', { event }),
      preheader: say('mail.roomRemoved.heading'),
      sender: event,
      blocks: [
        buildHeading(say('mail.roomRemoved.heading')),
        buildParagraphs(hotel === null ? say('mail.roomRemoved.any', stay) : say('mail.roomRemoved.text', { ...stay, hotel })),
        buildParagraphs(say('mail.roomRemoved.reason', { reason })),
      ],
    }
  },
})
