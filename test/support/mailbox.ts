import { Secret } from '../../src/kernel/secrets.ts'
import { createSmtpMailer } from '../../src/platform/mailer.ts'
import { createBounceSaver } from '../../src/surfaces/worker/save-bounce.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import type { Served } from './server.ts'
import { type ReceivedEmail, type SmtpSink, startSmtpSink, readEmailText } from './smtp-sink.ts'
import type { World } from './world.ts'

/** The emails of a served world, delivered over SMTP. */
export interface Mailbox {
  sink: SmtpSink
  /** Sends all queued emails, as the worker does. */
  deliver: () => Promise<void>
  /** Delivers the queued emails, and returns those to the given address whose raw text matches, oldest first. */
  read: (to: string, subject: RegExp) => Promise<ReceivedEmail[]>
  /** The paths of links to the test server in the text and HTML parts of an email. */
  listPaths: (email: ReceivedEmail) => string[]
  stop: () => Promise<void>
}

const BATCH = 50
const LINK = /https?:\/\/[^\s<>"')]+/g

/** The decoded content of the first part of an email with the given content type. */
export function readEmailPart({ raw }: ReceivedEmail, type: string): Buffer | null {
  const start = new RegExp(`^content-type: ${type.replaceAll(/[/.+]/g, '\\$&')}[^]*?\\r\\n\\r\\n([^]*?)\\r\\n--`, 'im').exec(raw)
  if (!start) return null
  const [head, body] = [start[0].slice(0, start[0].indexOf('\r\n\r\n')), start[1]!]
  if (/transfer-encoding: base64/i.test(head)) return Buffer.from(body, 'base64')
  const plain = body.replaceAll('=\r\n', '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(/quoted-printable/i.test(head) ? plain : body, 'latin1')
}

/** The names of the files that are attached to an email. */
export const listAttachments = ({ raw }: ReceivedEmail): string[] =>
  [...raw.matchAll(/content-disposition: attachment;\s*filename="?([^"\r\n;]+)/gi)].map(([, name]) => name!)

export async function openMailbox({ services }: World, { baseUrl }: Pick<Served, 'baseUrl'>): Promise<Mailbox> {
  const sink = await startSmtpSink()
  const { database, log } = services
  const mailer = createSmtpMailer(new Secret(sink.url))
  const saveBounce = createBounceSaver(services)
  const deliver = async () => {
    let taken: number
    do taken = await sendEmailBatch({ pool: database.pool, mailer, log, from: 'events@example.org', batch: BATCH, saveBounce })
    while (taken === BATCH)
  }
  return {
    sink,
    deliver,
    async read(to, subject) {
      await deliver()
      return sink.receivedEmails.filter((one) => one.to.includes(to) && subject.test(one.raw))
    },
    listPaths(email) {
      const html = (readEmailPart(email, 'text/html')?.toString('utf8') ?? '').replaceAll('&amp;', '&')
      const urls = [...`${readEmailText(email)} ${html}`.matchAll(LINK)].map(([url]) => url).filter((url) => url.startsWith(baseUrl))
      return [...new Set(urls)].map((url) => url.slice(baseUrl.length))
    },
    stop: sink.stop,
  }
}
