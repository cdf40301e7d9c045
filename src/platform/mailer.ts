import type { SendMailOptions } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js'
import type { EmailOutcome, Mailer, OutgoingEmail } from '../kernel/ports.ts'
import type { Secret } from '../kernel/secrets.ts'

/** Creates a mailer that sends nothing: emails stay in the outbox table, and the console's mailbox page shows them. */
export const createMailboxMailer = (): Mailer => ({
  transport: 'mailbox',
  connections: 1,
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

/**
 * The limit `whole` for a complete SMTP conversation is shorter than the worker's lease on an email, so that no other worker sends the
 * email meanwhile.
 */
export const SMTP_TIMEOUTS: SmtpTimeouts = { connecting: 20_000, silence: 60_000, whole: 90_000 }

/** Concurrent connections to the mail server. Large providers accept about this many from one sender. */
const MAX_CONNECTIONS = 5
/** A connection is closed after this many emails, because many servers end it then. */
const MAX_EMAILS_PER_CONNECTION = 100
/** An unused connection is closed after this time, or as soon as the outbox is empty. */
const IDLE_MS = 2000

/**
 * Opens one connection to the mail server with the first email and reuses it for the following emails. The library is loaded only if emails
 * are sent. The server's replies are observed, because the library does not report whether a broken conversation had started to transfer
 * the message.
 */
async function openConnection(url: Secret, { connecting, silence, whole }: SmtpTimeouts) {
  const { createTransport } = await import('nodemailer')
  let transferStarted = false
  let isUsed = false
  const observeServer = (entry: { tnx?: string }, line: unknown) => {
    if (entry.tnx === 'server' && String(line).startsWith('354')) transferStarted = true
  }
  const ignore = () => {}
  const transport = createTransport({
    url: url.reveal(),
    pool: true,
    maxConnections: 1,
    maxMessages: MAX_EMAILS_PER_CONNECTION,
    // Nodemailer must not send an email a second time by itself.
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    connectionTimeout: connecting,
    greetingTimeout: connecting,
    socketTimeout: silence,
    disableFileAccess: true,
    disableUrlAccess: true,
    transactionLog: true,
    logger: { level: ignore, trace: ignore, debug: observeServer, info: ignore, warn: ignore, error: ignore, fatal: ignore },
  } as SMTPPool.Options)
  const end = () => (transport.transporter as unknown as { close: (options: object) => void }).close({ force: true })
  /** Limits the total time of an SMTP conversation, because Nodemailer limits only periods of silence. */
  async function withinTimeLimit<T>(conversation: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const overtime = setTimeout(() => reject(new Error(`The mail server took longer than ${whole / 1000} seconds`)), whole)
    return Promise.race([conversation, late]).finally(() => clearTimeout(overtime))
  }
  return {
    /** Whether the connection has sent emails before. The server may have closed it since then. */
    isUsed: () => isUsed,
    hasTransferStarted: () => transferStarted,
    async send(mail: SendMailOptions): Promise<void> {
      transferStarted = false
      await withinTimeLimit(transport.sendMail(mail))
      isUsed = true
    },
    verify: () => withinTimeLimit(transport.verify()),
    end,
  }
}
type SmtpConnection = Awaited<ReturnType<typeof openConnection>>

export function createSmtpMailer(url: Secret, patience = SMTP_TIMEOUTS): Mailer {
  const idle: SmtpConnection[] = []

  async function attempt(mail: SendMailOptions, connection: SmtpConnection): Promise<EmailOutcome | 'stale'> {
    try {
      await connection.send(mail)
      idle.push(connection)
      return { kind: 'accepted' }
    } catch (error) {
      const outcome = toEmailOutcome(error as SmtpFailure, connection.hasTransferStarted())
      // The mail server refused the email with a reply, so the connection can be reused; Nodemailer resets it or connects again.
      if ((error as SmtpFailure).responseCode !== undefined) {
        idle.push(connection)
        return outcome
      }
      connection.end()
      return connection.isUsed() && !connection.hasTransferStarted() ? 'stale' : outcome
    }
  }

  return {
    transport: 'smtp',
    connections: MAX_CONNECTIONS,
    async send(email) {
      const mail = toMail(email)
      const reused = idle.pop()
      const outcome = reused ? await attempt(mail, reused) : 'stale'
      // If the mail server had closed the reused connection, nothing was sent, so the email is sent on a new connection.
      if (outcome !== 'stale') return outcome
      const second = await attempt(mail, await openConnection(url, patience))
      return second as EmailOutcome
    },
    check: async () => {
      const connection = await openConnection(url, patience)
      await connection.verify().finally(connection.end)
    },
    close: () => {
      for (const connection of idle.splice(0)) connection.end()
    },
  }
}

const toMail = ({ messageId, from, to, replyTo, subject, text, html, language, headers, attachments }: OutgoingEmail): SendMailOptions => ({
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
  // The reply address is passed as an object, because Nodemailer parses a string as a list of addresses.
  ...(replyTo ? { replyTo: { address: replyTo, name: '' } } : {}),
  ...(html ? { html } : {}),
})

/** SMTP reply codes about authentication or the SMTP session. They may follow the MAIL command, but do not concern the message. */
const SESSION_REPLY_CODES = [503, 530, 534, 535, 538]

/** Maps an SMTP error to an outcome. The delivery is uncertain only if the connection broke while the message was being transferred. */
function toEmailOutcome({ command = '', responseCode, message }: SmtpFailure, transferStarted: boolean): EmailOutcome {
  const reason = message.slice(0, 300)
  if (responseCode === undefined) return { kind: transferStarted ? 'uncertain' : 'later', reason }
  const aboutTheMessage = /^(MAIL|RCPT|DATA)/.test(command) && !SESSION_REPLY_CODES.includes(responseCode)
  if (responseCode < 500 || !aboutTheMessage) return { kind: 'later', reason }
  return { kind: 'refused', reason, address: command.startsWith('RCPT') }
}
