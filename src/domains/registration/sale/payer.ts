import { listOrderLinesWithCredits } from '../../orders/lines.ts'
import { findOrder, getOrCreateOrder, type OrderRow, type OrderOwner } from '../../orders/orders.ts'
import { readStoredAnswers } from '../answers.ts'
import { buildDefaultBillingAddress } from './billing.ts'
import { findGroupOfParticipant } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext } from '../event-snapshot.ts'

/** Returns the owner of the order for a participant's purchases: the host for guests, the group if it pays, otherwise the participant. */
export async function getOrderOwner(ctx: RegistrationContext, row: ParticipantRow): Promise<OrderOwner> {
  if (row.host_id !== null) return { participantId: row.host_id }
  const group = await findGroupOfParticipant(ctx, row)
  if (group?.payBy !== 'group') return { participantId: row.id }
  // A group member who had an order before joining the group keeps using it, unless the group has taken it over.
  const own = await findOrder(ctx, { participantId: row.id })
  return !own || own.status === 'void' || (await hasOnlyDeposits(ctx, own)) ? { groupId: group.id } : { participantId: row.id }
}

/** Whether the order contains only room deposits, which are on the participant's own order even if the group pays for the products. */
async function hasOnlyDeposits(ctx: RegistrationContext, { id }: OrderRow): Promise<boolean> {
  const lines = await listOrderLinesWithCredits(ctx, { orderId: id })
  return lines.length > 0 && lines.every(({ kind }) => kind === 'deposit')
}

export async function getOrCreatePayerOrder(ctx: RegistrationContext, row: ParticipantRow): Promise<OrderRow> {
  const owner = await getOrderOwner(ctx, row)
  const group = 'groupId' in owner ? await findGroupOfParticipant(ctx, row) : null
  return getOrCreateOrder(ctx, {
    owner,
    origin: row.is_test_data ? 'test' : 'real',
    billTo: group?.billTo ?? buildDefaultBillingAddress(readStoredAnswers(row)),
  })
}
