import { recordChange } from '../../kernel/audit.ts'
import { conflict, type FieldError, invalidArguments, preconditionFailed, SerializationConflict } from '../../kernel/errors.ts'
import { type RecordEdit, planEdit, rejectStaleEdit, saveEdit } from '../../kernel/records.ts'
import { incrementRevision } from '../../kernel/revisions.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type AllocationChangeResult, changeAllocation, closeEmptyRoomBlock, type RoomNightKey } from '../housing/allocation.ts'
import { transferGuaranteesToBlockOwner, moveGroupBookingsIntoBlock } from '../housing/block-guests.ts'
import { ROOM_BLOCK_RECORD } from '../housing/block-record.ts'
import { getBlockByIdOrCode, lockRoomBlock, readRoomBlock } from '../housing/block-shape.ts'
import { createBlock, type NewBlock } from '../housing/blocks.ts'
import { expandRoomNightLines, type RoomNightLine } from '../housing/room-lines.ts'
import type { BlockRow } from '../housing/tables.ts'
import { type RegistrationContext, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { appendNumberToCode } from './create.ts'
import { getGroup, type GroupRow, lockGroup } from './groups.ts'

/** Creates a room block. A group that owns the block is linked to it, and cannot be deleted before the block is detached. */
export async function createAndLinkRoomBlock(ctx: RegistrationContext, block: NewBlock): Promise<string> {
  const id = await createBlock(ctx, block)
  if (block.owner.kind === 'group') await linkBlock(ctx, block.owner.ref, id)
  return id
}

const linkBlock = (ctx: RegistrationContext, groupId: string, blockId: string | null) =>
  eventDb(ctx).updateTable('managed_groups').set({ room_block_id: blockId }).where('id', '=', groupId).execute()

type BlockEdit = RecordEdit<typeof ROOM_BLOCK_RECORD>

interface BlockAssignment extends Pick<BlockEdit, 'name' | 'paymentBy' | 'releaseOn' | 'nameDeadlineOn'> {
  groupCode: string
  blockId?: string | undefined
  rooms?: readonly RoomNightLine[] | undefined
  moveReservations: boolean
}

/** Returns an error unless the arguments name either an existing room block or rooms for a new one. */
export const checkBlockIdOrRooms = ({ blockId, rooms }: Record<string, unknown>): FieldError[] =>
  (blockId === undefined) === (rooms === undefined) ? [{ path: 'rooms', message: 'give either rooms or blockId' }] : []

/**
 * Assigns a room block to a group: an existing one without an owner, or a new one from rooms that belong to no block yet. Rooms that
 * members have booked may move into the block.
 */
export async function assignBlockToGroup(
  ctx: RegistrationContext,
  { groupCode, blockId, rooms, moveReservations, ...fields }: BlockAssignment,
) {
  const group = await lockGroup(ctx, groupCode)
  if (group.room_block_id !== null)
    throw conflict(`Group ${group.code} already has block ${group.room_block_id}. Detach it with update_group_block first.`)
  if (group.is_test_data) throw preconditionFailed(`Group ${group.code} is test data, which takes no rooms from hotels`)
  const id = blockId === undefined ? await createGroupBlock(ctx, group, rooms ?? [], fields) : await adoptBlock(ctx, group, blockId, fields)
  await linkBlock(ctx, group.id, id)
  recordChange(ctx, { kind: 'group', id: group.id, before: { block: null }, after: { block: id } })
  const moved = moveReservations ? await moveGroupBookingsIntoBlock(ctx, id, group.id) : 0
  const block = await readRoomBlock(ctx, id)
  if (block.paymentBy === 'master') await transferGuaranteesToBlockOwner(ctx, id, () => loadEventSnapshot(ctx))
  return { block, moved }
}

type NewFields = Omit<BlockAssignment, 'groupCode' | 'blockId' | 'rooms' | 'moveReservations'>

async function createGroupBlock(
  ctx: RegistrationContext,
  group: GroupRow,
  lines: readonly RoomNightLine[],
  fields: NewFields,
): Promise<string> {
  const changes = await expandRoomNightLines(ctx, lines, 'rooms')
  return createBlock(ctx, {
    code: await findFreeCode(ctx, group.code),
    name: fields.name ?? group.name,
    owner: { kind: 'group', ref: group.id },
    ...(fields.paymentBy ? { paymentBy: fields.paymentBy } : {}),
    ...(fields.releaseOn ? { releaseOn: fields.releaseOn } : {}),
    ...(fields.nameDeadlineOn ? { nameDeadlineOn: fields.nameDeadlineOn } : {}),
    rooms: changes.map(({ night, ...one }) => ({ ...one, rooms: 'rooms' in one ? one.rooms : 0, nights: [night] })),
  })
}

async function findFreeCode(ctx: RegistrationContext, wanted: string): Promise<string> {
  const rows = await eventDb(ctx).selectFrom('room_blocks').select('code').execute()
  const taken = new Set(rows.map(({ code }) => code))
  for (let number = 1; ; number++) {
    const code = number === 1 ? wanted : appendNumberToCode(wanted, number)
    if (!taken.has(code)) return code
  }
}

async function adoptBlock(ctx: RegistrationContext, group: GroupRow, named: string, fields: NewFields): Promise<string> {
  const block = await lockRoomBlock(ctx, (await getBlockByIdOrCode(ctx, named)).id)
  if (block.owner_kind !== 'none') throw conflict(`Block ${block.code} belongs to ${describeOwner(block)} already`)
  if (block.status === 'closed')
    throw preconditionFailed(`Block ${block.code} is closed: it has no rooms. Leave blockId out and give rooms`)
  await saveEdit(ctx, planEdit(ROOM_BLOCK_RECORD, block, fields), { owner_kind: 'group', owner_ref: group.id })
  recordChange(ctx, { kind: 'block', id: block.id, before: { owner: null }, after: { owner: { kind: 'group', ref: group.id } } })
  return block.id
}

const describeOwner = ({ owner_kind, owner_ref }: BlockRow) => `${owner_kind === 'tag' ? 'the tag' : `a ${owner_kind}`} ${owner_ref}`

interface BlockUpdate extends BlockEdit {
  blockId?: string | undefined
  groupCode?: string | undefined
  set?: readonly RoomNightLine[] | undefined
  detach?: boolean | undefined
}

/**
 * Changes a room block, which may belong to a group or to another owner: its fields, its rooms on single nights, or whether it still
 * belongs to its group.
 */
export async function updateGroupBlock(ctx: RegistrationContext, { blockId, groupCode, set, detach = false, ...edit }: BlockUpdate) {
  const block = await lockNamedBlock(ctx, { blockId, groupCode, detach })
  rejectStaleEdit(ROOM_BLOCK_RECORD, block, edit.ifRevision)
  const { row, changed } = await saveEdit(
    ctx,
    planEdit(ROOM_BLOCK_RECORD, block, edit),
    detach ? { owner_kind: 'none', owner_ref: null } : {},
  )
  if (detach) {
    await linkBlock(ctx, block.owner_ref!, null)
    recordChange(ctx, {
      kind: 'block',
      id: block.id,
      before: { owner: { kind: 'group', ref: block.owner_ref } },
      after: { owner: null },
    })
    changed.push('owner')
  }
  const rooms = set ? await setRooms(ctx, row, set) : []
  if (rooms.length > 0) changed.push('nights')
  if (detach) await closeEmptyRoomBlock(ctx, block.id)
  if (changed.includes('paymentBy') && row.payment_by === 'master')
    await transferGuaranteesToBlockOwner(ctx, block.id, () => loadEventSnapshot(ctx))
  return { block: await readRoomBlock(ctx, block.id), changed, rooms: rooms.map(({ wanted: _wanted, ...one }) => one) }
}

/**
 * Locks a room block. If it will be detached from its group, the group is locked first, because all changes lock groups before room blocks.
 */
async function lockNamedBlock(
  ctx: RegistrationContext,
  { blockId, groupCode, detach }: Pick<BlockUpdate, 'blockId' | 'groupCode' | 'detach'>,
): Promise<BlockRow> {
  if (blockId === undefined && groupCode === undefined) throw invalidArguments([{ path: 'blockId', message: 'give blockId or groupCode' }])
  const named = blockId === undefined ? await getBlockOfGroup(ctx, groupCode!) : await getBlockByIdOrCode(ctx, blockId)
  if (groupCode !== undefined && named.owner_ref !== (await getGroup(ctx, groupCode)).id)
    throw invalidArguments([{ path: 'blockId', message: `block ${named.code} does not belong to group ${groupCode}` }])
  if (detach && named.owner_kind !== 'group') throw preconditionFailed(`Block ${named.code} belongs to no group, so it cannot be detached`)
  if (detach) await lockGroup(ctx, named.owner_ref!)
  const block = await lockRoomBlock(ctx, named.id)
  if (block.owner_ref !== named.owner_ref) throw new SerializationConflict('the owner of the block was changed concurrently')
  return block
}

async function getBlockOfGroup(ctx: RegistrationContext, groupCode: string): Promise<BlockRow> {
  const group = await getGroup(ctx, groupCode)
  if (group.room_block_id === null)
    throw preconditionFailed(`Group ${group.code} has no block of rooms. Give it one with assign_block_to_group`)
  return getBlockByIdOrCode(ctx, group.room_block_id)
}

/** Sets the rooms and rates of a block's nights. This increments the block's revision, so that `ifRevision` detects changed nights too. */
async function setRooms(ctx: RegistrationContext, row: BlockRow, lines: readonly RoomNightLine[]): Promise<AllocationChangeResult[]> {
  const changes = await expandRoomNightLines(ctx, lines, 'set')
  if (row.status === 'closed' && lines.some(({ rooms }) => rooms > 0))
    throw preconditionFailed(`Block ${row.code} is closed and takes no rooms`)
  const rates = await readRates(ctx, row.id)
  const applied = await changeAllocation(ctx, row.id, changes)
  const rated = changes.filter((one) => one.rate !== undefined && one.rate !== rates.get(keyOf(one)))
  if (rated.length > 0)
    recordChange(ctx, {
      kind: 'block',
      id: row.id,
      before: { rates: rated.map((one) => [one.hotelId, one.roomTypeCode, one.night, rates.get(keyOf(one)) ?? null]) },
      after: { rates: rated.map((one) => [one.hotelId, one.roomTypeCode, one.night, one.rate]) },
    })
  const newlyRated = new Set(rated.map(keyOf))
  const isRated = (one: AllocationChangeResult) => newlyRated.has(keyOf(one))
  const changed = applied.filter((one) => one.before !== one.after || isRated(one))
  if (changed.length > 0) await incrementRevision(ctx, 'room_blocks', await lockRoomBlock(ctx, row.id))
  return changed
}

const keyOf = ({ hotelId, roomTypeCode, night }: RoomNightKey) => `${hotelId} ${roomTypeCode} ${night}`

/** Reads the rates that a room block sets for single room nights. */
async function readRates(ctx: RegistrationContext, blockId: string): Promise<Map<string, number | null>> {
  const rows = await eventDb(ctx)
    .selectFrom('block_nights')
    .select(['hotel_id as hotelId', 'room_type_code as roomTypeCode', 'night', 'rate'])
    .where('block_id', '=', blockId)
    .execute()
  return new Map(rows.map((one) => [keyOf(one), one.rate]))
}
