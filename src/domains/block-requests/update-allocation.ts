import type { EventContext } from '../../kernel/context.ts'
import { checkRevision, raiseRevision } from '../../kernel/revisions.ts'
import { type AppliedAllocation, changeAllocation } from '../housing/allocation.ts'
import { type AllocationLineInput, expandAllocationLines } from './allocation-lines.ts'
import { ensureBlock } from './blocks.ts'
import { describeRequest } from './describe.ts'
import { sendBlockRequestEmail } from './request-emails.ts'
import {
  computeAcceptanceDeadline,
  lockRequest,
  getRequestLabel,
  requireOpenRequest,
  updateDerivedStatus,
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
export async function updateAllocation(ctx: EventContext, { requestId, set, notify, ifRevision }: UpdateInput) {
  const lines = await expandAllocationLines(ctx, set, 'set')
  const row = await lockRequest(ctx, requestId)
  checkRevision({ kind: 'Block request', name: getRequestLabel(row), revision: row.revision }, ifRevision)
  requireOpenRequest(row)
  const withBlock = await ensureBlock(ctx, row, [...new Set(lines.map(({ hotelId }) => hotelId))])
  const applied = await changeAllocation(ctx, withBlock.block_id, lines)
  const changed = toChanged(applied)
  if (changed.length > 0) ctx.effects.add('changes', `update ${row.id}`, { request: getRequestLabel(row), nights: changed.length })
  const { row: settled, undercut } = await updateDerivedStatus(ctx, withBlock)
  const raised =
    changed.length > 0 && settled.revision === row.revision ? ((await raiseRevision(ctx, 'block_requests', settled)) ?? settled) : settled
  const current = notify || undercut ? await emailChange(ctx, raised, undercut) : raised
  return { request: await describeRequest(ctx, current), changed }
}

/** Emails the change to the requester. A requester who lost accepted rooms must accept again. */
async function emailChange(ctx: EventContext, row: BlockRequestRow, undercut: boolean): Promise<BlockRequestRow> {
  const asked = undercut ? await updateRequest(ctx, row, { accept_by: await computeAcceptanceDeadline(ctx) }) : row
  return sendBlockRequestEmail(ctx, asked, { trigger: 'block.amended', decision: 'changed' })
}

const toChanged = (applied: readonly AppliedAllocation[]) =>
  applied
    .filter(({ before, after }) => before !== after)
    .map(({ hotelId, roomTypeCode, night, before, after }) => ({ hotelId, roomTypeCode, night, before, after }))
