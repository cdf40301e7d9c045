import { recordChange } from '../../kernel/audit.ts'
import { newId } from '../../kernel/ids.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { CONTRACT_STATES, COUNTER_PROPOSAL_STATES } from './states.ts'
import type { NegotiationStance } from './stance.ts'
import type { ContractRow, CounterProposalItem, CounterProposalRow } from './tables.ts'

/** Finds the draft counterproposal of a contract, if there is one. */
export async function findDraftCounterProposal(
  ctx: HousingQueryContext,
  { id }: Pick<ContractRow, 'id'>,
): Promise<CounterProposalRow | null> {
  const rows = eventDb(ctx).selectFrom('contract_counters').selectAll().where('contract_id', '=', id).where('status', '=', 'draft')
  return (await rows.executeTakeFirst()) ?? null
}

/** Discards the draft counterproposal, because the text that it answers has changed or another draft replaces it. */
export async function discardDraftCounterProposal(ctx: HousingContext, contract: Pick<ContractRow, 'id'>): Promise<void> {
  const draft = await findDraftCounterProposal(ctx, contract)
  if (draft) await changeRecordState(ctx, COUNTER_PROPOSAL_STATES, draft, 'discarded')
}

export interface NewCounterProposalDraft {
  stance: NegotiationStance
  items: readonly CounterProposalItem[]
  method: CounterProposalRow['method']
}

/**
 * Saves a draft counterproposal for the current version, and replaces an earlier draft. The contract's status becomes `counterProposed`.
 */
export async function saveDraftCounterProposal(
  ctx: HousingContext,
  contract: ContractRow,
  { stance, items, method }: NewCounterProposalDraft,
): Promise<{ contract: ContractRow; counter: CounterProposalRow }> {
  await discardDraftCounterProposal(ctx, contract)
  const counter = await ctx.db
    .insertInto('contract_counters')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      contract_id: contract.id,
      based_on_version: contract.current_version,
      stance,
      items: JSON.stringify(items),
      method,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'contract',
    id: contract.id,
    after: { counter: counter.id, counterItems: items.map(({ key }) => key) },
  })
  const moved =
    contract.status === 'counterProposed' ? contract : await changeRecordState(ctx, CONTRACT_STATES, contract, 'counterProposed')
  return { contract: moved, counter }
}

/** Replaces the items of a draft counterproposal, after some of its clauses were decided separately. */
export const updateDraftCounterProposal = (
  ctx: HousingQueryContext,
  { id }: Pick<CounterProposalRow, 'id'>,
  columns: { items?: readonly CounterProposalItem[]; based_on_version?: number },
): Promise<CounterProposalRow> =>
  eventDb(ctx)
    .updateTable('contract_counters')
    .set({ ...columns, ...(columns.items ? { items: JSON.stringify(columns.items) } : {}) } as never)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
