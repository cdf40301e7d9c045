import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { OrderRow } from '../../orders/orders.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { formatParticipantName } from '../participant-shape.ts'

/** A registered participant whose products are on an order. */
export interface OrderParticipant {
  id: string
  name: string
  revision: number
  isTestData: boolean
  /** The number of units on all orders, by product code. */
  held: ReadonlyMap<string, number>
}

/** Reads the participants with these ids whose registration is complete. Only their products can be removed. */
export async function listOrderParticipants(ctx: EventContext, ids: readonly string[]): Promise<Map<string, OrderParticipant>> {
  if (ids.length === 0) return new Map()
  const people = await eventDb(ctx)
    .selectFrom('participants')
    .select(['id', 'first_name', 'last_name', 'revision', 'is_test_data'])
    .where('id', '=', sql<string>`any(${ids})`)
    .where('status', '=', 'complete')
    .execute()
  const lines = Map.groupBy(await listSoldOrderLines(ctx, ids), ({ participant_id }) => participant_id)
  return new Map(
    people.map((row): [string, OrderParticipant] => [
      row.id,
      {
        id: row.id,
        name: formatParticipantName(row),
        revision: row.revision,
        isTestData: row.is_test_data,
        held: sumQuantitiesByProduct(lines.get(row.id) ?? []),
      },
    ]),
  )
}

/** Finds the address for receipts of an order: the billing address, otherwise the participant's. Null if there is none. */
export async function findReceiptEmailAddress(ctx: EventContext, { bill_to, participant_id }: OrderRow): Promise<string | null> {
  if (bill_to.email) return bill_to.email
  if (participant_id === null) return null
  const row = await eventDb(ctx).selectFrom('participants').select('email').where('id', '=', participant_id).executeTakeFirst()
  return row?.email ?? null
}
