import { defineNoticeEmail, buildHeading, buildLinkButton, buildParagraphs } from '../messages/rendering/notice.ts'

interface ExistingRegistration {
  event: string
  link: string
  finished: boolean
}

/**
 * The email to an address that already has a registration, sent if the form is started with it again. Its link leads to the sign-in page
 * and never into a registration, because the address may have been entered by another person.
 */
export const existingRegistrationNotice = defineNoticeEmail<ExistingRegistration>({
  code: 'registration-known',
  category: 'transactional',
  write: ({ event, link, finished }, { words: { say } }) => ({
    subject: say('mail.known.subject', { event }),
    preheader: say('mail.known.preheader'),
    blocks: [
      buildHeading(say('mail.known.heading')),
      buildParagraphs(finished ? say('mail.known.finished', { event }) : say('mail.known.begun', { event })),
      buildLinkButton(finished ? say('event.openRegistration') : say('mail.incomplete.button'), link),
      buildParagraphs(say('mail.known.ignore')),
    ],
  }),
})
