import { sql } from 'kysely'
import { conflict } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { createAndLinkRoomBlock } from '../groups/room-blocks.ts'
import { linkBlockToBlockRequest, setBlockSellStatus } from '../housing/blocks.ts'
import { getRequestLabel, updateRequest } from './requests.ts'
import { readRequesterName } from './requester.ts'
import type { BlockRequestRow } from './tables.ts'

/** Returns the request with its room block. The block is created when the requester is granted rooms for the first time. */
export async function getOrCreateRequestBlock(
  ctx: ExhibitorContext,
  row: BlockRequestRow,
  hotelIds: readonly string[],
): Promise<BlockRequestRow & { block_id: string }> {
  if (row.block_id !== null) return { ...row, block_id: row.block_id }
  const blockId = (await takeOverGroupBlock(ctx, row)) ?? (await createBlockFor(ctx, row, hotelIds))
  return { ...(await updateRequest(ctx, row, { block_id: blockId })), block_id: blockId }
}

async function createBlockFor(ctx: ExhibitorContext, row: BlockRequestRow, hotelIds: readonly string[]): Promise<string> {
  const nameDeadlineOn = await findNameDeadline(ctx, hotelIds)
  return createAndLinkRoomBlock(ctx, {
    code: row.number!.toLowerCase(),
    name: await readRequesterName(ctx, row),
    owner: row.group_id === null ? { kind: 'company', ref: row.company_id! } : { kind: 'group', ref: row.group_id },
    paymentBy: row.payment_by,
    requestId: row.id,
    ...(nameDeadlineOn === null ? {} : { nameDeadlineOn }),
    rooms: [],
  })
}

/** Finds the earliest deadline for guest names in the contracts of the hotels. */
async function findNameDeadline(ctx: ExhibitorContext, hotelIds: readonly string[]): Promise<string | null> {
  if (hotelIds.length === 0) return null
  const row = await eventDb(ctx)
    .selectFrom('housing_contracts')
    .select(({ fn }) => fn.min('name_deadline_on').as('day'))
    .where('hotel_id', 'in', [...hotelIds])
    .executeTakeFirst()
  return row?.day ?? null
}

/** Reuses the empty block of a closed or declined earlier request of the same group, because a group can have only one block. */
async function takeOverGroupBlock(ctx: ExhibitorContext, row: BlockRequestRow): Promise<string | null> {
  if (row.group_id === null) return null
  const { rows } = await sql<{ id: string; code: string; requestId: string | null; rooms: number; isOpen: boolean }>`
    select b.id, b.code, b.request_id as "requestId", coalesce(r.status not in ('closed', 'declined'), true) as "isOpen",
      (select coalesce(sum(n.rooms), 0)::int from block_nights n where n.tenant_id = b.tenant_id and n.event_id = b.event_id and n.block_id = b.id) as rooms
    from room_blocks b
    left join block_requests r on r.tenant_id = b.tenant_id and r.event_id = b.event_id and r.id = b.request_id
    where b.tenant_id = ${ctx.tenantId} and b.event_id = ${ctx.event.id} and b.owner_kind = 'group' and b.owner_ref = ${row.group_id}`.execute(
    ctx.db,
  )
  const [block] = rows
  if (!block) return null
  if (block.isOpen || block.rooms > 0)
    throw conflict(
      `The group of block request ${getRequestLabel(row)} already has the block ${block.code} with ${block.rooms} room nights. Change that block with update_group_block, or detach it first`,
    )
  if (block.requestId !== null) await updateRequest(ctx, { id: block.requestId }, { block_id: null })
  await linkBlockToBlockRequest(ctx, block.id, row.id)
  await setBlockSellStatus(ctx, block.id, 'open')
  return block.id
}
