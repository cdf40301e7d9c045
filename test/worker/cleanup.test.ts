import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countCallInHourWindow } from '../../src/domains/access/rate-windows.ts'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import { readLastSeenTimes, addLastSeenTimes } from '../../src/domains/sign-in/last-seen.ts'
import { createPasswordLink } from '../../src/domains/sign-in/passwords.ts'
import { createBrowserSession, verifyBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import type { Db } from '../../src/kernel/columns.ts'
import { runCleanupTasks } from '../../src/surfaces/worker/cleanup.ts'
import { createExhibitorFixtures } from '../support/companies.ts'
import { createApiAccountAt } from '../support/participants.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

let world: World
let summit: EventHandle
let olga: OrganizerHandle

beforeAll(async () => {
  world = await newWorld()
  summit = await world.event({ code: 'summit' })
  olga = await world.organizer({ at: summit })
})
afterAll(() => world.end())
beforeEach(() => world.clock.reset())

/** Runs the worker's cleanup tasks and keeps the caller's own token. */
async function runCleanup(): Promise<void> {
  await world.renewTokens()
  await runCleanupTasks({ ...world.services, transact: world.database.transact })
}
const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const count = async (table: string) => (await rows(`select count(*)::int as n from ${table}`))[0].n as number

describe('cleanup tasks', () => {
  it('deletes floor plan layouts and booth proposals when they expire', async () => {
    await createExhibitorFixtures(world, summit).plan({})
    await rows(`insert into floor_plan_layouts (tenant_id, event_id, id, floor_plan_id, plan_revision, input, result)
      select tenant_id, event_id, id, id, 1, '{}', '{}' from floor_plans`)
    await rows(`insert into assignment_proposals (tenant_id, event_id, id, plan_revisions, input, by)
      select tenant_id, event_id, id, '{}', '{}', 'Olga' from floor_plans`)
    const drafts = async () => [await count('floor_plan_layouts'), await count('assignment_proposals')]
    await world.clock.advance('29 days')
    await runCleanup()
    expect(await drafts()).toEqual([1, 1])
    await world.clock.advance('1 day')
    await runCleanup()
    expect(await drafts()).toEqual([0, 0])
  })

  it('deletes expired browser sessions and keeps the time of the last sign-in', async () => {
    const open = (userId: string, totpPending = false) => createBrowserSession(world.database.write, { userId, totpPending, userAgent: '' })
    const revision = () => rows('select revision from users where id = $1', [olga.userId])
    const before = await revision()
    const [ada, ben] = [await world.organizer({ at: summit }), await world.organizer({ at: summit })]
    const kept = await open(ada.userId)
    const left = await world.clock.now()
    await open(olga.userId)
    await open(ben.userId, true)
    const gone = await world.clock.now()
    await world.clock.advance('11 hours')
    expect(await verifyBrowserSession(world.database.pool, kept.reveal())).not.toBeNull()
    await runCleanup()
    expect(await count('browser_sessions')).toBe(3)
    await world.clock.advance('2 hours')
    await runCleanup()
    expect(await rows('select user_id from browser_sessions')).toEqual([{ user_id: ada.userId }])
    expect(await verifyBrowserSession(world.database.pool, kept.reveal())).not.toBeNull()
    const seen = await readLastSeenTimes(world.database.write, [ada.userId, olga.userId, ben.userId])
    expect([seen.get(olga.userId)! >= left, seen.get(olga.userId)! <= gone]).toEqual([true, true])
    expect([seen.has(ada.userId), seen.has(ben.userId)]).toEqual([true, false])
    expect(await revision()).toEqual(before)
    expect((await addLastSeenTimes(world.database.write, [ada]))[0]!.lastSeenAt).toEqual(expect.any(String))
    // A session ends after seven days even if it is used all the time.
    await rows(`update browser_sessions set expires_at = lanyard_now() - interval '1 second', last_seen_at = lanyard_now()`)
    await runCleanup()
    expect(await count('browser_sessions')).toBe(0)
  })

  it('deletes participant sessions a day after they expired', async () => {
    const { accountId } = await createApiAccountAt(world, summit)
    await issueParticipantSession(world.database.write, { ...summit, accountId, email: 'pia@example.org' })
    await world.clock.advance('24 hours 59 minutes')
    await runCleanup()
    expect(await count('participant_sessions')).toBe(1)
    await world.clock.advance('2 minutes')
    await runCleanup()
    expect(await count('participant_sessions')).toBe(0)
  })

  it('deletes links for setting a password a day after they expired', async () => {
    await createPasswordLink(world.database.write, olga.userId, 'reset')
    await createPasswordLink(world.database.write, olga.userId, 'invite')
    await world.clock.advance('24 hours 29 minutes')
    await runCleanup()
    expect(await count('password_links')).toBe(2)
    await world.clock.advance('2 minutes')
    await runCleanup()
    expect(await rows('select kind from password_links')).toEqual([{ kind: 'invite' }])
    await world.clock.advance('72 hours')
    await runCleanup()
    expect(await count('password_links')).toBe(0)
  })

  it('deletes idempotency keys and confirmation tokens only after they expired', async () => {
    const add = { eventCode: 'summit', text: 'Bring chairs', idempotencyKey: 'chairs' }
    const { note } = await olga.call('fixture_add_note', add)
    await rows('insert into confirmations (tenant_id, nonce) values ($1, $2)', [summit.tenantId, 'used'])
    await world.clock.advance('10 minutes')
    await runCleanup()
    expect(await count('confirmations')).toBe(1)
    await world.clock.advance('23 hours 49 minutes')
    await runCleanup()
    expect((await olga.call('fixture_add_note', add)).note.id).toBe(note.id)
    expect(await count('confirmations')).toBe(0)
    await world.clock.advance('2 hours')
    await runCleanup()
    expect(await count('idempotency_keys')).toBe(0)
    expect((await olga.call('fixture_add_note', add)).note.id).not.toBe(note.id)
  })

  it('clears the content of emails after 90 days, except those that may still be sent', async () => {
    const { note } = await olga.call('fixture_add_note', { eventCode: 'summit', text: 'Bring tables' })
    const to = ['sent@example.org', 'queued@example.org', 'held@example.org']
    await olga.call('fixture_mail_note', { eventCode: 'summit', noteId: note.id, to })
    await rows(`update messages set html_body = '<p>Hello</p>', status = split_part(to_address, '@', 1)`)
    await rows(`insert into message_attachments (tenant_id, message_id, position, name, mime, size, bytes)
      select tenant_id, id, 0, status, 'text/plain', 2, 'hi'::bytea from messages`)
    const attached = async () =>
      Object.fromEntries((await rows('select * from message_attachments')).map((row) => [row.name, row.bytes !== null]))
    const bodies = async () =>
      Object.fromEntries((await rows('select * from messages')).map((row) => [row.status, [row.text_body !== '', row.html_body !== null]]))
    await world.clock.advance('89 days')
    await runCleanup()
    expect(await bodies()).toEqual({ sent: [true, true], queued: [true, true], held: [true, true] })
    expect(await attached()).toEqual({ sent: true, queued: true, held: true })
    await world.clock.advance('2 days')
    await runCleanup()
    expect(await bodies()).toEqual({ sent: [false, false], queued: [true, true], held: [true, true] })
    expect(await attached()).toEqual({ sent: false, queued: true, held: true })
    expect(await rows(`select subject from messages where status = 'sent'`)).toEqual([{ subject: expect.stringContaining('reminder') }])
  })

  it('keeps a rate limit window until its hour ends', async () => {
    for (let i = 0; i < 5; i++) await countCallInHourWindow(world.database.pool, 'feedback:somewhere')
    await world.clock.advance('59 minutes')
    await runCleanup()
    expect(await countCallInHourWindow(world.database.pool, 'feedback:somewhere')).toBe(6)
    await world.clock.advance('2 minutes')
    await runCleanup()
    expect(await rows(`select 1 from rate_windows where key = 'feedback:somewhere'`)).toEqual([])
  })

  it('continues with the other cleanup tasks when one fails, and reports the failed task', async () => {
    await rows('create table tidied (what text)')
    const insert = (what: string) => async (db: Db) => {
      await sql`insert into tidied values (${what})`.execute(db)
    }
    const failing = async (db: Db) => {
      await insert('half')(db)
      throw new Error('requested failure')
    }
    const broken = (db: Db) => sql`select from no_such_table`.execute(db).then(() => {})
    await runCleanupTasks({ ...world.services, transact: world.database.transact }, [
      { name: 'first', run: ({ transact }) => transact(insert('first')) },
      { name: 'failing', run: ({ transact }) => transact(failing) },
      { name: 'broken', run: ({ transact }) => transact(broken) },
      { name: 'last', run: ({ transact }) => transact(insert('last')) },
    ])
    expect(await rows('select what from tidied')).toEqual([{ what: 'first' }, { what: 'last' }])
    const complaints = world.logged.map((line) => JSON.parse(line)).filter(({ message }) => message === 'cleanup')
    expect(complaints.map(({ name, error }) => [name, error])).toEqual([
      ['failing', 'requested failure'],
      ['broken', expect.stringContaining('no_such_table')],
    ])
  })
})
