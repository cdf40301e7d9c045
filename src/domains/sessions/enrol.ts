import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { allowOneUnitBeyondCapacity, countAvailableUnits, readStockLevels } from '../inventory/units.ts'
import { type SessionContext, toSessionAnswerKey, toSessionInventoryKey, type SessionQueryContext } from './context.ts'
import { createSessionFullError } from './session-choice.ts'
import { listActiveEnrolments } from './enrolments.ts'
import { sendWaitlistPromotionEmail } from './promoted-email.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { ENROLMENT_STATES } from './states.ts'

/** The participant who enrols in a session. Test participants take no seat. */
export interface SessionAttendee {
  id: string
  is_test_data: boolean
}

/**
 * Locks the seat counters of sessions in key order until the transaction ends, so that a participant who finds a session full joins the
 * waiting list before a seat becomes free.
 */
export async function lockSessions({ db, tenantId, event }: SessionQueryContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select from inventory where tenant_id = ${tenantId} and event_id = ${event.id} and key = any(${ids.map(toSessionInventoryKey)})
    order by key for no key update`.execute(db)
}

const isFull = async (ctx: SessionQueryContext, id: string): Promise<boolean> => {
  const stock = (await readStockLevels(ctx, [toSessionInventoryKey(id)])).get(toSessionInventoryKey(id))
  const free = stock ? countAvailableUnits(stock) : 0
  return free !== null && free <= 0
}

const LEFT = 'cancelled'
const ENROLLED = ENROLMENT_STATES.move(LEFT, 'enrolled')
const WAITLISTED = ENROLMENT_STATES.move(LEFT, 'waitlisted')

/**
 * Enrols the participant or adds them to the end of the waiting list. An existing enrolment is kept. With `beyondCapacity`, which only
 * organizers may set, a full session accepts one more participant.
 */
export async function enrolInSession(
  ctx: SessionContext,
  { id, is_test_data }: SessionAttendee,
  sessionId: string,
  { beyondCapacity = false }: { beyondCapacity?: boolean } = {},
): Promise<'enrolled' | 'waitlisted'> {
  await lockSessions(ctx, [sessionId])
  const full = !is_test_data && (await isFull(ctx, sessionId))
  if (full && beyondCapacity) await allowOneUnitBeyondCapacity(ctx, toSessionInventoryKey(sessionId))
  const waits = full && !beyondCapacity
  const { rows } = await sql<{ status: 'enrolled' | 'waitlisted'; isNew: boolean }>`
    with joined as (
      insert into session_enrolments as e (tenant_id, event_id, session_id, participant_id, is_test_data, status, position)
      values (${ctx.tenantId}, ${ctx.event.id}, ${sessionId}, ${id}, ${is_test_data}, ${waits ? WAITLISTED : ENROLLED},
        case when ${waits} then (select coalesce(max(w.position), 0) + 1 from session_enrolments w where w.tenant_id = ${ctx.tenantId}
          and w.event_id = ${ctx.event.id} and w.session_id = ${sessionId} and w.status = 'waitlisted') end)
      on conflict (tenant_id, event_id, session_id, participant_id) do update set status = excluded.status, position = excluded.position
      where e.status = ${LEFT}
      returning e.status)
    select status, true as "isNew" from joined
    union all
    select e.status, false from session_enrolments e where e.tenant_id = ${ctx.tenantId} and e.event_id = ${ctx.event.id}
      and e.session_id = ${sessionId} and e.participant_id = ${id} and e.status <> 'cancelled' and not exists (select from joined)`.execute(
    ctx.db,
  )
  const [{ status, isNew }] = rows as [(typeof rows)[0]]
  if (isNew) {
    if (status === 'enrolled') announceEnrolledCount(ctx, sessionId, is_test_data)
    else announceToWebhooks(ctx, { kind: 'waitlist.joined', ...enrolmentRef(sessionId, id), isTestData: is_test_data })
    recordChange(ctx, {
      kind: 'participant',
      id,
      before: { [toSessionAnswerKey(sessionId)]: null },
      after: { [toSessionAnswerKey(sessionId)]: status },
    })
  }
  return status
}

/** Notifies webhook subscribers about the session, because its data includes the number of enrolled participants. */
const announceEnrolledCount = (ctx: SessionContext, id: string, isTestData: boolean) =>
  announceToWebhooks(ctx, { kind: 'session.updated', entity: 'session', id, changed: ['enrolled'], isTestData })

/** Identifies an enrolment in notifications about the waiting list, by session and participant. */
const enrolmentRef = (sessionId: string, participantId: string) => ({ entity: 'sessionEnrolment', id: `${sessionId}:${participantId}` })

/** Cancels enrolments and waiting list entries, and promotes the next participants. Returns the sessions that the participant left. */
export async function cancelSessionEnrolments(
  ctx: SessionContext,
  { id }: Pick<SessionAttendee, 'id'>,
  sessionIds: readonly string[],
): Promise<string[]> {
  await lockSessions(ctx, sessionIds)
  const left = await changeStateOfRows(eventDb(ctx), ENROLMENT_STATES, 'cancelled')
    .set({ position: null })
    .where('participant_id', '=', id)
    .where('session_id', '=', sql<string>`any(${sessionIds})`)
    .returning(['session_id', 'is_test_data'])
    .execute()
  for (const { session_id, is_test_data } of left) announceEnrolledCount(ctx, session_id, is_test_data)
  const ids = left.map(({ session_id }) => session_id).sort()
  for (const sessionId of ids) {
    recordChange(ctx, {
      kind: 'participant',
      id,
      before: { [toSessionAnswerKey(sessionId)]: true },
      after: { [toSessionAnswerKey(sessionId)]: null },
    })
    await promoteWaiting(ctx, sessionId)
  }
  return ids
}

/** Promotes participants from the waiting list in order, while seats are free and the session has not begun. */
async function promoteWaiting(ctx: SessionContext, sessionId: string): Promise<void> {
  while (!(await isFull(ctx, sessionId))) {
    const { rows } = await sql<{ participantId: string; revision: number }>`
      update session_enrolments e set status = ${ENROLLED}, position = null
      where e.tenant_id = ${ctx.tenantId} and e.event_id = ${ctx.event.id} and e.session_id = ${sessionId} and e.status = 'waitlisted'
        and e.position = (select min(w.position) from session_enrolments w where w.tenant_id = e.tenant_id and w.event_id = e.event_id
          and w.session_id = e.session_id and w.status = 'waitlisted')
        and exists (select from sessions s where s.tenant_id = e.tenant_id and s.event_id = e.event_id and s.id = e.session_id
          and s.status = 'scheduled' and s.starts_at > lanyard_now())
      returning e.participant_id as "participantId", e.revision`.execute(ctx.db)
    const [first] = rows
    if (!first) return
    // Test participants are never on a waiting list, so the promotion is announced to webhooks as real data.
    announceEnrolledCount(ctx, sessionId, false)
    announceToWebhooks(ctx, {
      kind: 'waitlist.promoted',
      ...enrolmentRef(sessionId, first.participantId),
      changed: ['status'],
      isTestData: false,
    })
    const binding = toSessionAnswerKey(sessionId)
    recordChange(ctx, {
      kind: 'participant',
      id: first.participantId,
      before: { [binding]: 'waitlisted' },
      after: { [binding]: 'enrolled' },
    })
    await sendWaitlistPromotionEmail(ctx, { sessionId, ...first })
  }
}

/**
 * Replaces a participant's conference sessions with the given ones, all or none. If a new session is full and the participant does not
 * accept the waiting list, the change is rejected and their sessions do not change.
 */
export async function replaceSessionEnrolments(
  ctx: SessionContext,
  attendee: SessionAttendee,
  wanted: readonly string[],
  { mayWait, beyondCapacity = false }: { mayWait: (sessionId: string) => boolean; beyondCapacity?: boolean },
): Promise<{ joined: string[]; left: string[]; waits: string[] }> {
  const before = await listActiveEnrolments(ctx, attendee.id)
  const has = new Set(before.map(({ sessionId }) => sessionId))
  const keeps = new Set(wanted)
  const joined = [...keeps].filter((id) => !has.has(id)).sort()
  await lockSessions(ctx, [...joined, ...[...has].filter((id) => !keeps.has(id))])
  const left = await cancelSessionEnrolments(
    ctx,
    attendee,
    [...has].filter((id) => !keeps.has(id)),
  )
  const waits: string[] = []
  for (const id of joined) if ((await enrolInSession(ctx, attendee, id, { beyondCapacity })) === 'waitlisted') waits.push(id)
  const rejected = waits.filter((id) => !mayWait(id))
  if (rejected.length > 0) throw invalidArguments((await listTitles(ctx, rejected)).map(createSessionFullError))
  return { joined, left, waits }
}

const listTitles = (ctx: SessionQueryContext, ids: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('sessions')
    .select(['id', 'title'])
    .where('id', '=', sql<string>`any(${ids})`)
    .orderBy('starts_at')
    .execute()

/** Cancels all session enrolments of several participants. Locks all sessions first. Returns the ids of the sessions by participant. */
export async function cancelAllSessionEnrolments(ctx: SessionContext, people: readonly SessionAttendee[]): Promise<Map<string, string[]>> {
  const had = new Map<string, string[]>()
  for (const { id } of people)
    had.set(
      id,
      (await listActiveEnrolments(ctx, id)).map(({ sessionId }) => sessionId),
    )
  await lockSessions(ctx, [...had.values()].flat())
  for (const { id } of people) await cancelSessionEnrolments(ctx, { id }, had.get(id)!)
  return had
}

/** Transfers enrolments to a substitute without freeing the seats in between. */
export async function transferEnrolments(ctx: SessionContext, fromId: string, toId: string): Promise<number> {
  const moved = await eventDb(ctx)
    .updateTable('session_enrolments')
    .set({ participant_id: toId })
    .where('participant_id', '=', fromId)
    .where('status', '<>', 'cancelled')
    .returning('session_id')
    .execute()
  for (const { session_id } of moved) {
    const binding = toSessionAnswerKey(session_id)
    recordChange(ctx, { kind: 'participant', id: toId, before: { [binding]: null }, after: { [binding]: `from ${fromId}` } })
  }
  return moved.length
}
