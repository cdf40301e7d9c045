import type { EventContext } from '../../../kernel/context.ts'
import { findOrder } from '../../orders/orders.ts'
import { changeProducts } from './change-products.ts'
import { saveDiscountCodeOnOrder } from './edit-order.ts'
import type { EditedRegistration } from './edited-registration.ts'
import { listHeldOrderLines, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { collectInvoiceDocuments, type ParticipantEditStep } from './participant-edit.ts'
import { collectAssignedTags } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getPayer, openPayerOrder } from '../sale/payer.ts'
import { repriceOrderLines } from './reprice.ts'
import { hasRoomAnswers } from '../../housing/room-answers.ts'
import { changeRoom } from '../sale/rooms.ts'
import { changeSessions } from '../sessions.ts'

/** Changes the room, products and sessions of a complete registration, and issues the invoices and credit notes. */
export async function changePurchases(
  ctx: EventContext,
  { snapshot, edit, rule, outcome }: ParticipantEditStep,
  { flow, group, lines, given, answers }: EditedRegistration,
  row: ParticipantRow,
): Promise<void> {
  if (hasRoomAnswers(given)) {
    const rooming = { snapshot, flow, answers, tags: row.tags, source: 'organizer', overrideClosed: true } as const
    collectInvoiceDocuments(outcome, await changeRoom(ctx, row, rooming))
  }
  const changesCode = '@discount.code' in given
  if (changesCode) await saveDiscountCodeOnOrder(ctx, row)
  const discountCode = changesCode ? row.discount_code : ((await findOrder(ctx, await getPayer(ctx, row)))?.discount_code ?? null)
  const issued = await changeProducts(ctx, {
    snapshot,
    flow,
    row,
    given: collectAssignedTags(row, group),
    answers,
    lines,
    openOrder: () => openPayerOrder(ctx, row),
    rule,
    discountCode,
    overrideCapacity: edit.overrideCapacity,
    reason: edit.reason ?? null,
  })
  collectInvoiceDocuments(outcome, issued)
  if (issued) outcome.changed.push('products')
  const productsBefore = new Set(sumQuantitiesByProduct(lines).keys())
  const whenFull = edit.overrideCapacity ? 'exceed' : 'refuse'
  if (await changeSessions(ctx, row, { snapshot, flow, answers, mayWait: () => true, whenFull, productsBefore }))
    outcome.changed.push('sessions')
  if (!edit.reprice) return
  const order = await openPayerOrder(ctx, row)
  const repriced = await repriceOrderLines(ctx, { snapshot, row, lines: await listHeldOrderLines(ctx, [row.id]), order, discountCode })
  collectInvoiceDocuments(outcome, repriced)
  if (repriced) outcome.changed.push('prices')
}
