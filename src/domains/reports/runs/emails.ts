import type { Secret } from '../../../kernel/secrets.ts'
import { buildHeading, buildLinkButton, buildParagraphs, ONE_TIME_CODE_BLOCK, defineNoticeEmail } from '../../messages/rendering/notice.ts'

interface ReportEmail {
  report: string
  event: string
  requester: string
  asOf: string
  /** The message that the requester added to the email. */
  message: string | null
  isScheduled: boolean
  containsPersonal: boolean
  /** How the recipient opens the file: attached, by signing in, or with a one-time code. */
  access: 'attached' | 'signIn' | 'code'
  path: string
  expiresOn: string
}

/** The email that delivers a report: as an attached file, or by a link that requires signing in or entering a code. */
export const reportEmail = defineNoticeEmail<ReportEmail>({
  code: 'report',
  category: 'operational',
  write: (email, { words: { say }, baseUrl }) => {
    const { report, event, requester, asOf, message, access, path, expiresOn: day } = email
    const text = email.isScheduled
      ? say('mail.report.scheduled', { report, event, asOf })
      : say('mail.report.text', { report, event, requester, asOf })
    const how = {
      attached: say('mail.report.attached'),
      signIn: say('mail.report.signIn', { day }),
      code: say('mail.report.code', { day }),
    }[access]
    return {
      sender: event,
      subject: say('mail.report.subject', { report, event }),
      preheader: text,
      blocks: [
        buildHeading(report),
        buildParagraphs(text, ...(message?.split(/\n+/) ?? []), how, ...(email.containsPersonal ? [say('mail.report.personal')] : [])),
        ...(access === 'attached' ? [] : [buildLinkButton(say('mail.report.button'), `${baseUrl}${path}`)]),
      ],
    }
  },
})

/** Notifies the client's administrators of an export with personal data. */
export const exportNoticeEmail = defineNoticeEmail<{ event: string; requester: string; path: string }>({
  code: 'export-notice',
  category: 'transactional',
  write: ({ event, requester, path }, { words: { say }, baseUrl }) => ({
    subject: say('mail.export.subject', { event }),
    preheader: say('mail.export.text', { event, requester }),
    blocks: [
      buildHeading(say('mail.export.subject', { event })),
      buildParagraphs(say('mail.export.text', { event, requester }), say('mail.export.advice')),
      buildLinkButton(say('mail.export.button'), `${baseUrl}${path}`),
    ],
  }),
})

/** The email with the one-time code that an external recipient enters to open a file. */
export const reportAccessCodeEmail = defineNoticeEmail<{ event: string; report: string; code: Secret }>({
  code: 'report.code',
  category: 'signin.code',
  write: ({ event, report, code }, { words: { say } }) => ({
    sender: event,
    showCode: code.reveal(),
    subject: say('mail.reportCode.subject', { event }),
    preheader: say('mail.code.lifetime'),
    blocks: [
      buildHeading(report),
      buildParagraphs(say('mail.reportCode.text', { report })),
      ONE_TIME_CODE_BLOCK,
      buildParagraphs(say('mail.code.lifetime'), say('mail.code.ignore')),
    ],
  }),
})
