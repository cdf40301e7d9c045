import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { EVENT_INVENTORY_KEY, toFlowInventoryKey, toProductInventoryKey, type InventoryUnits } from '../inventory/units.ts'
import { createOrders, importSales } from '../orders/import-history.ts'
import { toAnswerColumns } from '../registration/answers.ts'
import { toBillTo } from '../registration/sale/billing.ts'
import { type Invite, linkInvites } from '../registration/invitations/invites.ts'
import { generateNumbers, insertImportedParticipants } from '../registration/participant-rows.ts'
import { recalculateTags } from '../registration/tags.ts'
import { listSoldLines, toOrderLine } from './imported-lines.ts'
import type { ParsedPerson } from './read-person.ts'
import type { RunState } from './run-state.ts'

export interface NewPerson extends ParsedPerson {
  /** The invitation that the registration uses. */
  invite?: Invite
}

/** Creates the registrations of new people with their orders, and returns the participant ids in the same order. */
export async function registerPeople(ctx: EventContext, state: RunState, people: readonly NewPerson[]): Promise<string[]> {
  if (people.length === 0) return []
  const ids = people.map(() => newId())
  await insertImportedParticipants(
    ctx,
    people.map((person, index) => {
      const createdAt = person.createdAt ?? person.completedAt ?? state.now
      const done = person.completedAt ?? createdAt
      return {
        ...toAnswerColumns(person.answers),
        id: ids[index]!,
        flow_slug: state.flowSlug,
        version_id: state.versionId,
        import_run_id: state.run.id,
        status: person.status,
        is_test_data: state.isTest,
        source: 'import',
        manual_tags: person.invite ? [...new Set([...person.tags, ...person.invite.tags])] : person.tags,
        created_at: createdAt,
        ...(person.status === 'complete' ? { ...generateNumbers(), completed_at: done } : {}),
        ...(person.status === 'cancelled' ? { completed_at: done, cancelled_at: done } : {}),
      }
    }),
  )
  const buyers = people.flatMap((person, index) => (person.status === 'complete' ? [{ person, id: ids[index]! }] : []))
  await linkInvites(
    ctx,
    people.flatMap(({ invite, status }, index) =>
      invite ? [{ inviteId: invite.id, participantId: ids[index]!, complete: status === 'complete' }] : [],
    ),
  )
  await importOrders(ctx, state, buyers)
  await recalculateTags(ctx, state.rules.config, ids)
  return ids
}

/** Lists the capacity that the new people of a batch take. Imports count towards capacity but are never rejected because of it. */
export function listPeopleUnits(state: RunState, people: readonly ParsedPerson[]): InventoryUnits[] {
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

/** Creates an order for every registered person, with a sale if they bought something. */
async function importOrders(ctx: EventContext, state: RunState, buyers: readonly { person: ParsedPerson; id: string }[]): Promise<void> {
  const boughtAt = ({ completedAt, createdAt }: ParsedPerson) => completedAt ?? createdAt ?? state.now
  const orders = await createOrders(
    ctx,
    state.origin,
    buyers.map(({ person, id }) => ({
      participantId: id,
      billTo: toBillTo(person.answers),
      externalNumber: person.orderRef,
      createdAt: boughtAt(person),
    })),
  )
  const orderOf = new Map(orders.map((order) => [order.participant_id, order]))
  const sales = buyers.flatMap(({ person, id }) => {
    const lines = listSoldLines(state, person).map((line) => toOrderLine(state, line, id, boughtAt(person)))
    return lines.length === 0 ? [] : [{ order: orderOf.get(id)!, lines, terms: { ...state.terms, at: boughtAt(person) } }]
  })
  await importSales(ctx, state.origin, sales)
}
