import { sql } from 'kysely'
import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob, enqueueJob } from '../../kernel/jobs.ts'
import type { Recurring } from '../../kernel/recurring.ts'
import { mailDeadline, mailRooms } from '../housing/mails.ts'
import { cancelStay } from '../housing/release.ts'
import { getReservation } from '../housing/reservations.ts'
import { noteReminded, secureStaysOf } from '../housing/secure.ts'
import type { ReservationRow } from '../housing/tables.ts'
import { addressOf } from './confirmation.ts'
import { nameOf } from './participant-shape.ts'
import { getParticipant } from './people.ts'
import { serveRoomLine, tell } from './room-line.ts'
import { type AtEvent, openScene, type Scene } from './scene.ts'

/** Half of the time that somebody has to secure a room is over. */
const IS_HALF_TIME = sql`s.guarantee_reminded_at is null and s.guarantee_due_at > lanyard_now()
  and lanyard_now() >= s.confirmed_at + (s.guarantee_due_at - s.confirmed_at) / 2`

/** Whoever is about to pay is not told in between that it is too late. */
const IS_OVERDUE = sql`s.guarantee_due_at <= lanyard_now() and not exists (
  select from charges c where c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.participant_id = s.participant_id
    and c.status in ('pending', 'unknown'))`

const UNSECURED = sql`s.status = 'confirmed' and s.guarantee_status = 'pending'`

const sceneFor = async (ctx: AtEvent, isTest: boolean): Promise<Scene> => ({
  ...(await openScene(ctx, isTest ? { test: { useDraft: true } } : {})),
  isTest,
})

/** Rooms at an event that are not secured: whoever has one is reminded at half time, and loses it when the time is over. */
export const settleGuarantees = defineJob({
  name: 'settle_room_guarantees',
  scope: 'event',
  oneAtATime: true,
  input: z.object({}),
  async run(job) {
    const due = await job.step((ctx: EventContext) => unsecuredRooms(ctx))
    // A room at a time: nobody who books waits for more than one.
    for (const id of due) await job.step((ctx: EventContext) => settleRoom(ctx, id))
    return { rooms: due.length }
  },
})

async function unsecuredRooms({ db, tenantId, event }: AtEvent): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from reservations s
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and ${UNSECURED} and (${IS_OVERDUE} or ${IS_HALF_TIME})
    order by s.guarantee_due_at, s.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** What was secured, paid or given up meanwhile is left alone. */
async function settleRoom(ctx: AtEvent, reservationId: string): Promise<void> {
  await secureStaysOf(ctx, (await getReservation(ctx, reservationId)).participant_id)
  const { rows } = await sql<{ overdue: boolean }>`
    select ${IS_OVERDUE} as overdue from reservations s
    where s.tenant_id = ${ctx.tenantId} and s.event_id = ${ctx.event.id} and s.id = ${reservationId} and ${UNSECURED}
      and (${IS_OVERDUE} or ${IS_HALF_TIME})`.execute(ctx.db)
  if (!rows[0]) return
  const room = await getReservation(ctx, reservationId)
  await (rows[0].overdue ? release(ctx, room) : remind(ctx, room))
}

async function remind(ctx: AtEvent, room: ReservationRow): Promise<void> {
  const row = await getParticipant(ctx, room.participant_id)
  await noteReminded(ctx, room.id)
  await tell(ctx, row, room.id, (about) => mailDeadline(ctx, 'housing.guaranteeDue', { ...about, until: room.guarantee_due_at! }))
}

/** The room is free again, and those who wait for it come first. */
async function release(ctx: AtEvent, room: ReservationRow): Promise<void> {
  const scene = await sceneFor(ctx, room.is_test_data)
  await cancelStay(ctx, scene, room.id, 'not secured in time')
  const row = await getParticipant(ctx, room.participant_id)
  if (row.email !== null || row.host_id !== null) await mailRooms(ctx, row, { email: await addressOf(ctx, row), name: nameOf(row) || null })
  await serveRoomLine(ctx, scene, room.hotel_id)
}

/** By the clock, as nobody else would: at events that are still going on. */
export const watchGuarantees: Recurring = {
  name: 'guarantees',
  schedule: { everySeconds: 3600 },
  run: ({ transact, queue, actor }) =>
    transact(async (db) => {
      const { rows } = await sql<{ tenantId: number; eventId: string }>`
        select distinct s.tenant_id as "tenantId", s.event_id as "eventId" from reservations s
        join events e on e.tenant_id = s.tenant_id and e.id = s.event_id and e.status <> 'archived'
        where ${UNSECURED} and (${IS_OVERDUE} or ${IS_HALF_TIME})`.execute(db)
      for (const { tenantId, eventId } of rows) await enqueueJob({ tenantId, actor, db, queue }, settleGuarantees, {}, { eventId })
    }),
}
