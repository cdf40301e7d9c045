import { eventDb } from '../../kernel/scoped-db.ts'
import { createBlock, type NewBlock } from '../housing/blocks.ts'
import type { EventScope } from '../registration/event-snapshot.ts'

/** Creates a room block. A group that owns the block is linked to it, and cannot be deleted before the block is released. */
export async function createRoomBlock(ctx: EventScope, block: NewBlock): Promise<string> {
  const id = await createBlock(ctx, block)
  if (block.owner.kind === 'group')
    await eventDb(ctx).updateTable('managed_groups').set({ room_block_id: id }).where('id', '=', block.owner.ref).execute()
  return id
}
