import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Mailer } from '../../src/kernel/ports.ts'
import { Secret } from '../../src/kernel/secrets.ts'
import { createMailboxMailer, SMTP_TIMEOUTS, createSmtpMailer } from '../../src/platform/mailer.ts'
import { type EmailSendingContext, sendEmailBatch } from '../../src/surfaces/worker/send-emails.ts'
import { startWorker } from '../../src/surfaces/worker/worker.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let event: EventHandle
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
  sink.receivedEmails.length = 0
  sink.setBehavior(() => 'accept')
  await world.clock.reset()
  await world.database.pool.query('delete from messages')
  noteId = (await olga.call('fixture_add_note', { eventCode: 'summit', text: 'Bring chairs' })).note.id
})

const send = (mailer = createSmtpMailer(new Secret(sink.url)), further: Partial<EmailSendingContext> = {}) =>
  sendEmailBatch({ pool: world.database.pool, mailer, log: world.services.log, from: 'no-reply@example.org', batch: 50, ...further })
const email = (...to: string[]) => olga.call('fixture_mail_note', { eventCode: 'summit', noteId, to })
const states = async () =>
  Object.fromEntries(
    (await world.database.pool.query<{ to_address: string; status: string }>('select to_address, status from messages')).rows.map((r) => [
      r.to_address,
      r.status,
    ]),
  )

