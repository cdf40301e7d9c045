import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { changeAllocation } from './allocation.ts'
import { getTodayAtEvent, type HousingContext, type HousingSnapshot, type HousingQueryContext } from './context.ts'
import { ROOM_BLOCK_SALE_STATES } from './states.ts'
import type { BlockRow } from './tables.ts'

/** The groups, companies and tags of a participant. Each can own a room block that the participant may book from. */
export interface ParticipantMemberships {
  groupIds: readonly string[]
  companyIds: readonly string[]
  tags: readonly string[]
}

/** The room blocks that a participant may book from. `selectRoomSources` selects those that provide a given room type of a hotel. */
export interface BookableBlocks {
  /** The blocks, in the order in which rooms are taken from them. */
  blocks: BlockRow[]
  /** Whether nights that the blocks do not cover may come from the hotel's general inventory. */
  freeSell: boolean
}

const OWNER_KINDS_BY_PRIORITY = ['group', 'company', 'tag']

/**
 * Finds the active blocks of the participant's group, then company, then tags. Blocks past their release date or name deadline, and blocks
 * that require more nights, are left out.
 */
export async function findBookableBlocks(
  ctx: HousingQueryContext,
  snapshot: Pick<HousingSnapshot, 'timezone' | 'at'>,
  { groupIds, companyIds, tags }: ParticipantMemberships,
  nights?: number,
): Promise<BookableBlocks> {
  if (groupIds.length + companyIds.length + tags.length === 0) return { blocks: [], freeSell: true }
  const rows = await eventDb(ctx)
    .selectFrom('room_blocks')
    .selectAll()
    .where('status', '=', 'active')
    .where(
      sql<boolean>`(owner_kind = 'group' and owner_ref = any(${groupIds}) or owner_kind = 'company' and owner_ref = any(${companyIds})
        or owner_kind = 'tag' and owner_ref = any(${tags}))`,
    )
    .orderBy('code')
    .execute()
  const today = getTodayAtEvent(snapshot)
  const valid = rows
    .filter((block) => [block.release_on, block.name_deadline_on].every((last) => last === null || today <= last))
    .toSorted((a, b) => OWNER_KINDS_BY_PRIORITY.indexOf(a.owner_kind) - OWNER_KINDS_BY_PRIORITY.indexOf(b.owner_kind))
  return {
    blocks: valid.filter(({ min_nights }) => nights === undefined || nights >= (min_nights ?? 1)),
    freeSell: valid.every(({ overflow }) => overflow),
  }
}

export interface NewBlock {
  code: string
  name: string
  owner: { kind: 'group' | 'company' | 'tag'; ref: string } | { kind: 'none' }
  overflow?: boolean
  minNights?: number
  releaseOn?: string
  nameDeadlineOn?: string
  paymentBy?: 'guest' | 'master'
  /** The block request of a group or company that the new block fulfils. */
  requestId?: string
  rooms: readonly { hotelId: string; roomTypeCode: string; nights: readonly string[]; rooms: number; rate?: number }[]
}

/**
 * Allocates rooms of the hotel's general inventory to a new block: all requested rooms or none. Called by `createAndLinkRoomBlock` of the groups
 * domain, which links the group to its block.
 */
export async function createBlock(ctx: HousingContext, block: NewBlock): Promise<string> {
  const { db, tenantId, event } = ctx
  const id = newId()
  await db
    .insertInto('room_blocks')
    .values({
      tenant_id: tenantId,
      event_id: event.id,
      id,
      code: block.code,
      name: block.name,
      owner_kind: block.owner.kind,
      owner_ref: block.owner.kind === 'none' ? null : block.owner.ref,
      overflow: block.overflow ?? true,
      min_nights: block.minNights ?? null,
      release_on: block.releaseOn ?? null,
      name_deadline_on: block.nameDeadlineOn ?? null,
      payment_by: block.paymentBy ?? 'guest',
      request_id: block.requestId ?? null,
    })
    .execute()
  await changeAllocation(
    ctx,
    id,
    block.rooms.flatMap(({ nights, ...one }) => nights.map((night) => ({ ...one, night }))),
  )
  recordChange(ctx, { kind: 'block', id, after: { code: block.code, name: block.name, owner: block.owner } })
  return id
}

export async function getBlockById(ctx: HousingQueryContext, blockId: string): Promise<BlockRow> {
  const row = await eventDb(ctx).selectFrom('room_blocks').selectAll().where('id', '=', blockId).executeTakeFirst()
  if (!row) throw notFound(`No room block ${blockId} at this event`)
  return row
}

/** Changes who may book from a block. */
export async function setBlockSellStatus(ctx: HousingContext, blockId: string, sellStatus: BlockRow['sell_status']): Promise<void> {
  const row = await getBlockById(ctx, blockId)
  if (row.sell_status !== sellStatus) await changeRecordState(ctx, ROOM_BLOCK_SALE_STATES, row, sellStatus)
}

/** Links an empty block to another block request of its owner. */
export async function linkBlockToBlockRequest(ctx: HousingContext, blockId: string, requestId: string): Promise<void> {
  await eventDb(ctx).updateTable('room_blocks').set({ request_id: requestId }).where('id', '=', blockId).execute()
  recordChange(ctx, { kind: 'block', id: blockId, after: { requestId } })
}
