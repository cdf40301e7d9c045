import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { readCompanyPriorityPoints } from '../exhibitors/points/read.ts'
import { changeAllocation } from '../housing/allocation.ts'
import { findHotels } from '../housing/find-hotel.ts'
import { type AllocationLineInput, expandAllocationLines } from './allocation-lines.ts'
import { getOrCreateRequestBlock } from './blocks.ts'
import { createPolicyViolationLister } from './flags.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import { lockRoomSupply, planRoomsMissingFromRequest } from './place.ts'
import type { GrantedRooms } from './plan-allocation.ts'
import {
  computeAcceptanceDeadline,
  listBlockNights,
  lockBlockRequest,
  getRequestLabel,
  readBlockRequestSettings,
  requireOpenBlockRequest,
  recalculateRequestStatus,
  listShortfallNights,
  sumRoomsByNight,
  sumRooms,
  updateRequest,
} from './requests.ts'
import { readHotelNames } from './requester.ts'
import type { BlockRequestRow } from './tables.ts'

interface PolicyOverride {
  overridePolicy: boolean
  overrideReason?: string | undefined
}

export interface RoomAllocationInput extends PolicyOverride {
  requestId?: string | undefined
  allocations?: readonly AllocationLineInput[] | undefined
  auto: boolean
  requestIds?: readonly string[] | undefined
  hotelIds?: readonly string[] | undefined
  notify: boolean
}

/**
 * Grants rooms that belong to no block yet: the given rooms to one request, or rooms that the allocation algorithm chooses to open requests
 * in order of priority.
 */
export async function allocateRooms(ctx: EventContext, input: RoomAllocationInput) {
  requireOverrideReason(input)
  const results = input.auto ? await allocateAutomatically(ctx, input) : [await allocateManually(ctx, input)]
  return { results: results.map(({ result }) => result), roomNights: results.reduce((sum, { added }) => sum + added, 0) }
}

function requireOverrideReason({ overridePolicy, overrideReason }: PolicyOverride): void {
  if (overridePolicy !== (overrideReason !== undefined))
    throw invalidArguments([
      {
        path: overridePolicy ? 'overrideReason' : 'overridePolicy',
        message: 'overridePolicy and overrideReason belong together',
      },
    ])
}

async function allocateManually(ctx: EventContext, input: RoomAllocationInput) {
  const { requestId, allocations, requestIds, hotelIds } = input
  if (requestId === undefined || allocations === undefined)
    throw invalidArguments([
      { path: requestId === undefined ? 'requestId' : 'allocations', message: 'give requestId and allocations, or auto: true' },
    ])
  if (requestIds !== undefined || hotelIds !== undefined)
    throw invalidArguments([{ path: requestIds === undefined ? 'hotelIds' : 'requestIds', message: 'only with auto: true' }])
  const grants = await expandAllocationLines(ctx, allocations, 'allocations')
  const row = await lockBlockRequest(ctx, requestId)
  requireOpenBlockRequest(row)
  return grant(ctx, row, grants, input)
}

/**
 * Allocates rooms to open requests by priority. Each request has its own savepoint, so that a rejected request does not undo the others.
 */
async function allocateAutomatically(ctx: EventContext, input: RoomAllocationInput) {
  if (input.requestId !== undefined || input.allocations !== undefined)
    throw invalidArguments([{ path: input.requestId === undefined ? 'allocations' : 'requestId', message: 'not with auto: true' }])
  const hotelIds = input.hotelIds && [...(await findHotels(ctx, input.hotelIds)).values()].map(({ hotel }) => hotel.id)
  const rows = await lockByPriority(ctx, input.requestIds)
  const nights = [...new Set(rows.flatMap(({ profile }) => profile.map(({ night }) => night)))]
  await lockRoomSupply(ctx, nights, hotelIds)
  const results = []
  for (const row of rows) {
    const tried = await runInSavepoint(ctx, async () => {
      requireOpenBlockRequest(row)
      const plan = await planRoomsMissingFromRequest(ctx, row, { hotelIds, overridePolicy: input.overridePolicy })
      return plan.grants.length === 0 ? toResult(ctx, row, 0) : grant(ctx, row, plan.grants, input)
    })
    results.push(tried.refused ? await toRefusal(ctx, row, tried.refused) : tried.done)
  }
  return results
}

