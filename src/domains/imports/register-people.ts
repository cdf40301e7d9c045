import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { EVENT_INVENTORY_KEY, toFlowInventoryKey, toProductInventoryKey, type InventoryQuantity } from '../inventory/units.ts'
import type { ImportedOrder } from '../orders/import-orders.ts'
import { toParticipantAnswerColumns } from '../registration/answers.ts'
import { buildDefaultBillingAddress } from '../registration/sale/billing.ts'
import { type InviteListEntry, linkInvitesToImportedPeople } from '../registration/invitations/invites.ts'
import { generateConfirmationAndBadgeIds, insertImportedParticipants } from '../registration/participant-rows.ts'
import { listPurchasesToImport, toImportedOrderLine } from './imported-lines.ts'
import type { ParsedPerson } from './read-person.ts'
import type { ImportRunState } from './run-state.ts'

export interface NewImportedPerson extends ParsedPerson {
  /** The entry in an invite list that this registration uses up. */
  invite?: InviteListEntry
}

/**
 * Creates the registrations of new people. Returns their participant ids in the same sequence, and the orders of completed registrations,
 * which are written later together with the payments of the batch.
 */
export async function registerImportedPeople(
  ctx: EventContext,
  state: ImportRunState,
  people: readonly NewImportedPerson[],
): Promise<{ ids: string[]; orders: ImportedOrder[] }> {
  if (people.length === 0) return { ids: [], orders: [] }
  const ids = people.map(() => newId())
  await insertImportedParticipants(
    ctx,
    people.map((person, index) => {
      const createdAt = person.createdAt ?? person.completedAt ?? state.now
      const done = person.completedAt ?? createdAt
      return {
        ...toParticipantAnswerColumns(person.answers),
        id: ids[index]!,
        flow_slug: state.flowSlug,
        version_id: state.versionId,
        import_run_id: state.run.id,
        status: person.status,
        is_test_data: state.isTest,
        source: 'import',
        manual_tags: person.invite ? [...new Set([...person.tags, ...person.invite.tags])] : person.tags,
        created_at: createdAt,
        ...(person.status === 'complete' ? { ...generateConfirmationAndBadgeIds(), completed_at: done } : {}),
        ...(person.status === 'cancelled' ? { completed_at: done, cancelled_at: done } : {}),
      }
    }),
  )
  await linkInvitesToImportedPeople(
    ctx,
    people.flatMap(({ invite, status }, index) =>
      invite ? [{ inviteId: invite.id, participantId: ids[index]!, complete: status === 'complete' }] : [],
    ),
  )
  return { ids, orders: people.flatMap((person, index) => (person.status === 'complete' ? [toPastOrder(state, person, ids[index]!)] : [])) }
}

/** Counts the capacity that the new people of a batch use. Imports are counted but never rejected for lack of capacity. */
export function listCapacityUsedByNewPeople(state: ImportRunState, people: readonly ParsedPerson[]): InventoryQuantity[] {
  const complete = people.filter(({ status }) => status === 'complete')
  if (complete.length === 0) return []
  const wanted: InventoryQuantity[] = [EVENT_INVENTORY_KEY, toFlowInventoryKey(state.flowSlug)].map((key) => ({
    key,
    quantity: complete.length,
  }))
  const products = complete
    .flatMap((person) => listPurchasesToImport(state, person))
    .map(({ productCode, quantity }) => ({ key: toProductInventoryKey(productCode), quantity }))
  return [...wanted, ...products]
}

/** Returns the order of a completed registration, with order lines if the person bought something. */
function toPastOrder(state: ImportRunState, person: ParsedPerson, participantId: string): ImportedOrder {
  const at = person.completedAt ?? person.createdAt ?? state.now
  const lines = listPurchasesToImport(state, person).map((line) => toImportedOrderLine(state, line, participantId, at))
  return {
    participantId,
    billTo: buildDefaultBillingAddress(person.answers),
    externalNumber: person.orderRef,
    createdAt: at,
    sales: lines.length === 0 ? [] : [{ lines, terms: { ...state.terms, at } }],
    payments: [],
  }
}
