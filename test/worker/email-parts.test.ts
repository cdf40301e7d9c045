import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createIrreversibleEffectCounter } from '../../src/kernel/effects.ts'
import { defineEmail, type EmailRequest, sendEmail } from '../../src/kernel/email.ts'
import { newId } from '../../src/kernel/ids.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createSmtpMailer } from '../../src/platform/mailer.ts'
import { sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { type EventHandle, newWorld, type World } from '../support/world.ts'

let world: World
let event: EventHandle
let sink: SmtpSink

beforeAll(async () => {
  world = await newWorld()
  event = await world.event({ code: 'summit', name: 'Summit' })
  sink = await startSmtpSink()
})
afterAll(async () => {
  await sink.stop()
  await world.end()
})
beforeEach(async () => {
  sink.receivedEmails.length = 0
  await world.database.pool.query('delete from messages')
})

const greeting = defineEmail<string>({
  code: 'greeting',
  category: 'transactional',
  render: (subject, { words }) => ({ subject, text: words.say('yes'), html: `<p>${words.say('yes')} <img src="cid:badge"></p>` }),
})

const write = (mailing: Partial<EmailRequest<string>> = {}) =>
  sendEmail(
    { tenantId: event.tenantId, db: world.database.write, effects: createIrreversibleEffectCounter(), baseUrl: world.services.baseUrl },
    greeting,
    {
      to: { address: 'ana@example.org' },
      content: 'Hello',
      source: { kind: 'test', id: newId(), recipientKey: 'ana' },
      ...mailing,
    },
  )

async function sent(mailing: Partial<EmailRequest<string>> = {}): Promise<string> {
  await write(mailing)
  const due = {
    pool: world.database.pool,
    mailer: createSmtpMailer(new Secret(sink.url)),
    log: world.services.log,
    from: 'no-reply@example.org',
    batch: 9,
  }
  expect(await sendEmailBatch(due)).toBe(1)
  return sink.receivedEmails.at(-1)!.raw
}

/** The headers of an email with folded lines joined. */
const headersIn = (raw: string) =>
  raw
    .split('\r\n\r\n')[0]!
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
const headerOf = (raw: string, name: string) => headersIn(raw).filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))

describe('language of an email', () => {
  it('uses the recipient’s language in an email’s text and header', async () => {
    const raw = await sent({ locale: 'de-AT' })
    expect([headerOf(raw, 'Content-Language'), raw.includes('Ja')]).toEqual([['Content-Language: de-AT'], true])
    const { rows } = await world.database.pool.query('select locale from messages')
    expect(rows).toEqual([{ locale: 'de-AT' }])
  })

  it.each([undefined, null, 'tlh', 'no such tag'])('sends an email in English if the recipient’s language is %s', async (locale) => {
    const raw = await sent(locale === undefined ? {} : { locale })
    expect([headerOf(raw, 'Content-Language'), raw.includes('Yes')]).toEqual([['Content-Language: en'], true])
  })

  it('declares the language of the organizer’s texts for an email even if Lanyard has no messages in that language', async () => {
    const french = defineEmail<null>({
      code: 'x',
      category: 'marketing',
      render: () => ({ subject: 'Bonjour', text: 'Bonjour', locale: 'fr' }),
    })
    const ctx = {
      tenantId: event.tenantId,
      db: world.database.write,
      effects: createIrreversibleEffectCounter(),
      baseUrl: world.services.baseUrl,
    }
    await sendEmail(ctx, french, {
      to: { address: 'a@example.org' },
      content: null,
      source: { kind: 'x', id: 'x', recipientKey: 'x' },
      locale: 'fr',
    })
    expect((await world.database.pool.query('select locale from messages')).rows).toEqual([{ locale: 'fr' }])
  })
})

