import { defineNotice, heading, linkButton, sentences } from '../messages/rendering/notice.ts'

export const appSignedOut = defineNotice<{ app: string }>({
  code: 'app-signed-out',
  category: 'transactional',
  write: ({ app }, { words: { say }, baseUrl }) => ({
    subject: say('mail.signedOut.subject', { app }),
    preheader: say('mail.signedOut.preheader'),
    blocks: [
      heading(say('mail.signedOut.heading')),
      sentences(say('mail.signedOut.text', { app }), say('mail.signedOut.advice')),
      linkButton(say('mail.signedOut.button'), `${baseUrl}/console/account/apps`),
    ],
  }),
})
