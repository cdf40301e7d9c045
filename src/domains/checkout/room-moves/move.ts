import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { planReservationMoves } from '../../housing/moves/plan.ts'
import { selectReservationsToMove, type MovedStay, type ReservationMoveRequest } from '../../housing/moves/stays.ts'
import { renderEventEmail } from '../../messages/event-mail/send.ts'
import { getParticipants } from '../../registration/participant-rows.ts'
import { type ReservationMoveJobResult, readReservationMoveJob, startReservationMoveJob } from './job.ts'
import { type ReservationMoveResults, moveReservationsAndNotify, toReservationMoveResults } from './move-stays.ts'

/** Maximum number of reservations that are moved within the tool call. Larger moves run as a background job. */
const MAX_STAYS_PER_CALL = 30

/** The arguments of a tool call. The target hotel and the reason are required, unless `jobId` is given to read the state of a move. */
export interface MoveReservationsArguments extends Omit<ReservationMoveRequest, 'to' | 'reason' | 'among'> {
  to?: ReservationMoveRequest['to'] | undefined
  reason?: string | undefined
  notify: boolean
  jobId?: string | undefined
}

/** Lists the errors of the arguments: a call either reads a job, or names the reservations, the target hotel and the reason. */
export function findMoveArgumentErrors({ jobId, from, reservationIds, to, typeMap, count, reason }: Partial<MoveReservationsArguments>) {
  if (jobId !== undefined)
    return Object.entries({ from, reservationIds, to, typeMap, count, reason }).flatMap(([path, value]) =>
      value === undefined ? [] : [{ path, message: 'is not allowed with jobId' }],
    )
  return [
    ...((from === undefined) === (reservationIds === undefined) ? [{ path: 'from', message: 'give either from or reservationIds' }] : []),
    ...(to === undefined ? [{ path: 'to', message: 'is required: hotelId, roomTypeCode?, blockId?' }] : []),
    ...(reason === undefined ? [{ path: 'reason', message: 'is required: a text' }] : []),
  ]
}

/**
 * For each result that stands for a background job: the predicted outcome of the job. A dry run does not run the job, so it shows the
 * prediction instead.
 */
const plansOfJobs = new WeakMap<object, ReservationMoveResults>()

/** Returns the result of a dry run: for a background job the predicted outcome, because a dry run does not run the job. */
export function toMovePreview(answer: ReservationMoveJobResult): Partial<ReservationMoveJobResult> {
  const plan = plansOfJobs.get(answer)
  return plan ? { ...plan, jobId: undefined, status: undefined, progress: undefined } : answer
}

/**
 * Moves reservations to another hotel or room type. A call with many reservations starts a background job, whose progress a call with
 * `jobId` returns.
 */
export async function moveHotelReservations(
  ctx: EventContext,
  { jobId, notify, to, reason, ...request }: MoveReservationsArguments,
): Promise<ReservationMoveJobResult> {
  if (jobId !== undefined) return readReservationMoveJob(ctx, jobId)
  const asked: ReservationMoveRequest = { ...request, to: to!, reason: reason! }
  const chosen = await selectReservationsToMove(ctx, asked)
  const plan = chosen.candidates.length > MAX_STAYS_PER_CALL ? await planReservationMoves(ctx, asked, chosen) : null
  if (!plan || plan.tried <= MAX_STAYS_PER_CALL) return moveReservationsAndNotify(ctx, asked, notify)
  if (notify) await countRecipients(ctx, plan.moved)
  const started = await startReservationMoveJob(ctx, { asked, notify }, chosen.candidates)
  plansOfJobs.set(started, toReservationMoveResults(ctx, plan))
  return started
}

/** Counts the emails that the job will send, so that the confirmation step includes them as if the call sent them itself. */
async function countRecipients(ctx: EventContext, moved: readonly MovedStay[]): Promise<void> {
  const people = await getParticipants(ctx, [...new Set(moved.map(({ after }) => after.participant_id))])
  const hosts = await getParticipants(ctx, [...new Set(people.flatMap(({ host_id }) => host_id ?? []))])
  const emails = new Map([...hosts, ...people].map((row) => [row.id, row.email]))
  const addressOf = (id: string) => {
    const person = people.find((row) => row.id === id)!
    return person.email ?? (person.host_id === null ? null : (emails.get(person.host_id) ?? null))
  }
  const [first] = people
  if (!first) return
  const mail = { participant: first, to: { email: '', name: null }, isTestData: first.is_test_data, trigger: 'housing.confirmed' } as const
  const rendered = await renderEventEmail(ctx, mail)
  if (rendered === null) return
  for (const { after } of moved) {
    const email = addressOf(after.participant_id)
    if (email !== null) ctx.effects.add('recipients', foldEmailCase(email), { email, subject: rendered.subject })
  }
}
