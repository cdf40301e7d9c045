import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { enqueueJob, getJob } from '../../../kernel/jobs.ts'
import { runWithConditionalRollback } from '../../../kernel/savepoint.ts'
import { getTodayAtEvent } from '../../housing/context.ts'
import { findHotel, getRoomType } from '../../housing/find-hotel.ts'
import { isPastCutoff } from '../../housing/pools.ts'
import {
  type HotelWaitlistEntryWithCharges,
  getHotelWaitlistEntries,
  listHotelWaitlistEntryIds,
  sortHotelWaitlistEntryIds,
} from '../../housing/waitlist-entries.ts'
import { findHighestDeposit, NO_ROOMS_REASON } from '../../housing/waitlist-rooms.ts'
import { loadEventSnapshot, type EventSnapshot } from '../../registration/event-snapshot.ts'
import { getParticipants } from '../../registration/participant-rows.ts'
import {
  addChargeToDryRunEffects,
  findChargeableCard,
  type WaitlistFillRun,
  requireCardProcessorForDeposits,
  toAssignmentRequest,
} from './assign.ts'
import { scheduleDepositCharge } from './deposit-charge.ts'
import {
  type WaitlistFillEntryRow,
  findWaitlistFillByJob,
  type WaitlistFillRow,
  insertWaitlistFill,
  listWaitlistFillEntries,
  saveWaitlistFillJob,
  updateWaitlistFillEntries,
  updateWaitlistFillEntry,
} from './fill-rows.ts'
import { fillWaitlistJob } from './job.ts'
import { planWaitlistFill, storeWaitlistFillPlan } from './plan.ts'
import { type WaitlistFillResults, readWaitlistFillResults, toWaitlistFillPreview } from './results.ts'
import { loadWaitlistFillRun, assignRoomsToWaitlistEntries } from './serve.ts'

/** Maximum number of card charges that a tool call makes itself. If there are more, a background job makes them. */
const MAX_CHARGES_PER_CALL = 20
/** Maximum number of waiting list entries that a tool call processes itself. If there are more, a background job processes them. */
const MAX_ENTRIES_PER_CALL = 100
/** Maximum number of waiting list entries whose card may be charged only if an earlier card is declined and its room becomes free. */
const MAX_CONDITIONAL_CHARGES = 20

export interface WaitlistFillRequest {
  hotelId?: string | undefined
  roomTypeCode?: string | undefined
  entryIds?: readonly string[] | undefined
  count?: number | undefined
  priorityTags?: readonly string[] | undefined
  onDecline?: 'offer' | 'skip' | undefined
  useReturned?: boolean | undefined
  jobId?: string | undefined
}

type WaitlistFillAnswer = WaitlistFillResults & {
  jobId?: string | undefined
  status?: 'queued' | 'running' | 'done' | 'failed' | undefined
  progress?: { done: number; total: number } | undefined
}

/**
 * For each result that stands for a background job: the predicted outcome of the job. A dry run does not run the job, so it shows the
 * prediction instead.
 */
const plansOfJobs = new WeakMap<object, WaitlistFillResults>()

/** Returns the result of a dry run. If the call would start a background job, it is the predicted outcome of the job. */
export function previewWaitlistFill(answer: WaitlistFillAnswer): Partial<WaitlistFillAnswer> {
  const plan = plansOfJobs.get(answer)
  if (!plan) return toWaitlistFillPreview(answer)
  return { ...plan, ...toWaitlistFillPreview(plan), jobId: undefined, status: undefined, progress: undefined }
}

/**
 * Gives free rooms to the waiting list, in order. A call with many charges or entries starts a background job, whose progress a call with
 * `jobId` returns.
 */
