import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedEmail {
  from: string
  to: string[]
  raw: string
}

export interface SmtpSink {
  url: string
  receivedEmails: ReceivedEmail[]
  /** How the server handles the next messages: accept, reject, drop the connection, or receive the message and never respond. */
  setBehavior: (
    how: (to: string) => 'accept' | 'refuse-address' | 'refuse-message' | 'later' | 'drop-before' | 'drop-after' | 'silent-after',
  ) => void
  stop: () => Promise<void>
}

const answer = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code })

/** A real SMTP server on loopback that stores the messages it receives. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const emails: ReceivedEmail[] = []
  let how: Parameters<SmtpSink['setBehavior']>[0] = () => 'accept'
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo(address, session, done) {
      const act = how(address.address)
      if (act === 'drop-before') return (session as unknown as { _connection?: unknown }) && destroy(this, session.id)
      if (act === 'refuse-address') return done(answer(550, 'no such mailbox'))
      if (act === 'later') return done(answer(450, 'try later'))
      done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map((r) => r.address)
        const act = how(to[0] ?? '')
        if (act === 'refuse-message') return done(answer(554, 'message refused'))
        emails.push({
          from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
          to,
          raw: Buffer.concat(chunks).toString('utf8'),
        })
        if (act === 'drop-after') return destroy(this, session.id)
        if (act !== 'silent-after') done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}?ignoreTLS=true`,
    receivedEmails: emails,
    setBehavior: (next) => {
      how = next
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The decoded plain text of an email. */
export function readEmailText({ raw }: ReceivedEmail): string {
  const [, head = '', body = ''] = /content-type: text\/plain([\s\S]*?)\r\n\r\n([\s\S]*?)\r\n-{2}/i.exec(raw) ?? []
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8')
  return /quoted-printable/i.test(head) ? unquoted(body) : body
}

const unquoted = (body: string) =>
  Buffer.from(
    body.replaceAll('=\r\n', '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

/** The latest sign-in code sent to this address. */
export function findLatestSignInCode({ receivedEmails }: Pick<SmtpSink, 'receivedEmails'>, email: string): string {
  const codes = receivedEmails.flatMap((message) =>
    message.to.includes(email) ? (/^Your code: (\d{6})\r?$/m.exec(readEmailText(message))?.[1] ?? []) : [],
  )
  if (codes.length === 0) throw new Error(`no code was sent to ${email}`)
  return codes.at(-1)!
}

/** Ends the connection as a crashing server would. */
function destroy(server: unknown, id: string): void {
  const { connections } = server as { connections: Set<{ id: string; session?: { id: string }; _socket: { destroy: () => void } }> }
  for (const connection of connections) if ((connection.session?.id ?? connection.id) === id) connection._socket.destroy()
}
