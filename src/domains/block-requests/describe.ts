import type { EventContext } from '../../kernel/context.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import { readCompanyPriorityPoints } from '../exhibitors/points/read.ts'
import { type PolicyViolationCode, createPolicyViolationLister } from './flags.ts'
import { type BlockRoomNight, listBlockNights, getPeakRooms, readBlockRequestSettings, sumRooms } from './requests.ts'
import { loadRequesterNameLookup } from './requester.ts'
import type { AmendmentRow, BlockRequestRow } from './tables.ts'

/** Values of a block request that are calculated from other records, such as granted rooms, priority points and policy flags. */
export interface DerivedRequestValues {
  granted: number
  pickup: number
  points: number
  flags: readonly PolicyViolationCode[]
  amendmentPending: boolean
}

const sumBooked = (nights: readonly BlockRoomNight[]) => nights.reduce((sum, { booked }) => sum + booked, 0)

/** Converts a request to the result format of list_block_requests. Contact data is included only with the permission for personal data. */
export function toRequestSummary(
  ctx: Pick<EventContext, 'permissions'>,
  row: BlockRequestRow,
  name: string,
  figures: DerivedRequestValues,
) {
  const { granted, pickup, points, flags, amendmentPending } = figures
  const contact = ctx.permissions.has('personal.read') ? { contactName: row.requester_name, email: row.requester_email } : {}
  return {
    ...omitNulls({ id: row.id, number: row.number, status: row.status, acceptBy: row.accept_by }),
    requester: { ...omitNulls({ companyId: row.company_id, groupId: row.group_id }), name, ...contact },
    peak: getPeakRooms(row.profile),
    roomNights: sumRooms(row.profile),
    granted,
    pickup,
    priorityPoints: points,
    flags: [...flags],
    amendmentPending,
    ...(row.submitted_at === null ? {} : { submittedAt: formatInstant(row.submitted_at) }),
    revision: row.revision,
  }
}

export async function findPendingAmendment(ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>, requestId: string) {
  const row = await eventDb(ctx)
    .selectFrom('block_request_amendments')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return row ?? null
}

/** Returns a summary of a room block request after a change. */
export async function describeBlockRequest(ctx: EventContext, row: BlockRequestRow) {
  const nights = await listBlockNights(ctx, row)
  const { config, rules } = await readBlockRequestSettings(ctx)
  const points = row.company_id === null ? null : await readCompanyPriorityPoints(ctx, config, [row.company_id])
  const flagger = await createPolicyViolationLister(ctx, rules, [row])
  const name = (await loadRequesterNameLookup(ctx, [row]))(row)
  return toRequestSummary(ctx, row, name, {
    granted: sumRooms(nights),
    pickup: sumBooked(nights),
    points: points?.get(row.company_id!)?.total ?? 0,
    flags: flagger(row, nights),
    amendmentPending: (await findPendingAmendment(ctx, row.id)) !== null,
  })
}

export const toBlockAmendmentResult = (row: AmendmentRow) =>
  omitNulls({
    id: row.id,
    status: row.status,
    changes: row.changes,
    reason: row.reason,
    decision: row.decision,
    decidedBy: row.decided_by,
    createdAt: formatInstant(row.created_at),
    decidedAt: row.decided_at === null ? null : formatInstant(row.decided_at),
  })