export async function fillRoomsFromWaitlist(ctx: EventContext, request: WaitlistFillRequest): Promise<WaitlistFillAnswer> {
  if (request.jobId !== undefined) return readWaitlistFillJob(ctx, request.jobId)
  const snapshot = await loadEventSnapshot(ctx)
  if (!snapshot.config.housing.enabled) throw preconditionFailed('This event does not offer hotel rooms')
  const { place, entryIds } = await chooseEntries(ctx, request)
  const entries = await getHotelWaitlistEntries(ctx, entryIds)
  requireCardProcessorForDeposits(ctx, snapshot, entries)
  if (!request.useReturned) await refusePastCutoff(ctx, snapshot, { hotelId: place.hotel_id, entryIds })
  const terms = { most: request.count ?? null, on_decline: request.onDecline ?? 'offer', use_returned: request.useReturned ?? false }
  const fill = await insertWaitlistFill(ctx, { ...place, ...terms }, entryIds)
  const run = await loadWaitlistFillRun(ctx, fill, scheduleDepositCharge(fill.id, { here: true }))
  const plan = entryIds.length > MAX_ENTRIES_PER_CALL ? await planWaitlistFill(ctx, run) : []
  const fitsCall = (done: WaitlistFillResults) => plan.length <= MAX_ENTRIES_PER_CALL && countCharges(done) <= MAX_CHARGES_PER_CALL
  const { answer, confirmed } = await runWithConditionalRollback(
    ctx,
    async () => {
      if (plan.length > MAX_ENTRIES_PER_CALL) await storeWaitlistFillPlan(ctx, run, plan)
      else await assignRoomsToWaitlistEntries(ctx, run, { unconfirmed: true })
      await confirmConditionalCharges(ctx, run)
      return { answer: await readWaitlistFillResults(ctx, fill), confirmed: await listWaitlistFillEntries(ctx, fill.id) }
    },
    (done) => fitsCall(done.answer),
  )
  if (fitsCall(answer)) return answer
  const started = await startWaitlistFillJob(ctx, fill, confirmed)
  plansOfJobs.set(started, answer)
  return started
}

const countCharges = ({ results }: WaitlistFillResults): number => results.filter(({ outcome }) => outcome === 'charge_pending').length

/** Selects the hotel and room type whose free rooms are assigned, and the waiting list entries in order. */
async function chooseEntries(ctx: EventContext, { hotelId, roomTypeCode, entryIds, priorityTags = [] }: WaitlistFillRequest) {
  const hotel = hotelId === undefined ? null : await findHotel(ctx, hotelId)
  const type = hotel && roomTypeCode !== undefined ? getRoomType(hotel, roomTypeCode) : null
  const place = { hotel_id: hotel?.hotel.id ?? null, room_type_code: type?.code ?? null }
  if (entryIds === undefined)
    return {
      place,
      entryIds: await listHotelWaitlistEntryIds(ctx, { hotelId: place.hotel_id, roomTypeCode: place.room_type_code, priorityTags }),
    }
  const known = await sortHotelWaitlistEntryIds(ctx, entryIds, priorityTags)
  const missing = entryIds.find((id) => !known.includes(id))
  if (missing !== undefined)
    throw notFound(`No hotel waiting list entry ${missing} here. get_housing_summary with include waitlist lists entries with their ids`)
  return { place, entryIds: known }
}

/** Throws if the cut-off of the requested hotel has passed or, without one, the cut-off of every hotel that the entries accept. */
async function refusePastCutoff(
  { db, tenantId, event }: EventContext,
  snapshot: EventSnapshot,
  { hotelId, entryIds }: { hotelId: string | null; entryIds: readonly string[] },
): Promise<void> {
  const { rows } = await sql<{ name: string; cutoff_on: string | null }>`
    select h.name, c.cutoff_on from housing_contracts c
    join event_hotels h on h.tenant_id = c.tenant_id and h.event_id = c.event_id and h.id = c.hotel_id
    where c.tenant_id = ${tenantId} and c.event_id = ${event.id} and c.status = 'definite' and case when ${hotelId}::text is not null
      then c.hotel_id = ${hotelId} else exists (
        select from hotel_waitlist_entries w where w.tenant_id = c.tenant_id and w.event_id = c.event_id and w.id = any(${entryIds})
          and (w.hotel_id is null or w.hotel_id = c.hotel_id
            or w.alternatives @> jsonb_build_array(jsonb_build_object('hotelId', c.hotel_id)))) end
    order by h.name`.execute(db)
  const [first] = rows
  if (!first || !rows.every((contract) => isPastCutoff(contract, getTodayAtEvent(snapshot)))) return
  throw preconditionFailed(
    `${first.name} takes no bookings after ${first.cutoff_on}. If the hotel has agreed, pass useReturned to give rooms that were returned to it`,
  )
}

