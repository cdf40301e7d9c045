import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { EVENT_INVENTORY_KEY, toFlowInventoryKey, toProductInventoryKey, type InventoryUnits } from '../inventory/units.ts'
import type { PastOrder } from '../orders/import-orders.ts'
import { toParticipantAnswerColumns } from '../registration/answers.ts'
import { toBillTo } from '../registration/sale/billing.ts'
import { type InviteListEntry, linkInvites } from '../registration/invitations/invites.ts'
import { generateParticipantNumbers, insertImportedParticipants } from '../registration/participant-rows.ts'
import { listSoldLines, toOrderLine } from './imported-lines.ts'
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
export async function registerPeople(
  ctx: EventContext,
  state: ImportRunState,
  people: readonly NewImportedPerson[],
): Promise<{ ids: string[]; orders: PastOrder[] }> {
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
        ...(person.status === 'complete' ? { ...generateParticipantNumbers(), completed_at: done } : {}),
        ...(person.status === 'cancelled' ? { completed_at: done, cancelled_at: done } : {}),
      }
    }),
  )
  await linkInvites(
    ctx,
    people.flatMap(({ invite, status }, index) =>
      invite ? [{ inviteId: invite.id, participantId: ids[index]!, complete: status === 'complete' }] : [],
    ),
  )
  return { ids, orders: people.flatMap((person, index) => (person.status === 'complete' ? [toPastOrder(state, person, ids[index]!)] : [])) }
}

/** Counts the capacity that the new people of a batch use. Imports are counted but never rejected for lack of capacity. */
export function listPeopleInventoryUnits(state: ImportRunState, people: readonly ParsedPerson[]): InventoryUnits[] {
  const complete = people.filter(({ status }) => status === 'complete')
  if (complete.length === 0) return []
  const wanted: InventoryUnits[] = [EVENT_INVENTORY_KEY, toFlowInventoryKey(state.flowSlug)].map((key) => ({
    key,
    quantity: complete.length,
  }))
  const products = complete
    .flatMap((person) => listSoldLines(state, person))
    .map(({ productCode, quantity }) => ({ key: toProductInventoryKey(productCode), quantity }))
  return [...wanted, ...products]
}

/** Returns the order of a completed registration, with order lines if the person bought something. */
function toPastOrder(state: ImportRunState, person: ParsedPerson, participantId: string): PastOrder {
  const at = person.completedAt ?? person.createdAt ?? state.now
  const lines = listSoldLines(state, person).map((line) => toOrderLine(state, line, participantId, at))
  return {
    participantId,
    billTo: toBillTo(person.answers),
    externalNumber: person.orderRef,
    createdAt: at,
    sales: lines.length === 0 ? [] : [{ lines, terms: { ...state.terms, at } }],
    payments: [],
  }
}
