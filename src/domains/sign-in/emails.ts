import { defineNoticeEmail, buildHeading, buildLinkButton, buildParagraphs } from '../messages/rendering/notice.ts'

export const passwordResetEmail = defineNoticeEmail<{ link: string }>({
  code: 'password-reset',
  category: 'transactional',
  write: ({ link }, { words: { say } }) => ({
    subject: say('mail.reset.subject'),
    preheader: say('mail.reset.preheader'),
    blocks: [
      buildHeading(say('mail.reset.heading')),
      buildParagraphs(say('mail.reset.text')),
      buildLinkButton(say('mail.reset.button'), link),
      buildParagraphs(say('mail.reset.ignore')),
    ],
  }),
})

interface Invited {
  link: string
  inviter: string
  /** The name of the client or event that the person is invited to. */
  place: string
}

export const invitationEmail = defineNoticeEmail<Invited>({
  code: 'organizer-invite',
  category: 'transactional',
  write: ({ link, inviter, place }, { words: { say } }) => ({
    subject: say('mail.invitation.subject', { inviter, place }),
    preheader: say('mail.invitation.preheader'),
    blocks: [
      buildHeading(say('mail.invitation.heading', { place })),
      buildParagraphs(say('mail.invitation.text', { inviter, place })),
      buildLinkButton(say('mail.invitation.button'), link),
      buildParagraphs(say('mail.invitation.ignore', { inviter })),
    ],
  }),
})

export const addedToClientEmail = defineNoticeEmail<Invited>({
  code: 'organizer-added',
  category: 'transactional',
  write: ({ link, inviter, place }, { words: { say } }) => ({
    subject: say('mail.added.subject', { inviter, place }),
    preheader: say('mail.added.preheader'),
    blocks: [
      buildHeading(say('mail.added.heading', { place })),
      buildParagraphs(say('mail.added.text', { inviter, place })),
      buildLinkButton(say('mail.added.button'), link),
      buildParagraphs(say('mail.added.apps')),
    ],
  }),
})

export const signInLockedEmail = defineNoticeEmail<Record<string, never>>({
  code: 'sign-in-locked',
  category: 'transactional',
  write: (_, { words: { say } }) => ({
    subject: say('mail.locked.subject'),
    preheader: say('mail.locked.preheader'),
    blocks: [buildHeading(say('mail.locked.heading')), buildParagraphs(say('mail.locked.text'), say('mail.locked.advice'))],
  }),
})
