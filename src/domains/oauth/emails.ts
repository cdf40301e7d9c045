import { defineNoticeEmail, buildHeading, buildLinkButton, buildParagraphs } from '../messages/rendering/notice.ts'

export const appSignedOutEmail = defineNoticeEmail<{ app: string }>({
  code: 'app-signed-out',
  category: 'transactional',
  write: ({ app }, { words: { say }, baseUrl }) => ({
    subject: say('mail.signedOut.subject', { app }),
    preheader: say('mail.signedOut.preheader'),
    blocks: [
      buildHeading(say('mail.signedOut.heading')),
      buildParagraphs(say('mail.signedOut.text', { app }), say('mail.signedOut.advice')),
      buildLinkButton(say('mail.signedOut.button'), `${baseUrl}/console/account/apps`),
    ],
  }),
})
