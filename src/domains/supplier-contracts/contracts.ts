import { notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext } from '../housing/context.ts'
import type { ClauseRow, ContractRow, ContractVersionRow } from './tables.ts'

const contracts = (ctx: HousingQueryContext) => eventDb(ctx).selectFrom('supplier_contracts').selectAll()

const unknownContract = (id: string) => notFound(`No contract ${id} at this event. Use list_contracts to find it`)

export async function getContract(ctx: HousingQueryContext, contractId: string): Promise<ContractRow> {
  const row = await contracts(ctx).where('id', '=', contractId).executeTakeFirst()
  if (!row) throw unknownContract(contractId)
  return row
}

/** Locks a contract. All changes to a contract, its versions, clauses, counterproposals and signature envelopes require this lock. */
export async function lockSupplierContract(ctx: HousingQueryContext, contractId: string): Promise<ContractRow> {
  const row = await contracts(ctx).where('id', '=', contractId).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw unknownContract(contractId)
  return row
}

/** Reads a version of a contract; the current one if no number is given. */
export async function readContractVersion(
  ctx: HousingQueryContext,
  { id, number, current_version }: Pick<ContractRow, 'id' | 'number' | 'current_version'>,
  n: number = current_version,
): Promise<ContractVersionRow> {
  const row = await eventDb(ctx)
    .selectFrom('contract_versions')
    .selectAll()
    .where('contract_id', '=', id)
    .where('n', '=', n)
    .executeTakeFirst()
  if (!row) throw notFound(`Contract ${number} has no version ${n}. Its versions are 1 to ${current_version}`)
  return row
}

export const listClauseStates = (ctx: HousingQueryContext, { id }: Pick<ContractRow, 'id'>): Promise<ClauseRow[]> =>
  eventDb(ctx).selectFrom('contract_clauses').selectAll().where('contract_id', '=', id).orderBy('key').execute()
