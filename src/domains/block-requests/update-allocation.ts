import type { EventContext } from '../../kernel/context.ts'
import { checkRevision, incrementRevision } from '../../kernel/revisions.ts'
import { type AllocationChangeResult, changeAllocation } from '../housing/allocation.ts'
import { type AllocationLineInput, expandAllocationLines } from './allocation-lines.ts'
import { getOrCreateRequestBlock } from './blocks.ts'
import { describeBlockRequest } from './describe.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import {
  computeAcceptanceDeadline,
  lockBlockRequest,
  getRequestLabel,
  requireOpenBlockRequest,
  recalculateRequestStatus,
  updateRequest,
} from './requests.ts'
import type { BlockRequestRow } from './tables.ts'

interface UpdateInput {
  requestId: string
  set: readonly AllocationLineInput[]
  notify: boolean
  ifRevision?: number | undefined
}

/** Sets the number of a request's rooms for the given hotels, room types and nights. Other room nights of the request do not change. */
export async function updateRoomAllocation(ctx: EventContext, { requestId, set, notify, ifRevision }: UpdateInput) {
  const lines = await expandAllocationLines(ctx, set, 'set')
  const row = await lockBlockRequest(ctx, requestId)
  checkRevision({ kind: 'Block request', name: getRequestLabel(row), revision: row.revision }, ifRevision)
  requireOpenBlockRequest(row)
  const withBlock = await getOrCreateRequestBlock(ctx, row, [...new Set(lines.map(({ hotelId }) => hotelId))])
  const applied = await changeAllocation(ctx, withBlock.block_id, lines)
  const changed = toChanged(applied)
  if (changed.length > 0) ctx.effects.add('changes', `update ${row.id}`, { request: getRequestLabel(row), nights: changed.length })
  const { row: settled, undercut } = await recalculateRequestStatus(ctx, withBlock)
  const raised =
    changed.length > 0 && settled.revision === row.revision
      ? ((await incrementRevision(ctx, 'block_requests', settled)) ?? settled)
      : settled
  const current = notify || undercut ? await emailChange(ctx, raised, undercut) : raised
  return { request: await describeBlockRequest(ctx, current), changed }
}

/** Emails the change to the requester. A requester who lost accepted rooms must accept again. */
async function emailChange(ctx: EventContext, row: BlockRequestRow, undercut: boolean): Promise<BlockRequestRow> {
  const asked = undercut ? await updateRequest(ctx, row, { accept_by: await computeAcceptanceDeadline(ctx) }) : row
  return sendBlockRequestEmail(ctx, asked, { trigger: 'block.amended', decision: 'changed' })
}

const toChanged = (applied: readonly AllocationChangeResult[]) =>
  applied
    .filter(({ before, after }) => before !== after)
    .map(({ hotelId, roomTypeCode, night, before, after }) => ({ hotelId, roomTypeCode, night, before, after }))