describe('email outbox', () => {
  it('sends an email of a committed tool call once, with its Message-ID', async () => {
    await email('ana@example.org', 'ben@example.org')
    expect(await send()).toBe(2)
    expect(await send()).toBe(0)
    expect(new Set(sink.receivedEmails.map((m) => m.to[0]))).toEqual(new Set(['ana@example.org', 'ben@example.org']))
    expect(sink.receivedEmails[0]!.raw).toContain('Subject: A reminder for Summit')
    expect(sink.receivedEmails[0]!.raw).toMatch(/Message-ID: <[0-9a-f]{24}@localhost>/i)
    expect(await states()).toEqual({ 'ana@example.org': 'sent', 'ben@example.org': 'sent' })
  })

  it('sends no email of a refused tool call or a dry run', async () => {
    await olga.call('fixture_mail_note', { eventCode: 'summit', noteId, to: ['ana@example.org'], dryRun: true })
    await olga.refused('fixture_mail_note', { eventCode: 'summit', noteId, to: ['ana@example.org'], always: 'yes' })
    expect(await send()).toBe(0)
    expect(sink.receivedEmails).toEqual([])
  })

  it('sends each email once with several workers', async () => {
    await email(...Array.from({ length: 40 }, (_, i) => `p${i}@example.org`))
    await Promise.all(
      Array.from({ length: 4 }, () =>
        sendEmailBatch({
          pool: world.database.pool,
          mailer: createSmtpMailer(new Secret(sink.url)),
          log: world.services.log,
          from: 'a@b.example',
          batch: 10,
        }),
      ),
    )
    while ((await send()) > 0);
    expect(sink.receivedEmails).toHaveLength(40)
    expect(new Set(sink.receivedEmails.map((m) => m.to[0])).size).toBe(40)
  })

  it('sends as many emails concurrently as there are SMTP connections, but emails to one address in sequence', async () => {
    const sendWith = async (connections: number) => {
      const order: string[] = []
      const running = new Set<string>()
      let most = 0
      const counting: Mailer = {
        ...createMailboxMailer(),
        connections,
        async send({ to, messageId }) {
          running.add(messageId)
          most = Math.max(most, running.size)
          if (to.address.startsWith('ana')) order.push(messageId)
          await new Promise((resolve) => setTimeout(resolve, 5))
          running.delete(messageId)
          return { kind: 'accepted' }
        },
      }
      await world.database.pool.query('delete from messages')
      for (let i = 0; i < 3; i++) {
        noteId = (await olga.call('fixture_add_note', { eventCode: 'summit', text: `Note ${i}` })).note.id
        await email('ana@example.org', `p${i}@example.org`, `q${i}@example.org`)
      }
      expect(await send(counting)).toBe(9)
      const { rows } = await world.database.pool.query<{ header: string }>(
        `select message_id_header as header from messages where to_address = 'ana@example.org' order by id`,
      )
      expect(order).toEqual(rows.map(({ header }) => header))
      return most
    }
    expect(await sendWith(3)).toBe(3)
    expect(await sendWith(1)).toBe(1)
    expect(Object.values(await states())).toEqual(Array.from({ length: 7 }, () => 'sent'))
  })

  it('marks an email as bounced, failed or queued if the server refuses its address or content or asks to wait', async () => {
    sink.setBehavior((to) =>
      to.startsWith('gone') ? 'refuse-address' : to.startsWith('spam') ? 'refuse-message' : to.startsWith('busy') ? 'later' : 'accept',
    )
    await email('gone@example.org', 'spam@example.org', 'busy@example.org', 'good@example.org')
    await send()
    expect(await states()).toEqual({
      'gone@example.org': 'bounced',
      'spam@example.org': 'failed',
      'busy@example.org': 'queued',
      'good@example.org': 'sent',
    })
    expect(await send()).toBe(0)
    sink.setBehavior(() => 'accept')
    await world.clock.advance('2 minutes')
    expect(await send()).toBe(1)
    expect((await states())['busy@example.org']).toBe('sent')
  })

  it.each([
    ['marketing', [60, 300, 900, 3600, 14_400, 43_200]],
    ['signin.code', [10, 30, 60]],
  ])('retries an email of category %s after %j seconds with 10% jitter, then gives up', async (category, waits) => {
    let now = Date.parse('2026-11-02T09:00:00Z')
    const later = (seconds: number) => world.clock.stopAt(new Date((now += seconds * 1000)).toISOString())
    await later(0)
    sink.setBehavior(() => 'later')
    await email('busy@example.org')
    await world.database.pool.query('update messages set category = $1', [category])
    expect(await send()).toBe(1)
    for (const wait of waits) {
      expect(await states()).toEqual({ 'busy@example.org': 'queued' })
      await later(wait * 0.89)
      expect(await send()).toBe(0)
      await later(wait * 0.22)
      expect(await send()).toBe(1)
    }
    expect(await states()).toEqual({ 'busy@example.org': 'failed' })
  })

  it('spreads the retries of emails that failed together over time', async () => {
    await world.clock.stopAt('2026-11-02T09:00:00Z')
    sink.setBehavior(() => 'later')
    await email(...Array.from({ length: 10 }, (_, i) => `p${i}@example.org`))
    await send()
    const { rows } = await world.database.pool.query<{ n: number }>('select count(distinct next_attempt_at)::int as n from messages')
    expect(rows[0]!.n).toBeGreaterThan(5)
  })

  it('loses no email while the mail server is down for a night', async () => {
    await email('ana@example.org')
    const unreachableMailer = createSmtpMailer(new Secret('smtp://127.0.0.1:1'))
    for (let hour = 0; hour < 12; hour++) {
      await send(unreachableMailer)
      await world.clock.advance('1 hour')
    }
    expect(await states()).toEqual({ 'ana@example.org': 'queued' })
    await world.clock.advance('12 hours')
    await send()
    expect(await states()).toEqual({ 'ana@example.org': 'sent' })
  })

  it('holds the lease of an email longer than the transfer to a mail server may take', async () => {
    await email('ana@example.org')
    let held = 0
    const looking: Mailer = {
      ...createMailboxMailer(),
      async send() {
        const { rows } = await world.database.pool.query<{ ms: number }>(
          `select extract(epoch from lease_until - handed_at)::float8 * 1000 as ms from messages where status = 'handed'`,
        )
        held = rows[0]!.ms
        return { kind: 'accepted' }
      },
    }
    await send(looking)
    expect(held).toBeGreaterThan(SMTP_TIMEOUTS.whole)
  })

  it('starts no further email when the worker stops, and releases the emails it claimed', async () => {
    await email('ana@example.org', 'ben@example.org', 'cleo@example.org')
    const stop = new AbortController()
    const stoppedMeanwhile: Mailer = {
      ...createMailboxMailer(),
      send: () => {
        stop.abort()
        return Promise.resolve({ kind: 'accepted' })
      },
    }
    expect(await send(stoppedMeanwhile, { signal: stop.signal })).toBe(1)
    expect(Object.values(await states()).toSorted()).toEqual(['queued', 'queued', 'sent'])
    expect(await send()).toBe(2)
  })

  it('delays the shutdown of the worker only until the email in transfer is sent', async () => {
    await email('ana@example.org', 'ben@example.org', 'cleo@example.org')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let started = 0
    const slow: Mailer = {
      ...createMailboxMailer(),
      async send() {
        started++
        await released
        return { kind: 'accepted' }
      },
    }
    const nothingElse = { jobs: [], recurring: [], externalCalls: [], work: () => {} }
    const worker = startWorker({ ...world.services, ...nothingElse, mailFrom: 'a@b.example', mailRate: 10, mailer: slow })
    await expect.poll(() => started).toBe(1)
    const stopped = worker.stop()
    release()
    await stopped
    expect(Object.values(await states()).toSorted()).toEqual(['queued', 'queued', 'sent'])
  })

  it('does not resend an email that may have arrived, unless a user is waiting for it', async () => {
    sink.setBehavior(() => 'drop-after')
    await email('ana@example.org')
    await send()
    expect(await states()).toEqual({ 'ana@example.org': 'uncertain' })
    await world.database.pool.query(
      `update messages set status = 'queued', category = 'transactional', attempts = 0, next_attempt_at = lanyard_now()`,
    )
    await send()
    expect(await states()).toEqual({ 'ana@example.org': 'queued' })
    sink.setBehavior(() => 'accept')
    await world.clock.advance('2 minutes')
    await send()
    expect(await states()).toEqual({ 'ana@example.org': 'sent' })
    expect(new Set(sink.receivedEmails.map((m) => /Message-ID: (\S+)/i.exec(m.raw)![1])).size).toBe(1)
  })

  it('releases emails that a killed worker had claimed, and marks those in transfer as uncertain', async () => {
    await email('claimed@example.org', 'handed@example.org')
    await world.database.pool.query(
      `update messages set status = split_part(to_address, '@', 1), lease_token = 'dead', lease_until = lanyard_now() + interval '60 seconds', attempts = 1`,
    )
    expect(await send()).toBe(0)
    await world.clock.advance('61 seconds')
    expect(await send()).toBe(1)
    expect(await states()).toEqual({ 'claimed@example.org': 'sent', 'handed@example.org': 'uncertain' })
  })

  it('keeps all emails in the local mailbox if no mail server is configured', async () => {
    await email('ana@example.org')
    expect(await send(createMailboxMailer())).toBe(1)
    expect(await states()).toEqual({ 'ana@example.org': 'sent' })
    expect(sink.receivedEmails).toEqual([])
  })
})
