import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { availableOf, stockOf } from '../inventory/places.ts'
import { type AtEvent, sessionBinding, sessionKey, type Where } from './at-event.ts'
import { fullNow } from './choice.ts'
import { liveEnrolments } from './enrolments.ts'
import { tellPromoted } from './promoted-mail.ts'

/** Whose place it is. Rows of test data take none. */
export interface Attendee {
  id: string
  is_test_data: boolean
}

/**
 * Until the end of the transaction nobody else enters or leaves these sessions: who is told that one is full stands in line before the next place
 * comes free. In the order of keys, as all that is scarce is locked.
 */
export async function lockSessions({ db, tenantId, event }: Where, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select from inventory where tenant_id = ${tenantId} and event_id = ${event.id} and key = any(${ids.map(sessionKey)})
    order by key for no key update`.execute(db)
}

const isFull = async (ctx: Where, id: string): Promise<boolean> => {
  const stock = (await stockOf(ctx, [sessionKey(id)])).get(sessionKey(id))
  const free = stock ? availableOf(stock) : 0
  return free !== null && free <= 0
}

/** A place, or the last one in line; who has either keeps what they have. */
export async function enrol(ctx: AtEvent, { id, is_test_data }: Attendee, sessionId: string): Promise<'enrolled' | 'waitlisted'> {
  await lockSessions(ctx, [sessionId])
  const waits = !is_test_data && (await isFull(ctx, sessionId))
  const { rows } = await sql<{ status: 'enrolled' | 'waitlisted'; isNew: boolean }>`
    with joined as (
      insert into session_enrolments as e (tenant_id, event_id, session_id, participant_id, is_test_data, status, position)
      values (${ctx.tenantId}, ${ctx.event.id}, ${sessionId}, ${id}, ${is_test_data}, ${waits ? 'waitlisted' : 'enrolled'},
        case when ${waits} then (select coalesce(max(w.position), 0) + 1 from session_enrolments w where w.tenant_id = ${ctx.tenantId}
          and w.event_id = ${ctx.event.id} and w.session_id = ${sessionId} and w.status = 'waitlisted') end)
      on conflict (tenant_id, event_id, session_id, participant_id) do update set status = excluded.status, position = excluded.position
      where e.status = 'cancelled'
      returning e.status)
    select status, true as "isNew" from joined
    union all
    select e.status, false from session_enrolments e where e.tenant_id = ${ctx.tenantId} and e.event_id = ${ctx.event.id}
      and e.session_id = ${sessionId} and e.participant_id = ${id} and e.status <> 'cancelled' and not exists (select from joined)`.execute(
    ctx.db,
  )
  const [{ status, isNew }] = rows as [(typeof rows)[0]]
  if (isNew) {
    if (status === 'enrolled') announcePlaces(ctx, sessionId, is_test_data)
    else announce(ctx, { kind: 'waitlist.joined', ...inLine(sessionId, id), isTestData: is_test_data })
    recordChange(ctx, {
      kind: 'participant',
      id,
      before: { [sessionBinding(sessionId)]: null },
      after: { [sessionBinding(sessionId)]: status },
    })
  }
  return status
}

/** How many have a place is a part of the session. */
const announcePlaces = (ctx: AtEvent, id: string, isTestData: boolean) =>
  announce(ctx, { kind: 'session.updated', entity: 'session', id, changed: ['enrolled'], isTestData })

/** Whoever stands in line for a session is known by both. */
const inLine = (sessionId: string, participantId: string) => ({ entity: 'sessionEnrolment', id: `${sessionId}:${participantId}` })

/** Gives up places and places in line, and lets in who waits for them. Who has none of them gives up nothing. */
export async function leave(ctx: AtEvent, { id }: Pick<Attendee, 'id'>, sessionIds: readonly string[]): Promise<string[]> {
  await lockSessions(ctx, sessionIds)
  const left = await ctx.db
    .updateTable('session_enrolments')
    .set({ status: 'cancelled', position: null })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', id)
    .where('session_id', '=', sql<string>`any(${sessionIds})`)
    .where('status', '<>', 'cancelled')
    .returning(['session_id', 'is_test_data'])
    .execute()
  for (const { session_id, is_test_data } of left) announcePlaces(ctx, session_id, is_test_data)
  const ids = left.map(({ session_id }) => session_id).sort()
  for (const sessionId of ids) {
    recordChange(ctx, {
      kind: 'participant',
      id,
      before: { [sessionBinding(sessionId)]: true },
      after: { [sessionBinding(sessionId)]: null },
    })
    await letIn(ctx, sessionId)
  }
  return ids
}

/** Whoever stands first gets a place that is free, as long as it has not begun. */
async function letIn(ctx: AtEvent, sessionId: string): Promise<void> {
  while (!(await isFull(ctx, sessionId))) {
    const { rows } = await sql<{ participantId: string; revision: number }>`
      update session_enrolments e set status = 'enrolled', position = null
      where e.tenant_id = ${ctx.tenantId} and e.event_id = ${ctx.event.id} and e.session_id = ${sessionId} and e.status = 'waitlisted'
        and e.position = (select min(w.position) from session_enrolments w where w.tenant_id = e.tenant_id and w.event_id = e.event_id
          and w.session_id = e.session_id and w.status = 'waitlisted')
        and exists (select from sessions s where s.tenant_id = e.tenant_id and s.event_id = e.event_id and s.id = e.session_id
          and s.status = 'scheduled' and s.starts_at > lanyard_now())
      returning e.participant_id as "participantId", e.revision`.execute(ctx.db)
    const [first] = rows
    if (!first) return
    // Test data never stands in line.
    announcePlaces(ctx, sessionId, false)
    announce(ctx, { kind: 'waitlist.promoted', ...inLine(sessionId, first.participantId), changed: ['status'], isTestData: false })
    const binding = sessionBinding(sessionId)
    recordChange(ctx, {
      kind: 'participant',
      id: first.participantId,
      before: { [binding]: 'waitlisted' },
      after: { [binding]: 'enrolled' },
    })
    await tellPromoted(ctx, { sessionId, ...first })
  }
}

/**
 * Makes what somebody has of the program what they want now, all of it or nothing: who swaps a session for one that is full keeps what they had,
 * unless they said that they would wait for it.
 */
export async function chooseSessions(
  ctx: AtEvent,
  attendee: Attendee,
  wanted: readonly string[],
  { mayWait }: { mayWait: (sessionId: string) => boolean },
): Promise<{ joined: string[]; left: string[]; waits: string[] }> {
  const before = await liveEnrolments(ctx, attendee.id)
  const has = new Set(before.map(({ sessionId }) => sessionId))
  const keeps = new Set(wanted)
  const joined = [...keeps].filter((id) => !has.has(id)).sort()
  await lockSessions(ctx, [...joined, ...[...has].filter((id) => !keeps.has(id))])
  const left = await leave(
    ctx,
    attendee,
    [...has].filter((id) => !keeps.has(id)),
  )
  const waits: string[] = []
  for (const id of joined) if ((await enrol(ctx, attendee, id)) === 'waitlisted') waits.push(id)
  const unwilling = waits.filter((id) => !mayWait(id))
  if (unwilling.length > 0) throw invalidArguments((await titlesOf(ctx, unwilling)).map(fullNow))
  return { joined, left, waits }
}

const titlesOf = ({ db, tenantId, event }: Where, ids: readonly string[]) =>
  db
    .selectFrom('sessions')
    .select(['id', 'title'])
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('starts_at')
    .execute()

/** Of people who go: everything, in one order of locks for all of them. By person what they had. */
export async function leaveAll(ctx: AtEvent, people: readonly Attendee[]): Promise<Map<string, string[]>> {
  const had = new Map<string, string[]>()
  for (const { id } of people)
    had.set(
      id,
      (await liveEnrolments(ctx, id)).map(({ sessionId }) => sessionId),
    )
  await lockSessions(ctx, [...had.values()].flat())
  for (const { id } of people) await leave(ctx, { id }, had.get(id)!)
  return had
}

/** Somebody comes instead of another: the same places, and nobody in between. */
export async function passOn(ctx: AtEvent, fromId: string, toId: string): Promise<number> {
  const moved = await ctx.db
    .updateTable('session_enrolments')
    .set({ participant_id: toId })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', fromId)
    .where('status', '<>', 'cancelled')
    .returning('session_id')
    .execute()
  for (const { session_id } of moved) {
    const binding = sessionBinding(session_id)
    recordChange(ctx, { kind: 'participant', id: toId, before: { [binding]: null }, after: { [binding]: `from ${fromId}` } })
  }
  return moved.length
}
