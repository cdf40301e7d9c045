import type { EventContext } from '../../../kernel/context.ts'
import { findPurchaseDiscountCode } from './change-discount-code.ts'
import { changeParticipantProducts } from './change-products.ts'
import { saveDiscountCodeOnOrder } from './edit-order.ts'
import type { EditedRegistration } from './edited-registration.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../sale/holdings.ts'
import { collectInvoiceDocuments, type ParticipantEditStepInput } from './participant-edit.ts'
import { collectAssignedTags } from '../participant-group.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getOrCreatePayerOrder } from '../sale/payer.ts'
import { repriceOrderLines } from './reprice.ts'
import { hasRoomAnswers } from '../../housing/room-answers.ts'
import { changeParticipantRoom } from '../sale/rooms.ts'
import { updateSessionEnrolments } from '../sessions.ts'

/** Changes the room, products and sessions of a complete registration, and issues the invoices and credit notes. */
export async function changeRoomProductsAndSessions(
  ctx: EventContext,
  { snapshot, edit, rule, outcome }: ParticipantEditStepInput,
  { flow, group, lines, given, answers }: EditedRegistration,
  row: ParticipantRow,
): Promise<void> {
  if (hasRoomAnswers(given)) {
    const rooming = { snapshot, flow, answers, tags: row.tags, source: 'organizer', overrideClosed: true } as const
    collectInvoiceDocuments(outcome, await changeParticipantRoom(ctx, row, rooming))
  }
  if ('@discount.code' in given) await saveDiscountCodeOnOrder(ctx, row)
  const discountCode = await findPurchaseDiscountCode(ctx, row)
  const issued = await changeParticipantProducts(ctx, {
    snapshot,
    flow,
    row,
    given: collectAssignedTags(row, group),
    answers,
    lines,
    openOrder: () => getOrCreatePayerOrder(ctx, row),
    rule,
    discountCode,
    overrideCapacity: edit.overrideCapacity,
    reason: edit.reason ?? null,
  })
  collectInvoiceDocuments(outcome, issued)
  if (issued) outcome.changed.push('products')
  const productsBefore = new Set(sumQuantitiesByProduct(lines).keys())
  const whenFull = edit.overrideCapacity ? 'exceed' : 'refuse'
  if (await updateSessionEnrolments(ctx, row, { snapshot, flow, answers, mayWait: () => true, whenFull, productsBefore }))
    outcome.changed.push('sessions')
  if (!edit.reprice) return
  const order = await getOrCreatePayerOrder(ctx, row)
  const repriced = await repriceOrderLines(ctx, { snapshot, row, lines: await listSoldOrderLines(ctx, [row.id]), order, discountCode })
  collectInvoiceDocuments(outcome, repriced)
  if (repriced) outcome.changed.push('prices')
}
