import { defineNotice, heading, linkButton, sentences } from '../messages/rendering/notice.ts'

export const passwordReset = defineNotice<{ link: string }>({
  code: 'password-reset',
  category: 'transactional',
  write: ({ link }, { words: { say } }) => ({
    subject: say('mail.reset.subject'),
    preheader: say('mail.reset.preheader'),
    blocks: [
      heading(say('mail.reset.heading')),
      sentences(say('mail.reset.text')),
      linkButton(say('mail.reset.button'), link),
      sentences(say('mail.reset.ignore')),
    ],
  }),
})

interface Invited {
  link: string
  inviter: string
  /** The client, or the one event. */
  place: string
}

export const invitation = defineNotice<Invited>({
  code: 'organizer-invite',
  category: 'transactional',
  write: ({ link, inviter, place }, { words: { say } }) => ({
    subject: say('mail.invitation.subject', { inviter, place }),
    preheader: say('mail.invitation.preheader'),
    blocks: [
      heading(say('mail.invitation.heading', { place })),
      sentences(say('mail.invitation.text', { inviter, place })),
      linkButton(say('mail.invitation.button'), link),
      sentences(say('mail.invitation.ignore', { inviter })),
    ],
  }),
})

export const addedToClient = defineNotice<Invited>({
  code: 'organizer-added',
  category: 'transactional',
  write: ({ link, inviter, place }, { words: { say } }) => ({
    subject: say('mail.added.subject', { inviter, place }),
    preheader: say('mail.added.preheader'),
    blocks: [
      heading(say('mail.added.heading', { place })),
      sentences(say('mail.added.text', { inviter, place })),
      linkButton(say('mail.added.button'), link),
      sentences(say('mail.added.apps')),
    ],
  }),
})

export const signInLocked = defineNotice<Record<string, never>>({
  code: 'sign-in-locked',
  category: 'transactional',
  write: (_, { words: { say } }) => ({
    subject: say('mail.locked.subject'),
    preheader: say('mail.locked.preheader'),
    blocks: [heading(say('mail.locked.heading')), sentences(say('mail.locked.text'), say('mail.locked.advice'))],
  }),
})
