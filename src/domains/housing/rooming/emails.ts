import { buildHeading, buildLinkButton, buildParagraphs, defineNoticeEmail } from '../../messages/rendering/notice.ts'

interface LinkNotice {
  hotel: string
  event: string
  /** Path of the hotel's page, with the token of its recipient. */
  path: string
}

interface ListNotice extends LinkNotice {
  version: number
  rooms: number
  added: number
  changed: number
  cancelled: number
}

export const roomingListEmail = defineNoticeEmail<ListNotice>({
  code: 'rooming-list',
  category: 'transactional',
  write: ({ hotel, event, path, version, rooms, added, changed, cancelled }, { words: { say }, baseUrl }) => {
    const text =
      version === 1
        ? say('mail.roomingList.first', { hotel, event, rooms })
        : say('mail.roomingList.next', { hotel, event, added, changed, cancelled })
    return {
      subject: say('mail.roomingList.subject', { hotel, event, version }),
      preheader: text,
      blocks: [
        buildHeading(say('mail.roomingList.heading', { version })),
        buildParagraphs(text, say('mail.roomingList.ask')),
        buildLinkButton(say('mail.roomingList.button'), `${baseUrl}${path}`),
        buildParagraphs(say('mail.hotelLink.keep')),
      ],
    }
  },
})

export const hotelAccessLinkEmail = defineNoticeEmail<LinkNotice>({
  code: 'hotel-link',
  category: 'transactional',
  write: ({ hotel, event, path }, { words: { say }, baseUrl }) => ({
    subject: say('mail.hotelLink.subject', { hotel, event }),
    preheader: say('mail.hotelLink.text', { hotel, event }),
    blocks: [
      buildHeading(hotel),
      buildParagraphs(say('mail.hotelLink.text', { hotel, event })),
      buildLinkButton(say('mail.hotelLink.button'), `${baseUrl}${path}`),
      buildParagraphs(say('mail.hotelLink.keep')),
    ],
  }),
})
