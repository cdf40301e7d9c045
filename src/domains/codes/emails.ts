import type { Secret } from '../../kernel/secrets.ts'
import { ONE_TIME_CODE_BLOCK, defineNoticeEmail, buildHeading, buildLinkButton, buildParagraphs } from '../messages/rendering/notice.ts'

interface CodeEmail {
  event: string
  code: Secret
}

/**
 * The email with a sign-in code. It starts with the name of the requesting API account, so that recipients who requested nothing can
 * judge it. It contains no links and does not reveal whether they are registered.
 */
export const assistantSignInCodeEmail = defineNoticeEmail<CodeEmail & { account: string }>({
  code: 'signin.code',
  category: 'signin.code',
  write: ({ account, event, code }, { words: { say } }) => ({
    sender: account,
    showCode: code.reveal(),
    subject: say('mail.code.assistant.subject', { account, event }),
    preheader: say('mail.code.assistant.text', { account, event }),
    blocks: [
      buildParagraphs(say('mail.code.assistant.text', { account, event })),
      ONE_TIME_CODE_BLOCK,
      buildParagraphs(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})

export const webSignInCodeEmail = defineNoticeEmail<CodeEmail & { link: string }>({
  code: 'signin.code',
  category: 'signin.code',
  write: ({ event, code, link }, { words: { say } }) => ({
    sender: event,
    showCode: code.reveal(),
    subject: say('mail.code.web.subject', { event }),
    preheader: say('mail.code.lifetime'),
    blocks: [
      buildHeading(say('mail.code.web.subject', { event })),
      buildParagraphs(say('mail.code.web.text')),
      ONE_TIME_CODE_BLOCK,
      buildParagraphs(say('mail.code.web.link')),
      buildLinkButton(say('mail.code.web.button'), link),
      buildParagraphs(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})

/** The email with a one-time code for people on the invitation list of a registration flow. */
export const invitationListCodeEmail = defineNoticeEmail<CodeEmail & { flow: string }>({
  code: 'invite.code',
  category: 'signin.code',
  write: ({ event, flow, code }, { words: { say } }) => ({
    sender: event,
    showCode: code.reveal(),
    subject: say('mail.invited.subject', { event }),
    preheader: say('mail.code.lifetime'),
    blocks: [
      buildHeading(flow),
      buildParagraphs(say('mail.invited.text', { event })),
      ONE_TIME_CODE_BLOCK,
      buildParagraphs(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})

export const signInCodesSuspendedEmail = defineNoticeEmail<{ account: string; path: string }>({
  code: 'otp-suspended',
  category: 'transactional',
  write: ({ account, path }, { words: { say }, baseUrl }) => ({
    subject: say('mail.suspended.subject', { account }),
    preheader: say('mail.suspended.preheader'),
    blocks: [
      buildHeading(say('mail.suspended.heading')),
      buildParagraphs(say('mail.suspended.text', { account }), say('mail.suspended.advice')),
      buildLinkButton(say('mail.suspended.button'), `${baseUrl}${path}`),
    ],
  }),
})
