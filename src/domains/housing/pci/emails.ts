import { buildHeading, buildParagraphs, defineNoticeEmail } from '../../messages/rendering/notice.ts'
import { formatDay } from '../../../kernel/language/format.ts'

interface OverrideNotice {
  hotel: string
  event: string
  by: string
  reason: string
  until: string
  cards: number
}

/** The email that informs administrators that card data is sent to a hotel without a valid attestation. */
export const hotelCardDataReleasedEmail = defineNoticeEmail<OverrideNotice>({
  code: 'hotel-cards-released',
  category: 'transactional',
  write: ({ hotel, event, by, reason, until, cards }, { words: { say, locale } }) => ({
    subject: say('mail.pciOverride.subject', { hotel }),
    preheader: say('mail.pciOverride.text', { by, hotel, event, day: formatDay(locale, until) }),
    blocks: [
      buildHeading(say('mail.pciOverride.heading')),
      buildParagraphs(
        say('mail.pciOverride.text', { by, hotel, event, day: formatDay(locale, until) }),
        say('mail.pciOverride.cards', { count: String(cards) }),
        say('mail.pciOverride.reason', { reason }),
      ),
    ],
  }),
})
