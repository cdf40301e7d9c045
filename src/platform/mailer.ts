import nodemailer from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js'
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

/** A transport for one conversation. It overhears the server, because the library does not say whether a broken one had begun to take the message. */
function conversation(url: Secret) {
  let underWay = false
  const overhear = (entry: { tnx?: string }, line: unknown) => {
    if (entry.tnx === 'server' && String(line).startsWith('354')) underWay = true
  }
  const deaf = () => {}
  const transport = nodemailer.createTransport({
    url: url.reveal(),
    disableFileAccess: true,
    disableUrlAccess: true,
    transactionLog: true,
    logger: { level: deaf, trace: deaf, debug: overhear, info: deaf, warn: deaf, error: deaf, fatal: deaf },
  } as SMTPTransport.Options)
  return { transport, wasUnderWay: () => underWay }
}

export function smtpMailer(url: Secret): Mailer {
  return {
    transport: 'smtp',
    async send({ messageId, from, to, replyTo, subject, text, html, headers }) {
      const { transport, wasUnderWay } = conversation(url)
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
        return outcomeOf(error as SmtpFailure, wasUnderWay())
      } finally {
        transport.close()
      }
    },
    check: async () => {
      const { transport } = conversation(url)
      await transport.verify().finally(() => transport.close())
    },
    close: () => {},
  }
}

/** What a failure means for the message. Only a break while the message itself was under way leaves it in doubt. */
function outcomeOf({ command = '', responseCode, message }: SmtpFailure, underWay: boolean): MailOutcome {
  const reason = message.slice(0, 300)
  if (responseCode === undefined) return { kind: underWay ? 'uncertain' : 'later', reason }
  if (responseCode < 500) return { kind: 'later', reason }
  return { kind: 'refused', reason, address: command.startsWith('RCPT') }
}
