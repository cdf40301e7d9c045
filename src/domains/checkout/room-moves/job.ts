import { z } from 'zod'
import type { EventContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { defineJob, enqueueJob, getJob, type JobState } from '../../../kernel/jobs.ts'
import { runInSavepoint } from '../../../kernel/savepoint.ts'
import { listMissingReservations, type ReservationMoveRequest } from '../../housing/moves/stays.ts'
import type { ReservationRow } from '../../housing/tables.ts'
import {
  countReservationsOfMove,
  findHotelMoveByJob,
  insertHotelMove,
  listNextReservationsToMove,
  lockHotelMove,
  readReservationMoveResults,
  saveReservationMoveResults,
  type StoredMoveArguments,
} from './move-rows.ts'
import { type ReservationMoveResults, moveReservationsAndNotify } from './move-stays.ts'

/**
 * The number of reservations per transaction. It is small, so that bookings of both hotels wait only briefly and the audit entry can list
 * all reservations and participants.
 */
const STAYS_PER_STEP = 50

export type ReservationMoveJobResult = ReservationMoveResults & {
  jobId?: string | undefined
  status?: JobState['status'] | undefined
  progress?: { done: number; total: number } | undefined
}

/** The background job that moves many hotel reservations to another hotel, room type or block, in batches. */
export const moveReservationsJob = defineJob({
  name: 'move_hotel_reservations',
  scope: 'event',
  input: z.object({ moveId: z.string() }),
  async run(job, { moveId }) {
    for (;;) {
      const step = await job.step((ctx: EventContext) => moveNext(ctx, moveId))
      await job.progress(step.done, step.total)
      if (step.isOver) return { moved: step.moved }
    }
  },
})

/**
 * Moves the next reservations of a tool call. The results are stored in the same transaction, so that each reservation is moved only once.
 */
async function moveNext(ctx: EventContext, moveId: string) {
  const { terms, notify } = await lockHotelMove(ctx, moveId)
  const { named, missing: _missing, count, ...asked } = terms as unknown as StoredMoveArguments
  const before = await countReservationsOfMove(ctx, moveId)
  const left = (count ?? Infinity) - before.moved
  const ids = left > 0 ? await listNextReservationsToMove(ctx, moveId, STAYS_PER_STEP) : []
  if (ids.length === 0) return { ...before, done: before.total, isOver: true }
  const step: ReservationMoveRequest = {
    ...asked,
    ...(named ? { reservationIds: ids } : { among: ids }),
    ...(count === undefined ? {} : { count: left }),
  }
  const tried = await runInSavepoint(ctx, () => moveReservationsAndNotify(ctx, step, notify))
  await saveReservationMoveResults(ctx, moveId, tried.refused ? refuseAll(ids, tried.refused.message) : tried.done)
  return { ...(await countReservationsOfMove(ctx, moveId)), isOver: false }
}

/**
 * Reports all reservations as not moved, because the target hotel takes no more reservations, for example after its contract was cancelled.
 */
const refuseAll = (ids: readonly string[], detail: string): ReservationMoveResults => ({
  moved: [],
  notMoved: ids.map((reservationId) => ({ reservationId, ackNumber: null, reason: 'place_refused', detail })),
  cardsWithheld: 0,
})

/** Starts the background job that moves these reservations. */
export async function startReservationMoveJob(
  ctx: EventContext,
  { asked, notify }: { asked: ReservationMoveRequest; notify: boolean },
  candidates: readonly ReservationRow[],
): Promise<ReservationMoveJobResult> {
  const id = newId()
  const { jobId, status } = await enqueueJob(ctx, moveReservationsJob, { moveId: id }, { eventId: ctx.event.id })
  const { from, to, typeMap, count, order, rate, reason } = asked
  const terms = {
    from,
    to,
    typeMap,
    count,
    order,
    rate,
    reason,
    named: from === undefined,
    missing: listMissingReservations(asked, candidates),
  }
  await insertHotelMove(ctx, { id, jobId, terms, notify, reservationIds: candidates.map((row) => row.id) })
  return { jobId, status, progress: { done: 0, total: candidates.length }, moved: [], notMoved: terms.missing, cardsWithheld: 0 }
}

export async function readReservationMoveJob(ctx: EventContext, jobId: string): Promise<ReservationMoveJobResult> {
  const { status, progress } = await getJob(ctx, { jobId, name: moveReservationsJob.name, eventId: ctx.event.id })
  const move = await findHotelMoveByJob(ctx, jobId)
  if (!move) throw notFound(`No job ${jobId} here`)
  return { jobId, status, progress: { done: progress.done, total: progress.total ?? 0 }, ...(await readReservationMoveResults(ctx, move)) }
}
