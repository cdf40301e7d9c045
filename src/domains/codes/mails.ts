import type { Secret } from '../../kernel/secrets.ts'
import { codeBlock, defineNotice, heading, linkButton, sentences } from '../messages/rendering/notice.ts'

interface Asked {
  event: string
  code: Secret
}

/** Opens with who asked, so that a person who asked nobody knows whom not to answer. Nothing in it can be clicked, and nothing tells whether they are registered. */
export const assistantCode = defineNotice<Asked & { account: string }>({
  code: 'signin.code',
  category: 'signin.code',
  write: ({ account, event, code }, { words: { say } }) => ({
    sender: account,
    showCode: code.reveal(),
    subject: say('mail.code.assistant.subject', { account, event }),
    preheader: say('mail.code.assistant.text', { account, event }),
    blocks: [
      sentences(say('mail.code.assistant.text', { account, event })),
      codeBlock,
      sentences(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})

export const webCode = defineNotice<Asked & { link: string }>({
  code: 'signin.code',
  category: 'signin.code',
  write: ({ event, code, link }, { words: { say } }) => ({
    sender: event,
    showCode: code.reveal(),
    subject: say('mail.code.web.subject', { event }),
    preheader: say('mail.code.lifetime'),
    blocks: [
      heading(say('mail.code.web.subject', { event })),
      sentences(say('mail.code.web.text')),
      codeBlock,
      sentences(say('mail.code.web.link')),
      linkButton(say('mail.code.web.button'), link),
      sentences(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})

/** For somebody on the list of a form that is by invitation. */
export const inviteCode = defineNotice<Asked & { flow: string }>({
  code: 'invite.code',
  category: 'signin.code',
  write: ({ event, flow, code }, { words: { say } }) => ({
    sender: event,
    showCode: code.reveal(),
    subject: say('mail.invited.subject', { event }),
    preheader: say('mail.code.lifetime'),
    blocks: [
      heading(flow),
      sentences(say('mail.invited.text', { event })),
      codeBlock,
      sentences(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})

export const codesSuspended = defineNotice<{ account: string; path: string }>({
  code: 'otp-suspended',
  category: 'transactional',
  write: ({ account, path }, { words: { say }, baseUrl }) => ({
    subject: say('mail.suspended.subject', { account }),
    preheader: say('mail.suspended.preheader'),
    blocks: [
      heading(say('mail.suspended.heading')),
      sentences(say('mail.suspended.text', { account }), say('mail.suspended.advice')),
      linkButton(say('mail.suspended.button'), `${baseUrl}${path}`),
    ],
  }),
})