/**
 * Counts the charges that are made only if an earlier card is declined, so that one dry run confirms them too. Each is confirmed up to the
 * highest deposit of the entry's choices.
 */
async function confirmConditionalCharges(ctx: EventContext, run: WaitlistFillRun): Promise<void> {
  const { fill, snapshot } = run
  const rows = await listWaitlistFillEntries(ctx, fill.id)
  if (fill.on_decline !== 'skip' || rows.every(({ outcome }) => outcome !== 'charge_pending')) return
  const next = rows.filter(({ outcome, reason }) => outcome === null || reason === NO_ROOMS_REASON).slice(0, MAX_CONDITIONAL_CHARGES)
  const entries = new Map((await getHotelWaitlistEntries(ctx, next.map(toEntryId))).map((entry) => [entry.id, entry]))
  const people = await getParticipants(
    ctx,
    [...entries.values()].map(({ participant_id }) => participant_id),
  )
  for (const { entry_id: entryId } of next) {
    const entry = entries.get(entryId) as HotelWaitlistEntryWithCharges
    const row = people.find(({ id }) => id === entry.participant_id)!
    const card = await findChargeableCard(ctx, entry)
    const amount = card && (await findHighestDeposit(ctx, toAssignmentRequest(run, { entry, row })))
    if (!card || amount === null) continue
    const attempt = entry.failedCharges + 1
    addChargeToDryRunEffects(ctx, { entry, attempt, amount, currency: snapshot.currency, card }, { conditional: true })
    await updateWaitlistFillEntry(ctx, { fillId: fill.id, entryId }, { attempt, max_charge: amount })
  }
}

const toEntryId = ({ entry_id }: WaitlistFillEntryRow): string => entry_id

/** Starts the background job that assigns the rooms. It makes only the card charges that the dry run showed, up to those amounts. */
async function startWaitlistFillJob(
  ctx: EventContext,
  fill: WaitlistFillRow,
  confirmed: readonly WaitlistFillEntryRow[],
): Promise<WaitlistFillAnswer> {
  const charged = confirmed.filter(({ max_charge }) => max_charge !== null)
  await updateWaitlistFillEntries(
    ctx,
    fill.id,
    charged.map(({ entry_id: entryId, attempt, max_charge }) => ({ entryId, attempt, max_charge })),
  )
  const { jobId, status } = await enqueueJob(ctx, fillWaitlistJob, { fillId: fill.id }, { eventId: ctx.event.id })
  await saveWaitlistFillJob(ctx, fill, jobId)
  return { jobId, status, progress: { done: 0, total: confirmed.length }, ...(await readWaitlistFillResults(ctx, fill)) }
}

async function readWaitlistFillJob(ctx: EventContext, jobId: string): Promise<WaitlistFillAnswer> {
  const { status, progress } = await getJob(ctx, { jobId, name: fillWaitlistJob.name, eventId: ctx.event.id })
  const fill = await findWaitlistFillByJob(ctx, jobId)
  if (!fill) throw notFound(`No job ${jobId} here`)
  return { jobId, status, progress: { done: progress.done, total: progress.total ?? 0 }, ...(await readWaitlistFillResults(ctx, fill)) }
}
