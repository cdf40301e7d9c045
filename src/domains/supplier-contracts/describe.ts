import { toMoney } from '../../kernel/money.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { eventDb, joinRowsOfSameEvent, tenantDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { fillClauseVariables, findMissingVariables } from './clause-text.ts'
import { listClauseStates, readContractVersion } from './contracts.ts'
import { computeCommittedAmount, readAwardedOffersOfContracts } from './sources.ts'
import type { Clause, ClauseRow, ContractRow, ContractVersionRow, CounterProposalItem, CounterProposalRow } from './tables.ts'

/** Returns the summary of a contract. */
export const describeContract = async (ctx: HousingContext, contract: ContractRow) => (await describeContracts(ctx, [contract]))[0]!

export async function describeContracts(ctx: HousingContext, contracts: readonly ContractRow[]) {
  if (contracts.length === 0) return []
  const ids = contracts.map(({ id }) => id)
  const [sources, suppliers, states, versions, envelopes] = await Promise.all([
    readAwardedOffersOfContracts(ctx, contracts),
    readSupplierNames(ctx, contracts),
    eventDb(ctx).selectFrom('contract_clauses').select(['contract_id', 'state', 'risk']).where('contract_id', 'in', ids).execute(),
    eventDb(ctx)
      .selectFrom('contract_versions as v')
      .innerJoin('supplier_contracts as c', (join) =>
        joinRowsOfSameEvent(join, 'c.id', 'v.contract_id').onRef('c.current_version', '=', 'v.n'),
      )
      .select(['v.contract_id', 'v.clauses'])
      .where('v.contract_id', 'in', ids)
      .execute(),
    readEnvelopes(ctx, ids),
  ])
  return contracts.map((contract) => {
    const own = states.filter(({ contract_id }) => contract_id === contract.id)
    const source = sources.get(contract.id)!
    const clauses = versions.find(({ contract_id }) => contract_id === contract.id)?.clauses ?? []
    return {
      id: contract.id,
      number: contract.number,
      supplier: { id: contract.supplier_id, name: suppliers.get(contract.supplier_id) ?? '' },
      status: contract.status,
      version: contract.current_version,
      openClauses: own.filter(({ state }) => state === 'open').length,
      highRisk: own.filter(({ risk }) => risk === 'high').length,
      committed: toMoney(computeCommittedAmount(source, clauses), source.content.currency),
      ...omitNulls({ dueOn: contract.due_on, executedOn: contract.executed_on, envelope: envelopes.get(contract.id) ?? null }),
      revision: contract.revision,
    }
  })
}

async function readSupplierNames(ctx: HousingContext, contracts: readonly ContractRow[]): Promise<Map<string, string>> {
  const rows = await tenantDb(ctx)
    .selectFrom('suppliers')
    .select(['id', 'name'])
    .where('client_id', '=', ctx.client.id)
    .where('id', 'in', [...new Set(contracts.map(({ supplier_id }) => supplier_id))])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Reads the latest signature envelope of each contract. */
async function readEnvelopes(ctx: HousingQueryContext, contractIds: readonly string[]) {
  const rows = await eventDb(ctx)
    .selectFrom('signature_envelopes')
    .distinctOn('contract_id')
    .select(['contract_id', 'id', 'status', 'expires_at'])
    .where('contract_id', 'in', [...contractIds])
    .orderBy('contract_id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map(({ contract_id, id, status, expires_at }) => [contract_id, { id, status, expiresAt: formatInstant(expires_at) }]))
}

/** Describes a clause with its text, variables and negotiation state. */
export const describeClause = (clause: Clause | undefined, row: ClauseRow, title = clause?.title ?? row.key) => ({
  key: row.key,
  title,
  body: clause ? fillClauseVariables(clause) : '',
  vars: clause?.vars ?? {},
  state: row.state,
  risk: row.risk,
  walkAway: row.walk_away,
  ...(row.note === null ? {} : { note: row.note }),
  ...(clause ? {} : { removed: true as const }),
})

/** Describes the clauses of a version in order, followed by removed clauses that are not agreed. */
export function describeClauses(version: ContractVersionRow, states: readonly ClauseRow[], titles: ReadonlyMap<string, string>) {
  const stateOf = (key: string): ClauseRow | undefined => states.find((row) => row.key === key)
  const kept = version.clauses.flatMap((clause) => {
    const row = stateOf(clause.key)
    return row ? [describeClause(clause, row)] : []
  })
  const removed = states.filter(({ key, state }) => state !== 'agreed' && !version.clauses.some((clause) => clause.key === key))
  return [...kept, ...removed.map((row) => describeClause(undefined, row, titles.get(row.key)))]
}

export const describeVersion = ({ n, written_by, note, sha256, created_by, created_at }: ContractVersionRow) => ({
  n,
  by: written_by,
  ...omitNulls({ note }),
  sha256,
  createdBy: created_by,
  createdAt: formatInstant(created_at),
})

export const describeCounterProposalItem = ({ body, vars, ...item }: CounterProposalItem) => ({
  ...item,
  ...(body === undefined ? {} : { body: fillClauseVariables({ body, vars: vars ?? {} }) }),
  ...(vars === undefined ? {} : { vars }),
})

export const describeCounterProposal = ({ id, based_on_version, stance, items, method, status, created_at }: CounterProposalRow) => ({
  id,
  basedOnVersion: based_on_version,
  stance,
  method,
  status,
  items: items.map(describeCounterProposalItem),
  createdAt: formatInstant(created_at),
})

/** Describes a contract in full, with the clauses of one version. */
export async function describeContractInFull(ctx: HousingContext, contract: ContractRow, n?: number) {
  const [summary, version, states, versions, counters] = await Promise.all([
    describeContract(ctx, contract),
    readContractVersion(ctx, contract, n),
    listClauseStates(ctx, contract),
    eventDb(ctx).selectFrom('contract_versions').selectAll().where('contract_id', '=', contract.id).orderBy('n').execute(),
    eventDb(ctx)
      .selectFrom('contract_counters')
      .selectAll()
      .where('contract_id', '=', contract.id)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  ])
  const titles = new Map(versions.flatMap(({ clauses }) => clauses.map(({ key, title }) => [key, title] as const)))
  return {
    ...summary,
    awardId: contract.award_id,
    lineIndex: contract.line_index,
    shownVersion: version.n,
    ...omitNulls({ contactName: contract.contact_name, contactEmail: contract.contact_email }),
    clauses: describeClauses(version, states, titles),
    missingVars: findMissingVariables(version.clauses),
    versions: versions.map(describeVersion),
    counters: counters.map(describeCounterProposal),
  }
}
