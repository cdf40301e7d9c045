import { Socket } from 'node:net'
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js'
import type { Mailer, EmailOutcome } from '../kernel/ports.ts'
import type { Secret } from '../kernel/secrets.ts'

/** Creates a mailer that leaves every email in the outbox table, for the mailbox page. */
export const mailboxMailer = (): Mailer => ({
  transport: 'mailbox',
  send: () => Promise.resolve({ kind: 'accepted' }),
  check: () => Promise.resolve(),
  close: () => {},
})

interface SmtpFailure extends Error {
  command?: string
  responseCode?: number
}

/** Timeouts of an SMTP conversation, in milliseconds. */
export interface SmtpTimeouts {
  connecting: number
  silence: number
  whole: number
}

/** `whole` is shorter than the worker's lease on an email it hands over, so that no other worker takes the email meanwhile. */
export const SMTP_TIMEOUTS: SmtpTimeouts = { connecting: 20_000, silence: 60_000, whole: 90_000 }

/**
 * A transport for one SMTP conversation. The library is loaded only if emails are sent. The server's replies are observed, because the
 * library does not report whether a broken conversation had started to transfer the message.
 */
async function openConversation(url: Secret, { connecting, silence, whole }: SmtpTimeouts) {
  const { createTransport } = await import('nodemailer')
  let transferStarted = false
  const observeServer = (entry: { tnx?: string }, line: unknown) => {
    if (entry.tnx === 'server' && String(line).startsWith('354')) transferStarted = true
  }
  const ignore = () => {}
  // The library limits periods of silence, not the total time, and cannot abort a conversation; destroying the socket can.
  const socket = new Socket().on('error', ignore)
  const transport = createTransport({
    url: url.reveal(),
    socket,
    connectionTimeout: connecting,
    greetingTimeout: connecting,
    socketTimeout: silence,
    disableFileAccess: true,
    disableUrlAccess: true,
    transactionLog: true,
    logger: { level: ignore, trace: ignore, debug: observeServer, info: ignore, warn: ignore, error: ignore, fatal: ignore },
  } as SMTPTransport.Options)
  const overtime = setTimeout(() => socket.destroy(new Error(`The mail server took longer than ${whole / 1000} seconds`)), whole)
  const end = () => {
    clearTimeout(overtime)
    transport.close()
  }
  return { transport, hasTransferStarted: () => transferStarted, end }
}

export function smtpMailer(url: Secret, patience = SMTP_TIMEOUTS): Mailer {
  return {
    transport: 'smtp',
    async send({ messageId, from, to, replyTo, subject, text, html, language, headers, attachments }) {
      const { transport, hasTransferStarted, end } = await openConversation(url, patience)
      try {
        await transport.sendMail({
          messageId,
          from,
          to: { address: to.address, name: to.name ?? '' },
          subject,
          text,
          headers: { ...headers, 'Content-Language': language },
          attachments: attachments.map(({ name, mime, content, contentId }) => ({
            filename: name,
            contentType: mime,
            content,
            ...(contentId ? { cid: contentId, contentDisposition: 'inline' as const } : {}),
          })),
          // Passed as an object: a string would be parsed as a list of addresses.
          ...(replyTo ? { replyTo: { address: replyTo, name: '' } } : {}),
          ...(html ? { html } : {}),
        })
        return { kind: 'accepted' }
      } catch (error) {
        return toEmailOutcome(error as SmtpFailure, hasTransferStarted())
      } finally {
        end()
      }
    },
    check: async () => {
      const { transport, end } = await openConversation(url, patience)
      await transport.verify().finally(end)
    },
    close: () => {},
  }
}

/** SMTP reply codes about authentication or the session. They also occur after the MAIL command and do not concern the message. */
const SESSION_REPLY_CODES = [503, 530, 534, 535, 538]

/** Maps an SMTP error to an outcome. The delivery is uncertain only if the connection broke while the message was being transferred. */
function toEmailOutcome({ command = '', responseCode, message }: SmtpFailure, transferStarted: boolean): EmailOutcome {
  const reason = message.slice(0, 300)
  if (responseCode === undefined) return { kind: transferStarted ? 'uncertain' : 'later', reason }
  const aboutTheMessage = /^(MAIL|RCPT|DATA)/.test(command) && !SESSION_REPLY_CODES.includes(responseCode)
  if (responseCode < 500 || !aboutTheMessage) return { kind: 'later', reason }
  return { kind: 'refused', reason, address: command.startsWith('RCPT') }
}
