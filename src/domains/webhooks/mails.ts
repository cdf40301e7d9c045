import { defineNotice, buildHeading, buildLinkButton, buildParagraphs } from '../messages/rendering/notice.ts'

interface Disabled {
  account: string
  url: string
  why: 'gone' | 'failing'
  /** Of its page in the console; null for whoever cannot sign in there. */
  path: string | null
}

export const webhookDisabled = defineNotice<Disabled>({
  code: 'webhook-disabled',
  category: 'transactional',
  write: ({ account, url, why, path }, { words: { say }, baseUrl }) => ({
    subject: say('mail.webhook.subject', { account }),
    preheader: say(`mail.webhook.${why}`),
    blocks: [
      buildHeading(say('mail.webhook.heading')),
      buildParagraphs(say('mail.webhook.text', { account, url }), say(`mail.webhook.${why}`), say('mail.webhook.advice')),
      ...(path === null ? [] : [buildLinkButton(say('mail.webhook.button'), `${baseUrl}${path}`)]),
    ],
  }),
})
