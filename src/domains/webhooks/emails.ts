import { defineNoticeEmail, buildHeading, buildLinkButton, buildParagraphs } from '../messages/rendering/notice.ts'

interface DisabledNotice {
  account: string
  url: string
  why: 'gone' | 'failing'
  /** The path of the endpoint's console page; null for a recipient who has no login. */
  path: string | null
}

export const webhookDisabledEmail = defineNoticeEmail<DisabledNotice>({
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
