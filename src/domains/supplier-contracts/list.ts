import { sql } from 'kysely'
import { invalidArguments } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/page.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingContext } from '../housing/context.ts'
import { compareContractVersions } from './compare.ts'
import { getContract, readContractVersion } from './contracts.ts'
import { describeContractInFull, describeContracts } from './describe.ts'
import type { ContractRow } from './tables.ts'

interface ContractFilter {
  status?: readonly ContractRow['status'][] | undefined
  contractId?: string | undefined
  version?: number | undefined
  diff?: { from: number; to: number } | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

/** Lists the contracts of an event, or returns one of them in full. */
export async function listContracts(ctx: HousingContext, { contractId, version, diff, ...filter }: ContractFilter) {
  if (contractId === undefined) {
    if (version !== undefined || diff !== undefined)
      throw invalidArguments([{ path: 'contractId', message: 'version and diff are of one contract: give contractId' }])
    return listPage(ctx, filter)
  }
  const row = await getContract(ctx, contractId)
  const { clauses, missingVars, versions, counters, ...contract } = await describeContractInFull(ctx, row, version)
  return {
    contracts: [contract],
    clauses,
    missingVars,
    versions,
    counters,
    ...(diff === undefined ? {} : { diff: await diffVersions(ctx, row, diff) }),
    nextCursor: null,
  }
}

async function diffVersions(ctx: HousingContext, contract: ContractRow, { from, to }: { from: number; to: number }) {
  const [old, now] = await Promise.all([readContractVersion(ctx, contract, from), readContractVersion(ctx, contract, to)])
  return compareContractVersions(old.clauses, now.clauses)
}

async function listPage(ctx: HousingContext, { status, limit = 25, cursor }: Pick<ContractFilter, 'status' | 'limit' | 'cursor'>) {
  let rows = eventDb(ctx).selectFrom('supplier_contracts').selectAll()
  if (status?.length) rows = rows.where('status', 'in', [...status])
  const { items, ...page } = await readPage(
    ctx,
    { limit, cursor },
    {
      rows,
      order: [
        { by: sql`supplier_contracts.number`, type: 'text', of: (row: ContractRow) => row.number },
        { by: sql`supplier_contracts.id`, type: 'text', of: (row: ContractRow) => row.id },
      ],
      shape: (row: ContractRow) => row,
    },
  )
  return { contracts: await describeContracts(ctx, items), ...page }
}
