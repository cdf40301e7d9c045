import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUpCodes } from '../../src/domains/codes/cleanup.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createMailboxMailer, createSmtpMailer } from '../../src/platform/mailer.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { assistantAt, type SignInCalls, chooseWrongCode } from '../support/sign-in-codes.ts'
import { eventHomePath } from '../support/own-pages.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { findLatestSignInCode, type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { visitor } from '../support/visitor.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

/** Tests which sign-in codes stay readable in the outbox. */

let world: World
let served: Served
let summit: EventHandle
let concierge: SignInCalls
let sink: SmtpSink

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  summit = await world.event({ name: 'Acme Summit' })
  concierge = await assistantAt(world, summit)
  served = await serve(world)
  sink = await startSmtpSink()
})
afterAll(async () => {
  await sink.stop()
  await world.end()
})

let made = 0
const newEmail = () => `reader-${++made}@example.org`

const send = (mailer = createSmtpMailer(new Secret(sink.url))) =>
  sendEmailBatch({ pool: world.database.pool, mailer, log: world.services.log, from: 'no-reply@example.org', batch: 50 })
const mailbox = () => send(createMailboxMailer())

interface OutboxEntry {
  status: string
  subject: string
  text: string
  html: string | null
}

/** The messages in the outbox, oldest first. */
async function listOutbox(email: string): Promise<OutboxEntry[]> {
  const { rows } = await world.database.pool.query<OutboxEntry>(
    'select status, subject, text_body as text, html_body as html from messages where to_address = $1 order by id',
    [email],
  )
  return rows
}

const EMPTY = { status: 'sent', text: '', html: null }
const readable = (code: string) => ({ text: expect.stringContaining(code), html: expect.stringContaining(code) })
const digits = async (email: string) => /\b\d{6}\b/.exec((await listOutbox(email)).at(-1)!.text)![0]

describe('sign-in codes in the outbox with a mail server', () => {
  it('removes a sign-in code from the outbox after its email is sent', async () => {
    const email = newEmail()
    await concierge.request(email)
    await send()
    const code = findLatestSignInCode(sink, email)
    expect(await listOutbox(email)).toMatchObject([{ ...EMPTY, subject: 'Concierge by Acme: your sign-in code for Acme Summit' }])
    const { rows } = await world.database.pool.query<{ row: string }>('select m::text as row from messages m where to_address = $1', [
      email,
    ])
    expect(rows[0]!.row).not.toContain(code)
    expect(await concierge.verify(email, code)).toMatchObject({ verified: true })
  })

  it('keeps a sign-in code while its email must still be sent, and removes it with the last attempt', async () => {
    const [busy, gone] = [newEmail(), newEmail()]
    sink.setBehavior((to) => (to === gone ? 'refuse-address' : 'later'))
    for (const email of [busy, gone]) await concierge.request(email)
    await send()
    expect(await listOutbox(busy)).toMatchObject([{ status: 'queued', ...readable(await digits(busy)) }])
    expect(await listOutbox(gone)).toMatchObject([{ ...EMPTY, status: 'bounced' }])
    sink.setBehavior(() => 'accept')
    await world.clock.advance('1 minute')
    await send()
    expect(await listOutbox(busy)).toMatchObject([EMPTY])
    expect(await concierge.verify(busy, findLatestSignInCode(sink, busy))).toMatchObject({ verified: true })
    await world.clock.reset()
  })

  it('removes only the sign-in code from the text of an email in the outbox', async () => {
    const olga = await world.organizer({ at: summit })
    const { note } = await olga.call('fixture_add_note', { eventCode: summit.eventCode, text: 'Bring chairs' })
    const to = newEmail()
    await olga.call('fixture_mail_note', { eventCode: summit.eventCode, noteId: note.id, to: [to] })
    await send()
    expect((await listOutbox(to))[0]).toMatchObject({ status: 'sent', text: expect.stringContaining('Bring chairs') })
  })
})

describe('sign-in codes in the outbox without a mail server', () => {
  async function waiting(): Promise<{ email: string; code: string }> {
    const email = newEmail()
    await concierge.request(email)
    await mailbox()
    const code = await digits(email)
    expect(await listOutbox(email)).toMatchObject([{ status: 'sent', ...readable(code) }])
    return { email, code }
  }

  it('keeps a sign-in code readable in the outbox until the code is used', async () => {
    const { email, code } = await waiting()
    await concierge.verify(email, chooseWrongCode(code))
    expect(await listOutbox(email)).toMatchObject([readable(code)])
    await concierge.verify(email, code)
    expect(await listOutbox(email)).toMatchObject([EMPTY])
  })

  it('keeps a sign-in code readable in the outbox until wrong attempts invalidate it', async () => {
    const { email, code } = await waiting()
    for (const by of [1, 2, 3]) await concierge.verify(email, chooseWrongCode(code, by))
    expect(await listOutbox(email)).toMatchObject([EMPTY])
  })

  it('keeps a sign-in code readable in the outbox until a newer code replaces it', async () => {
    const { email } = await waiting()
    await concierge.request(email)
    await mailbox()
    expect(await listOutbox(email)).toMatchObject([EMPTY, readable(await digits(email))])
  })

  it('keeps a sign-in code readable in the outbox until the code expires, but not if it was used before its email was sent', async () => {
    const late = await waiting()
    const early = newEmail()
    await concierge.verify(early, await concierge.requestCode(early))
    await mailbox()
    const fresh = await waiting()
    await world.clock.advance('14 minutes')
    await world.database.transact((db) => cleanUpCodes(db))
    expect(await listOutbox(early)).toMatchObject([EMPTY])
    expect(await listOutbox(fresh.email)).toMatchObject([readable(fresh.code)])
    await world.clock.advance('1 minute')
    await world.database.transact((db) => cleanUpCodes(db))
    expect(await listOutbox(late.email)).toMatchObject([EMPTY])
    expect(await listOutbox(fresh.email)).toMatchObject([EMPTY])
    await world.clock.reset()
  })

  it('keeps the sign-in link of an invalidated code valid, and removes link and code from the outbox after use', async () => {
    const email = newEmail()
    const signIn = `${eventHomePath(summit)}/registration/sign-in`
    const who = visitor(served)
    await who.post(signIn, { email })
    await mailbox()
    const code = await digits(email)
    const from = `${signIn}/code?email=${encodeURIComponent(email)}`
    for (const by of [1, 2, 3]) await who.post(`${signIn}/code`, { email, code: chooseWrongCode(code, by) }, { from })
    const [{ text }] = (await listOutbox(email)) as [OutboxEntry]
    const link = new URL(/https?:\S+\/link\?token=\S+/.exec(text)![0])
    const token = link.searchParams.get('token')!
    await who.post(`${signIn}/link`, { token }, { from: `${link.pathname}${link.search}` })
    expect(await listOutbox(email)).toMatchObject([EMPTY])
  })
})
