import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type AwardPublication, createRoomContractsFromAward } from '../awards/publish.ts'
import { confirmRoomContract } from './room-contract.ts'

/**
 * Publishes an award as room contracts. A supplier contract that was signed before the award was published makes the room contract of its
 * award line definite at once.
 */
export const publishAward = (ctx: EventContext, wanted: AwardPublication) =>
  createRoomContractsFromAward(ctx, wanted, async (award, lineIndexes) => {
    // The last signature locks the contract, too: it commits before this read, or it finds the new room contract.
    const contracts = await eventDb(ctx)
      .selectFrom('supplier_contracts')
      .selectAll()
      .where('award_id', '=', award.id)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
    for (const contract of contracts)
      if (contract.status === 'executed' && lineIndexes.includes(contract.line_index)) await confirmRoomContract(ctx, contract)
  })
