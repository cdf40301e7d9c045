import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../src/kernel/secrets.ts'
import { mailboxMailer, smtpMailer } from '../../src/platform/mailer.ts'
import { sendDueEmails } from '../../src/surfaces/worker/send-emails.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { type EventPlace, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let event: EventPlace
let olga: OrganizerHandle
let sink: SmtpSink
let noteId: string

beforeAll(async () => {
  world = await newWorld()
  event = await world.event({ code: 'summit', name: 'Summit' })
  olga = await world.organizer({ at: event })
  sink = await startSmtpSink()
})
afterAll(async () => {
  await sink.stop()
  await world.end()
})
beforeEach(async () => {
  sink.mails.length = 0
  sink.behave(() => 'accept')
  await world.clock.reset()
  await world.database.pool.query('delete from messages')
  noteId = (await olga.call('fixture_add_note', { eventCode: 'summit', text: 'Bring chairs' })).note.id
})

const send = (mailer = smtpMailer(new Secret(sink.url))) =>
  sendDueEmails({ pool: world.database.pool, mailer, log: world.road.log, from: 'no-reply@example.org', batch: 50 })
const mail = (...to: string[]) => olga.call('fixture_mail_note', { eventCode: 'summit', noteId, to })
const states = async () =>
  Object.fromEntries(
    (await world.database.pool.query<{ to_address: string; status: string }>('select to_address, status from messages')).rows.map((r) => [
      r.to_address,
      r.status,
    ]),
  )

describe('the outbox', () => {
  it('sends what a committed call wrote, once, with its Message-ID', async () => {
    await mail('ana@example.org', 'ben@example.org')
    expect(await send()).toBe(2)
    expect(await send()).toBe(0)
    expect(new Set(sink.mails.map((m) => m.to[0]))).toEqual(new Set(['ana@example.org', 'ben@example.org']))
    expect(sink.mails[0]!.raw).toContain('Subject: A reminder for Summit')
    expect(sink.mails[0]!.raw).toMatch(/Message-ID: <[0-9a-f]{24}@localhost>/i)
    expect(await states()).toEqual({ 'ana@example.org': 'sent', 'ben@example.org': 'sent' })
  })

  it('sends nothing of a call that was refused or only tried', async () => {
    await olga.call('fixture_mail_note', { eventCode: 'summit', noteId, to: ['ana@example.org'], dryRun: true })
    await olga.refused('fixture_mail_note', { eventCode: 'summit', noteId, to: ['ana@example.org'], always: 'yes' })
    expect(await send()).toBe(0)
    expect(sink.mails).toEqual([])
  })

  it('is shared by several workers without sending anything twice', async () => {
    await mail(...Array.from({ length: 40 }, (_, i) => `p${i}@example.org`))
    await Promise.all(
      Array.from({ length: 4 }, () =>
        sendDueEmails({
          pool: world.database.pool,
          mailer: smtpMailer(new Secret(sink.url)),
          log: world.road.log,
          from: 'a@b.example',
          batch: 10,
        }),
      ),
    )
    while ((await send()) > 0);
    expect(sink.mails).toHaveLength(40)
    expect(new Set(sink.mails.map((m) => m.to[0])).size).toBe(40)
  })

  it('tells a bad address, a refused message, and a server that asks to wait apart', async () => {
    sink.behave((to) =>
      to.startsWith('gone') ? 'refuse-address' : to.startsWith('spam') ? 'refuse-message' : to.startsWith('busy') ? 'later' : 'accept',
    )
    await mail('gone@example.org', 'spam@example.org', 'busy@example.org', 'good@example.org')
    await send()
    expect(await states()).toEqual({
      'gone@example.org': 'bounced',
      'spam@example.org': 'failed',
      'busy@example.org': 'queued',
      'good@example.org': 'sent',
    })
    expect(await send()).toBe(0)
    sink.behave(() => 'accept')
    await world.clock.advance('1 minute')
    expect(await send()).toBe(1)
    expect((await states())['busy@example.org']).toBe('sent')
  })

  it('gives up after eight tries', async () => {
    sink.behave(() => 'later')
    await mail('busy@example.org')
    for (let i = 0; i < 8; i++) {
      expect(await send()).toBe(1)
      await world.clock.advance('2 hours')
    }
    expect(await states()).toEqual({ 'busy@example.org': 'failed' })
  })

  it('does not send again what may have arrived, unless somebody waits for it', async () => {
    sink.behave(() => 'drop-after')
    await mail('ana@example.org')
    await send()
    expect(await states()).toEqual({ 'ana@example.org': 'uncertain' })
    await world.database.pool.query(
      `update messages set status = 'queued', category = 'transactional', attempts = 0, next_attempt_at = lanyard_now()`,
    )
    await send()
    expect(await states()).toEqual({ 'ana@example.org': 'queued' })
    sink.behave(() => 'accept')
    await world.clock.advance('1 minute')
    await send()
    expect(await states()).toEqual({ 'ana@example.org': 'sent' })
    expect(new Set(sink.mails.map((m) => /Message-ID: (\S+)/i.exec(m.raw)![1])).size).toBe(1)
  })

  it('takes back what a dead worker had claimed, and leaves in doubt what it had handed over', async () => {
    await mail('claimed@example.org', 'handed@example.org')
    await world.database.pool.query(
      `update messages set status = split_part(to_address, '@', 1), lease_token = 'dead', lease_until = lanyard_now() + interval '60 seconds', attempts = 1`,
    )
    expect(await send()).toBe(0)
    await world.clock.advance('61 seconds')
    expect(await send()).toBe(1)
    expect(await states()).toEqual({ 'claimed@example.org': 'sent', 'handed@example.org': 'uncertain' })
  })

  it('keeps everything in the mailbox when there is no mail server', async () => {
    await mail('ana@example.org')
    expect(await send(mailboxMailer())).toBe(1)
    expect(await states()).toEqual({ 'ana@example.org': 'sent' })
    expect(sink.mails).toEqual([])
  })
})
