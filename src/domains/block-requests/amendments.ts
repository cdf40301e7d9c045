import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { ExhibitorQueryContext, ExhibitorContext } from '../exhibitors/context.ts'
import { type AllocationLineInput, expandAllocationLines } from './allocation-lines.ts'
import { applyAmendmentDecreases, applyAmendmentIncreases } from './apply-amendment.ts'
import { describeBlockRequest, toBlockAmendmentResult } from './describe.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import {
  listBlockNights,
  lockBlockRequest,
  getRequestLabel,
  requireOpenBlockRequest,
  recalculateRequestStatus,
  sumRoomsByNight,
  updateRequest,
} from './requests.ts'
import { BLOCK_AMENDMENT_STATES } from './states.ts'
import type { AmendedNight, AmendmentRow, BlockRequestRow } from './tables.ts'

/**
 * Locks the request of an amendment and reads the amendment under the lock, so that the second of two concurrent decisions finds it
 * decided.
 */
export async function lockAmendment(
  ctx: ExhibitorQueryContext,
  amendmentId: string,
): Promise<{ row: BlockRequestRow; amendment: AmendmentRow }> {
  const find = () => eventDb(ctx).selectFrom('block_request_amendments').selectAll().where('id', '=', amendmentId).executeTakeFirst()
  const known = await find()
  if (!known) throw notFound(`No amendment ${amendmentId} at this event. get_block_request lists the amendments of a request`)
  const row = await lockBlockRequest(ctx, known.request_id)
  return { row, amendment: (await find())! }
}

function requirePending({ status }: AmendmentRow): void {
  if (status !== 'pending') throw conflict(`This amendment is already ${status}`)
}

interface ApproveInput {
  amendmentId: string
  allocations?: readonly AllocationLineInput[] | undefined
  partial: boolean
  note?: string | undefined
  notify: boolean
}

/** Approves an amendment of the requester: applies decreases first, then increases, night by night. */
export async function approveAmendment(ctx: EventContext, input: ApproveInput) {
  const given = input.allocations && (await expandAllocationLines(ctx, input.allocations, 'allocations'))
  const { row, amendment } = await lockAmendment(ctx, input.amendmentId)
  requirePending(amendment)
  requireOpenBlockRequest(row)
  const down = await applyAmendmentDecreases(ctx, row, amendment.changes, input.partial)
  const up = await applyAmendmentIncreases(ctx, row, amendment.changes, { given, partial: input.partial })
  const notApplied = [...down.notApplied, ...up.notApplied].toSorted((a, b) => (a.night < b.night ? -1 : 1))
  const withBlock = up.row
  const profile = computeAmendedRooms(row, amendment.changes)
  // An accepted request stays accepted with its new rooms, because the requester asked for the change.
  const accepted = row.status === 'accepted' ? { accepted: JSON.stringify(await readNights(ctx, withBlock)) } : {}
  const amended = await updateRequest(ctx, withBlock, { profile: JSON.stringify(profile), ...accepted })
  const { row: settled } = await recalculateRequestStatus(ctx, amended)
  const decided = await decide(ctx, amendment, 'approved', input.note)
  ctx.effects.add('changes', `approve ${amendment.id}`, { request: getRequestLabel(row), amendment: amendment.id })
  const current = input.notify
    ? await sendBlockRequestEmail(ctx, settled, { trigger: 'block.amended', decision: 'approved', reason: input.note ?? null })
    : settled
  return {
    request: await describeBlockRequest(ctx, current),
    amendment: toBlockAmendmentResult(decided),
    applied: [...down.applied, ...up.applied],
    notApplied,
  }
}

async function readNights(ctx: EventContext, row: BlockRequestRow) {
  return [...sumRoomsByNight(await listBlockNights(ctx, row))].map(([night, rooms]) => ({ night, rooms }))
}

/** Returns the requested rooms per night after the amendment, including changes for which no room was free. */
export function computeAmendedRooms({ profile }: Pick<BlockRequestRow, 'profile'>, changes: readonly AmendedNight[]) {
  const rooms = sumRoomsByNight([...profile, ...changes.map(({ night, delta }) => ({ night, rooms: delta }))])
  return [...rooms].filter(([, many]) => many > 0).map(([night, many]) => ({ night, rooms: many }))
}

/** Denies an amendment. The rooms of the request do not change. */
export async function denyAmendment(ctx: EventContext, input: { amendmentId: string; reason: string; notify: boolean }) {
  const { row, amendment } = await lockAmendment(ctx, input.amendmentId)
  requirePending(amendment)
  const decided = await decide(ctx, amendment, 'denied', input.reason)
  const current = input.notify
    ? await sendBlockRequestEmail(ctx, row, { trigger: 'block.amended', decision: 'denied', reason: input.reason })
    : row
  return { amendment: toBlockAmendmentResult(decided), request: await describeBlockRequest(ctx, current) }
}

const decide = (ctx: ExhibitorContext, amendment: AmendmentRow, to: 'approved' | 'denied' | 'withdrawn', decision?: string) =>
  changeRecordState(ctx, BLOCK_AMENDMENT_STATES, amendment, to, {
    columns: { decided_by: ctx.actor.name, decided_at: sql<Date>`lanyard_now()`, decision: decision ?? null },
    audited: decision === undefined ? {} : { decision },
  })

/** Withdraws the pending amendment of a locked request, if it has one. */
export async function withdrawPendingAmendment(ctx: ExhibitorContext, { id }: Pick<BlockRequestRow, 'id'>): Promise<void> {
  const amendment = await eventDb(ctx)
    .selectFrom('block_request_amendments')
    .selectAll()
    .where('request_id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  if (amendment) await decide(ctx, amendment, 'withdrawn')
}
