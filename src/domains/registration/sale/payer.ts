import { listOrderLinesWithCredits } from '../../orders/lines.ts'
import { findOrder, getOrCreateOrder, type OrderRow, type OrderOwner } from '../../orders/orders.ts'
import type { BillTo } from '../../orders/tables.ts'
import { readStoredAnswers } from '../answers.ts'
import { buildDefaultBillingAddress } from './billing.ts'
import { findGroupOfParticipant } from '../participant-group.ts'
import { getParticipant } from '../participant-rows.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { RegistrationContext } from '../event-snapshot.ts'

/**
 * Returns the owner of the order for a participant's purchases: the group if it pays, otherwise the participant. The host's payer also pays
 * for the host's guests.
 */
export async function getOrderOwner(ctx: RegistrationContext, row: ParticipantRow): Promise<OrderOwner> {
  if (row.host_id !== null) return getOrderOwner(ctx, await getParticipant(ctx, row.host_id))
  const group = await findGroupOfParticipant(ctx, row)
  if (group?.payBy !== 'group') return { participantId: row.id }
  // A group member who had an order before joining the group keeps using it, unless the group has taken it over.
  const own = await findOrder(ctx, { participantId: row.id })
  return !own || own.status === 'void' || (await hasNoOwnProducts(ctx, own, row)) ? { groupId: group.id } : { participantId: row.id }
}

/**
 * Whether the participant's order contains only room deposits, which are on it even if the group pays for the products, and products of
 * guests.
 */
async function hasNoOwnProducts(ctx: RegistrationContext, order: OrderRow, row: ParticipantRow): Promise<boolean> {
  const lines = await listOrderLinesWithCredits(ctx, { orderId: order.id })
  return lines.length > 0 && lines.every(({ kind, participant_id }) => kind === 'deposit' || participant_id !== row.id)
}

/** Returns the owner of the order for a participant's purchases, and the billing address of an order that is created for them. */
export async function getPayer(ctx: RegistrationContext, row: ParticipantRow): Promise<{ owner: OrderOwner; billTo: BillTo }> {
  const payer = row.host_id === null ? row : await getParticipant(ctx, row.host_id)
  const owner = await getOrderOwner(ctx, payer)
  const group = 'groupId' in owner ? await findGroupOfParticipant(ctx, payer) : null
  return { owner, billTo: group?.billTo ?? buildDefaultBillingAddress(readStoredAnswers(payer)) }
}

export async function getOrCreatePayerOrder(ctx: RegistrationContext, row: ParticipantRow): Promise<OrderRow> {
  return getOrCreateOrder(ctx, { ...(await getPayer(ctx, row)), origin: row.is_test_data ? 'test' : 'real' })
}