describe('headers of an email', () => {
  it('sends an email with both the given headers and the standard headers', async () => {
    const raw = await sent({
      headers: {
        'List-Unsubscribe': '<https://x.example/u/1>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'In-Reply-To': '<a@x.example>',
      },
      replyTo: 'team@acme.example',
    })
    expect(headerOf(raw, 'List-Unsubscribe')).toEqual(['List-Unsubscribe: <https://x.example/u/1>'])
    expect(headerOf(raw, 'List-Unsubscribe-Post')).toEqual(['List-Unsubscribe-Post: List-Unsubscribe=One-Click'])
    expect(headerOf(raw, 'In-Reply-To')).toEqual(['In-Reply-To: <a@x.example>'])
    expect(headerOf(raw, 'Auto-Submitted')).toEqual(['Auto-Submitted: auto-generated'])
    expect(headerOf(raw, 'Reply-To')).toEqual(['Reply-To: team@acme.example'])
  })

  it.each([
    ['the subject', { content: 'Hello\r\nBcc: all@evil.example\r\n\r\nBody' }],
    ['the name of the sender', { fromName: 'Acme\r\nBcc: all@evil.example' }],
    ['the name of the recipient', { to: { address: 'ana@example.org', name: 'Ana\r\nBcc: all@evil.example' } }],
    ['the reply address', { replyTo: 'team@acme.example\r\nBcc: all@evil.example' }],
    ['a second reply address', { replyTo: 'team@acme.example, all@evil.example' }],
    [
      'the file name of an attachment',
      { attachments: [{ name: 'a"\r\nBcc: all@evil.example\r\n.pdf', mime: 'application/pdf', content: Buffer.from('x') }] },
    ],
    [
      'the type of an attachment',
      { attachments: [{ name: 'a.pdf', mime: 'application/pdf\r\nBcc: all@evil.example', content: Buffer.from('x') }] },
    ],
  ])('allows no email header injection through %s', async (_, mailing) => {
    const raw = await sent(mailing)
    expect([headerOf(raw, 'Bcc'), sink.receivedEmails.at(-1)!.to]).toEqual([[], ['ana@example.org']])
    expect(raw).not.toMatch(/^Bcc:/im)
    expect(headerOf(raw, 'Reply-To').join()).not.toMatch(/, all@evil\.example$/)
  })

  it('does not store an email with a header in an invalid format', async () => {
    await expect(write({ headers: { 'In-Reply-To': 'x\r\nBcc: y' } })).rejects.toThrow('In-Reply-To has an invalid format')
    expect((await world.database.pool.query('select 1 from messages')).rows).toEqual([])
  })
})

describe('attachments of an email', () => {
  const MB = 1024 * 1024
  const of = (size: number, name = 'a.bin') => ({ name, mime: 'application/octet-stream', content: Buffer.alloc(size, 'x') })

  it('sends email attachments unchanged, and pictures inline', async () => {
    const invoice = Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])
    const raw = await sent({
      attachments: [
        { name: '../../Rechnung 7/ü.pdf', mime: 'application/pdf', content: invoice },
        { name: 'badge.png', mime: 'image/png', content: Buffer.from('png'), contentId: 'badge' },
        { name: 'event.ics', mime: 'text/calendar; method=REQUEST', content: Buffer.from('BEGIN:VCALENDAR') },
      ],
    })
    expect(raw).toContain(invoice.toString('base64'))
    expect(raw).toMatch(/filename\*0\*=utf-8''Rechnung%207%20%C3%BC\.pdf/i)
    expect(raw).toMatch(/Content-ID: <badge>/i)
    expect(raw).toMatch(/Content-Disposition: inline; filename=badge\.png/i)
    expect(raw).toMatch(/Content-Type: text\/calendar; method=REQUEST/i)
    expect(raw).not.toContain('..')
  })

  it('stores attachments once with their email', async () => {
    const source = { kind: 'test', id: newId(), recipientKey: 'ana' }
    expect([await write({ source, attachments: [of(3)] }), await write({ source, attachments: [of(3)] })]).toEqual([true, false])
    expect((await world.database.pool.query('select size from message_attachments')).rows).toEqual([{ size: 3 }])
  })

  it('limits the size and number of email attachments', async () => {
    const refusedWith = (attachments: ReturnType<typeof of>[]) =>
      world.database
        .transact(async (db) => {
          const ctx = { tenantId: event.tenantId, db, effects: createIrreversibleEffectCounter(), baseUrl: world.services.baseUrl }
          const source = { kind: 'test', id: newId(), recipientKey: 'ana' }
          await sendEmail(ctx, greeting, { to: { address: 'a@example.org' }, content: 'x', source, attachments })
        })
        .then(
          () => null,
          (error: Error) => error.message,
        )
    expect(await refusedWith([of(10 * MB)])).toBeNull()
    expect(await refusedWith([of(10 * MB + 1)])).toBe('An attachment can have at most 10 MB')
    expect(await refusedWith([of(5 * MB), of(5 * MB), of(5 * MB), of(1)])).toBe(
      'The attachments of an email can have at most 15 MB together',
    )
    expect(await refusedWith(Array.from({ length: 21 }, () => of(1)))).toBe('An email can have at most 20 attachments')
    expect((await world.database.pool.query('select 1 from messages')).rows).toHaveLength(1)
  })
})
