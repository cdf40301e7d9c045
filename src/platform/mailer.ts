import nodemailer from 'nodemailer'
import type { Mailer, MailOutcome } from '../kernel/ports.ts'
import type { Secret } from '../kernel/secrets.ts'

/** Keeps every message where it is, in the outbox table, for the mailbox page. */
export const mailboxMailer = (): Mailer => ({
  transport: 'mailbox',
  send: () => Promise.resolve({ kind: 'accepted' }),
  check: () => Promise.resolve(),
  close: () => {},
})

interface SmtpFailure extends Error {
  code?: string
  command?: string
  responseCode?: number
}

export function smtpMailer(url: Secret): Mailer {
  const transport = nodemailer.createTransport(url.reveal(), { disableFileAccess: true, disableUrlAccess: true })
  return {
    transport: 'smtp',
    async send({ messageId, from, to, replyTo, subject, text, html, headers }) {
      try {
        await transport.sendMail({
          messageId,
          from,
          to: { address: to.address, name: to.name ?? '' },
          subject,
          text,
          headers,
          ...(replyTo ? { replyTo } : {}),
          ...(html ? { html } : {}),
        })
        return { kind: 'accepted' }
      } catch (error) {
        return outcomeOf(error as SmtpFailure)
      }
    },
    check: async () => {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

/** What a failure means for the message. Only a break while the message itself was under way leaves it in doubt. */
function outcomeOf({ command = '', responseCode, message }: SmtpFailure): MailOutcome {
  const reason = message.slice(0, 300)
  if (responseCode === undefined) return command === 'DATA' ? { kind: 'uncertain', reason } : { kind: 'later', reason }
  if (responseCode < 500) return { kind: 'later', reason }
  return { kind: 'refused', reason, address: command.startsWith('RCPT') }
}
