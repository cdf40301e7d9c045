import { Socket } from 'node:net'
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
  command?: string
  responseCode?: number
}

/** How long a mail server may take, in milliseconds. */
export interface Patience {
  connecting: number
  silence: number
  whole: number
}

/** The whole is shorter than the worker's lease of a mail it handed over, or another worker would take it for that of a dead one. */
export const PATIENCE: Patience = { connecting: 20_000, silence: 60_000, whole: 90_000 }

/** A transport for one conversation, of a library that is loaded only where mail leaves. It overhears the server, because the library does not say whether a broken one had begun to take the message. */
async function conversation(url: Secret, { connecting, silence, whole }: Patience) {
  const { createTransport } = await import('nodemailer')
  let underWay = false
  const overhear = (entry: { tnx?: string }, line: unknown) => {
    if (entry.tnx === 'server' && String(line).startsWith('354')) underWay = true
  }
  const deaf = () => {}
  // The library limits silences, not the whole, and ends no conversation when asked: whoever has the socket can.
  const socket = new Socket().on('error', deaf)
  const transport = createTransport({
    url: url.reveal(),
    socket,
    connectionTimeout: connecting,
    greetingTimeout: connecting,
    socketTimeout: silence,
    disableFileAccess: true,
    disableUrlAccess: true,
    transactionLog: true,
    logger: { level: deaf, trace: deaf, debug: overhear, info: deaf, warn: deaf, error: deaf, fatal: deaf },
  } as SMTPTransport.Options)
  const overtime = setTimeout(() => socket.destroy(new Error(`The mail server took longer than ${whole / 1000} seconds`)), whole)
  const end = () => {
    clearTimeout(overtime)
    transport.close()
  }
  return { transport, wasUnderWay: () => underWay, end }
}

export function smtpMailer(url: Secret, patience = PATIENCE): Mailer {
  return {
    transport: 'smtp',
    async send({ messageId, from, to, replyTo, subject, text, html, language, headers, attachments }) {
      const { transport, wasUnderWay, end } = await conversation(url, patience)
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
          // As one address: a text would be read as a list of them.
          ...(replyTo ? { replyTo: { address: replyTo, name: '' } } : {}),
          ...(html ? { html } : {}),
        })
        return { kind: 'accepted' }
      } catch (error) {
        return outcomeOf(error as SmtpFailure, wasUnderWay())
      } finally {
        end()
      }
    },
    check: async () => {
      const { transport, end } = await conversation(url, patience)
      await transport.verify().finally(end)
    },
    close: () => {},
  }
}

/** Answers about who we are or how we speak. They also come at MAIL, where a server first misses a sign-in, and mean no message in particular. */
const ABOUT_THE_SESSION = [503, 530, 534, 535, 538]

/** What a failure means for the message. Only a break while the message itself was under way leaves it in doubt. */
function outcomeOf({ command = '', responseCode, message }: SmtpFailure, underWay: boolean): MailOutcome {
  const reason = message.slice(0, 300)
  if (responseCode === undefined) return { kind: underWay ? 'uncertain' : 'later', reason }
  const aboutTheMessage = /^(MAIL|RCPT|DATA)/.test(command) && !ABOUT_THE_SESSION.includes(responseCode)
  if (responseCode < 500 || !aboutTheMessage) return { kind: 'later', reason }
  return { kind: 'refused', reason, address: command.startsWith('RCPT') }
}