/** Locks room block requests by id. Returns them by the company's priority points, then by time of submission, then by id. */
async function lockByPriority(ctx: EventContext, requestIds: readonly string[] | undefined): Promise<BlockRequestRow[]> {
  let query = eventDb(ctx).selectFrom('block_requests').selectAll()
  query =
    requestIds === undefined
      ? query.where('status', 'in', ['submitted', 'partiallyAllocated']).where('is_test_data', '=', false)
      : query.where('id', '=', sql<string>`any(${requestIds})`)
  const rows = await query.orderBy('id').forNoKeyUpdate().execute()
  // For an unknown id, `lockBlockRequest` throws the error that a call with a single request also throws.
  for (const id of requestIds ?? []) if (!rows.some((row) => row.id === id)) await lockBlockRequest(ctx, id)
  const { config } = await readBlockRequestSettings(ctx)
  const points = await readCompanyPriorityPoints(ctx, config, [...new Set(rows.flatMap(({ company_id }) => company_id ?? []))])
  const pointsOf = ({ company_id }: BlockRequestRow) => (company_id === null ? 0 : (points.get(company_id)?.total ?? 0))
  const timeOf = ({ submitted_at }: BlockRequestRow) => submitted_at?.getTime() ?? Number.MAX_SAFE_INTEGER
  return rows.toSorted((a, b) => pointsOf(b) - pointsOf(a) || timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1))
}

async function grant(ctx: EventContext, row: BlockRequestRow, grants: readonly GrantedRooms[], input: RoomAllocationInput) {
  const before = await listBlockNights(ctx, row)
  refuseAboveProfile(row, before, grants)
  await requirePolicy(ctx, row, [...before, ...grants], input)
  const withBlock = await getOrCreateRequestBlock(ctx, row, [...new Set(grants.map(({ hotelId }) => hotelId))])
  await changeAllocation(
    ctx,
    withBlock.block_id,
    grants.map(({ rooms, ...key }) => ({ ...key, delta: rooms })),
  )
  let { row: settled } = await recalculateRequestStatus(ctx, withBlock)
  if (input.overridePolicy) recordChange(ctx, { kind: 'blockRequest', id: row.id, after: { overrideReason: input.overrideReason } })
  ctx.effects.add('changes', `allocate ${row.id}`, { request: getRequestLabel(row), roomNights: sumRooms(grants) })
  if (input.notify) settled = await emailAllocation(ctx, settled)
  return toResult(ctx, settled, sumRooms(grants))
}

/** Emails the requester about the allocated rooms. A requester who has not accepted yet gets a new deadline. */
export async function emailAllocation(ctx: EventContext, row: BlockRequestRow): Promise<BlockRequestRow> {
  const waits = row.status === 'allocated' || row.status === 'partiallyAllocated'
  const withDeadline = waits ? await updateRequest(ctx, row, { accept_by: await computeAcceptanceDeadline(ctx) }) : row
  return sendBlockRequestEmail(ctx, withDeadline, { trigger: 'block.allocated' })
}

/**
 * Throws if a night to which this call adds rooms would have more rooms than requested. Other nights may already have more, because an
 * amendment can only release unbooked rooms.
 */
function refuseAboveProfile(row: BlockRequestRow, before: readonly GrantedRooms[], grants: readonly GrantedRooms[]): void {
  const wanted = sumRoomsByNight(row.profile)
  const raised = new Set(grants.map(({ night }) => night))
  const above = [...sumRoomsByNight([...before, ...grants])].filter(
    ([night, rooms]) => raised.has(night) && rooms > (wanted.get(night) ?? 0),
  )
  if (above.length === 0) return
  const messageOf = ([night, rooms]: [string, number]) => `${rooms} rooms on ${night}, requested ${wanted.get(night) ?? 0}`
  throw preconditionFailed(`More rooms than block request ${getRequestLabel(row)} wants: ${messageOf(above[0]!)}`, {
    fields: above.map((one) => ({ path: 'allocations', message: messageOf(one) })),
  })
}

async function requirePolicy(ctx: EventContext, row: BlockRequestRow, after: readonly GrantedRooms[], input: PolicyOverride) {
  if (input.overridePolicy) return
  const { rules } = await readBlockRequestSettings(ctx)
  const flags = (await createPolicyViolationLister(ctx, rules, [row]))(row, after)
  if (flags.length > 0)
    throw preconditionFailed(
      `Block request ${getRequestLabel(row)} exceeds the policy: ${flags.join(', ')}. Pass overridePolicy: true and overrideReason to allocate anyway`,
    )
}

async function toResult(ctx: EventContext, row: BlockRequestRow, added: number) {
  const nights = await listBlockNights(ctx, row)
  const names = await readHotelNames(
    ctx,
    nights.map(({ hotelId }) => hotelId),
  )
  const hotels = [...Map.groupBy(nights, ({ hotelId }) => hotelId)].map(([hotelId, of]) => ({
    hotelId,
    name: names.get(hotelId) ?? hotelId,
    roomNights: sumRooms(of),
  }))
  const result = {
    requestId: row.id,
    ...(row.number === null ? {} : { number: row.number }),
    ...(row.block_id === null ? {} : { blockId: row.block_id }),
    status: row.status,
    requested: sumRooms(row.profile),
    granted: sumRooms(nights),
    shortfall: listShortfallNights(row.profile, nights),
    hotels,
  }
  return { result, added }
}

async function toRefusal(ctx: EventContext, row: BlockRequestRow, { code, message }: AppError) {
  const { result } = await toResult(ctx, row, 0)
  return { result: { ...result, error: { code, message } }, added: 0 }
}
