import { defineNotice, heading, linkButton, sentences } from '../messages/rendering/notice.ts'

interface KnownPerson {
  event: string
  link: string
  finished: boolean
}

/** To somebody who has a registration at the event already and asked for the form again: the way to the one they have. */
export const knownPerson = defineNotice<KnownPerson>({
  code: 'registration-known',
  category: 'transactional',
  write: ({ event, link, finished }, { words: { say } }) => ({
    subject: say('mail.known.subject', { event }),
    preheader: say('mail.known.preheader'),
    blocks: [
      heading(say('mail.known.heading')),
      sentences(finished ? say('mail.known.finished', { event }) : say('mail.known.begun', { event })),
      linkButton(finished ? say('event.mine') : say('mail.incomplete.button'), link),
      sentences(say('mail.known.ignore')),
    ],
  }),
})
