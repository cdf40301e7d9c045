import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Secret } from '../../src/kernel/secrets.ts'
import { type SmtpTimeouts, createSmtpMailer } from '../../src/platform/mailer.ts'
import { startScriptedSmtp } from '../support/scripted-smtp.ts'

const MAIL = {
  messageId: '<1@localhost>',
  from: { name: 'Summit', address: 'no-reply@example.org' },
  to: { address: 'ana@example.org' },
  subject: 'Hello',
  text: 'Hello',
  language: 'en',
  headers: {},
  attachments: [],
}

async function sendTo(script: Parameters<typeof startScriptedSmtp>[0], patience?: SmtpTimeouts) {
  const server = await startScriptedSmtp(script)
  onTestFinished(server.stop)
  return { outcome: await createSmtpMailer(new Secret(server.url), patience).send(MAIL), server }
}

/** An SMTP server that answers `text` to commands that start with `at`, and normally to other commands. */
const answering = (at: string, text: string) => ({ answer: (command: string) => (command.startsWith(at) ? text : undefined) })

describe('SMTP server', () => {
  it('delivers an email to an SMTP server', async () => {
    expect((await sendTo({})).outcome).toEqual({ kind: 'accepted' })
  })

  it.each([
    ['MAIL', '553 5.7.1 not your address', false],
    ['RCPT', '550 5.1.1 no such mailbox', true],
    ['DATA', '554 5.6.0 no thanks', false],
    ['.', '554 5.7.1 spam', false],
  ])('fails the email without a retry if the SMTP server permanently rejects at %s', async (at, text, address) => {
    expect((await sendTo(answering(at, text))).outcome).toMatchObject({ kind: 'refused', address })
  })

  it.each([
    ['AUTH', '535 5.7.8 wrong password'],
    ['AUTH', '534 5.7.9 another mechanism, please'],
    ['MAIL', '530 5.7.0 sign in first'],
    ['MAIL', '503 5.5.1 sign in first'],
    ['RCPT', '450 4.2.1 try later'],
    ['.', '451 4.3.0 try later'],
  ])('retries the email if the SMTP server rejects at %s with %s', async (at, text) => {
    expect((await sendTo(answering(at, text))).outcome).toMatchObject({ kind: 'later' })
  })

  it('retries the email if the SMTP server greets with an error', async () => {
    const { outcome } = await sendTo({ greet: (socket) => socket.end('554 5.3.2 no service now\r\n') })
    expect(outcome).toMatchObject({ kind: 'later' })
  })

  it.each([{ secure: true }, { secure: false }])('uses TLS for SMTP, from the start or after STARTTLS: %j', async ({ secure }) => {
    let taken = 0
    const server = new SMTPServer({
      secure,
      authOptional: true,
      disabledCommands: ['AUTH'],
      onRcptTo: (_address, session, done) => done(session.secure ? null : new Error('in clear')),
      onData(stream, _session, done) {
        taken++
        stream.on('end', () => done()).resume()
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
    const { port } = server.server.address() as AddressInfo
    const url = `${secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}?tls.rejectUnauthorized=false&requireTLS=true`
    expect(await createSmtpMailer(new Secret(url)).send(MAIL)).toEqual({ kind: 'accepted' })
    expect(taken).toBe(1)
  })
})

describe('connection to the SMTP server', () => {
  /** A server that counts connections and messages, and whose sockets the test can destroy. */
  async function startCountingServer(onMessage: (count: number, socket: Socket) => 'accept' | 'drop' = () => 'accept') {
    const sockets: Socket[] = []
    let messages = 0
    let open = 0
    let most = 0
    const server = await startScriptedSmtp({
      greet: (socket) => {
        sockets.push(socket)
        most = Math.max(most, ++open)
        socket.on('close', () => open--)
        socket.write('220 ready\r\n')
      },
      answer: (command, socket) => {
        if (command !== '.') return undefined
        if (onMessage(++messages, socket) === 'accept') return undefined
        socket.destroy()
        return null
      },
    })
    const mailer = createSmtpMailer(new Secret(server.url))
    onTestFinished(async () => {
      mailer.close()
      await server.stop()
    })
    return { mailer, sockets, messages: () => messages, most: () => most }
  }

  it('reuses the SMTP connection for the next email, and opens several only for concurrent emails', async () => {
    const { mailer, sockets, messages, most } = await startCountingServer()
    for (let i = 0; i < 4; i++) expect(await mailer.send(MAIL)).toEqual({ kind: 'accepted' })
    expect([sockets.length, messages()]).toEqual([1, 4])
    await Promise.all(Array.from({ length: 3 }, () => mailer.send(MAIL)))
    expect([most(), messages()]).toEqual([3, 7])
  })

  it('replaces an SMTP connection that the server has closed, and sends the email once', async () => {
    const { mailer, sockets, messages } = await startCountingServer()
    await mailer.send(MAIL)
    sockets[0]!.destroy()
    expect(await mailer.send(MAIL)).toEqual({ kind: 'accepted' })
    expect([sockets.length, messages()]).toEqual([2, 2])
  })

  it('reports an uncertain delivery, without a second attempt, if the connection breaks during the transfer of a later email', async () => {
    const { mailer, messages } = await startCountingServer((count) => (count === 2 ? 'drop' : 'accept'))
    await mailer.send(MAIL)
    expect(await mailer.send(MAIL)).toMatchObject({ kind: 'uncertain' })
    expect(messages()).toBe(2)
    expect(await mailer.send(MAIL)).toEqual({ kind: 'accepted' })
  })
})

describe('hanging SMTP server', () => {
  const endless = 3_600_000
  // The timeout is long in tests that depend on how far the SMTP dialogue gets on a busy machine.
  /** Sends half a line now and then, so that the connection is never silent and the line never finished. */
  const dribble = (socket: Socket) => {
    const timer = setInterval(() => socket.write('250-wait\r\n'), 20)
    socket.on('close', () => clearInterval(timer))
    return null
  }
  const at = (step: string, act: (socket: Socket) => null) => ({
    answer: (command: string, socket: Socket) => (command.startsWith(step) ? act(socket) : undefined),
  })
  const silent = () => null

  it.each([
    ['does not greet', { greet: silent }, { connecting: 100, silence: endless, whole: endless }, 'later'],
    ['falls silent', at('RCPT', silent), { connecting: endless, silence: 100, whole: endless }, 'later'],
    ['falls silent over the message', at('.', silent), { connecting: endless, silence: 2000, whole: endless }, 'uncertain'],
    ['never ends an answer', at('RCPT', dribble), { connecting: endless, silence: endless, whole: 300 }, 'later'],
    ['never ends its answer to the message', at('.', dribble), { connecting: endless, silence: endless, whole: 3000 }, 'uncertain'],
  ])('disconnects from an SMTP server that %s after the timeout', async (_what, script, patience, kind) => {
    const { outcome, server } = await sendTo(script, patience)
    expect(outcome).toMatchObject({ kind })
    await expect.poll(server.open).toBe(0)
  })

  it('stops waiting for a hanging SMTP server when the email settings are checked', async () => {
    const server = await startScriptedSmtp(at('AUTH', dribble))
    onTestFinished(server.stop)
    const mailer = createSmtpMailer(new Secret(server.url), { connecting: endless, silence: endless, whole: 300 })
    await expect(mailer.check()).rejects.toThrow('took longer')
  })
})
