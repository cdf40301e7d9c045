import { recordChange } from '../../kernel/audit.ts'
import { hashCanonicalJson } from '../../kernel/canonical.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import type { Tables } from '../../kernel/columns.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { readSourcingSettings } from '../tenancy/sourcing-settings.ts'
import { compareContractVersions, isClauseUnchanged } from './compare.ts'
import { listClauseStates, readContractVersion } from './contracts.ts'
import { readPlaybook, type Playbook } from './library/playbook.ts'
import { assessClauseRisk, type RiskAssessment } from './risk.ts'
import { computeCommittedAmount, type AwardedOffer, readAwardedOfferOfContract } from './sources.ts'
import { CLAUSE_STATES } from './states.ts'
import type { Clause, ClauseRow, ContractRow, ContractVersionRow } from './tables.ts'
import { type Updateable } from 'kysely'

export type ClauseState = ClauseRow['state']

export const hashClauses = (clauses: readonly Clause[]): string => hashCanonicalJson(clauses).toString('hex')

/** Throws if the change is based on an older version of the contract. */
export function requireCurrentContractVersion({ number, current_version }: ContractRow, ifVersion: number | undefined): void {
  if (ifVersion !== undefined && ifVersion !== current_version)
    throw conflict(`Contract ${number} is at version ${current_version}, not ${ifVersion}. Read it again and repeat the change.`, {
      reason: 'movedOn',
    })
}

/** Throws if the contract's text is being signed or was signed. */
export function refuseChangeDuringSigning({ number, status }: ContractRow): void {
  if (status === 'readyForSignature' || status === 'outForSignature' || status === 'executed')
    throw preconditionFailed(`Contract ${number} is ${status}, and its text can no longer change`)
}

/** Inserts a version of a contract with the committed amount of its clauses. */
export const insertContractVersion = async (
  ctx: HousingContext,
  contract: Pick<ContractRow, 'id'>,
  source: AwardedOffer,
  version: { n: number; by: ContractVersionRow['written_by']; clauses: readonly Clause[]; note?: string | undefined },
): Promise<ContractVersionRow> =>
  ctx.db
    .insertInto('contract_versions')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      contract_id: contract.id,
      n: version.n,
      written_by: version.by,
      clauses: JSON.stringify(version.clauses),
      committed: computeCommittedAmount(source, version.clauses),
      note: version.note ?? null,
      sha256: hashClauses(version.clauses),
      created_by: ctx.actor.name,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Adds the next version of a contract and makes it the current one. The caller has locked the contract. */
export async function addNextContractVersion(
  ctx: HousingContext,
  contract: ContractRow,
  version: { by: ContractVersionRow['written_by']; clauses: readonly Clause[]; note?: string | undefined },
): Promise<{ contract: ContractRow; version: ContractVersionRow }> {
  const n = contract.current_version + 1
  const added = await insertContractVersion(ctx, contract, await readAwardedOfferOfContract(ctx, contract), { ...version, n })
  const row = await updateContract(ctx, contract, { current_version: n })
  recordChange(ctx, {
    kind: 'contract',
    id: contract.id,
    before: { version: contract.current_version },
    after: { version: n, versionBy: version.by },
  })
  return { contract: row, version: added }
}

export const updateContract = (
  ctx: HousingQueryContext,
  { id }: Pick<ContractRow, 'id'>,
  columns: Omit<Updateable<Tables['supplier_contracts']>, 'status'>,
): Promise<ContractRow> =>
  eventDb(ctx).updateTable('supplier_contracts').set(columns).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/**
 * Reads the client's latest version of a contract. Clauses that this version only took over from the supplier, and that are not agreed, are
 * returned with the client's own text from before the supplier's changes.
 */
export async function readClientContractVersion(ctx: HousingQueryContext, contract: ContractRow): Promise<ContractVersionRow> {
  const [versions, states] = await Promise.all([
    eventDb(ctx).selectFrom('contract_versions').selectAll().where('contract_id', '=', contract.id).orderBy('n', 'desc').execute(),
    listClauseStates(ctx, contract),
  ])
  const isOurs = ({ written_by }: ContractVersionRow) => written_by === 'us'
  const [ours, theirs] = [versions.find(isOurs), versions.find((one) => !isOurs(one))]
  if (!ours) return readContractVersion(ctx, contract, 1)
  const before = theirs && versions.find((one) => isOurs(one) && one.n < theirs.n)
  if (!before || ours.n < theirs.n) return ours
  const isUnanswered = (key: string) =>
    states.some((one) => one.key === key && one.state !== 'agreed') &&
    isClauseUnchanged(findByKey(ours.clauses, key), findByKey(theirs.clauses, key))
  return {
    ...ours,
    clauses: [
      ...before.clauses.flatMap((clause) => (isUnanswered(clause.key) ? clause : (findByKey(ours.clauses, clause.key) ?? []))),
      ...ours.clauses.filter(({ key }) => !findByKey(before.clauses, key) && !isUnanswered(key)),
    ],
  }
}

const findByKey = (clauses: readonly Clause[], key: string) => clauses.find((one) => one.key === key)

export const readClientPlaybook = async (ctx: HousingContext): Promise<Playbook> => readPlaybook(await readSourcingSettings(ctx))

export interface ClauseStateUpdate {
  key: string
  state: ClauseState
  assessment?: Pick<RiskAssessment, 'risk' | 'walkAway'>
  note?: string | undefined
}

/** Sets the negotiation states of clauses. The risk and the note of a clause change only if the caller passes them. */
export async function setClauseStates(
  ctx: HousingContext,
  contract: Pick<ContractRow, 'id'>,
  updates: readonly ClauseStateUpdate[],
): Promise<void> {
  if (updates.length === 0) return
  const before = new Map((await listClauseStates(ctx, contract)).map((row) => [row.key, row]))
  const rows = updates.map(({ key, state, assessment, note }) => {
    const old = before.get(key)
    return {
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      contract_id: contract.id,
      key,
      state: old ? CLAUSE_STATES.move(old.state, state) : state,
      risk: assessment?.risk ?? old?.risk ?? 'low',
      walk_away: assessment?.walkAway ?? old?.walk_away ?? false,
      note: note ?? old?.note ?? null,
    }
  })
  await ctx.db
    .insertInto('contract_clauses')
    .values(rows)
    .onConflict((oc) =>
      oc.columns(['tenant_id', 'event_id', 'contract_id', 'key']).doUpdateSet((eb) => ({
        state: eb.ref('excluded.state'),
        risk: eb.ref('excluded.risk'),
        walk_away: eb.ref('excluded.walk_away'),
        note: eb.ref('excluded.note'),
      })),
    )
    .execute()
  const states = (list: readonly { key: string; state: string }[]) => Object.fromEntries(list.map(({ key, state }) => [key, state]))
  recordChange(ctx, {
    kind: 'contract',
    id: contract.id,
    before: { clauses: states(rows.flatMap(({ key }) => before.get(key) ?? [])) },
    after: { clauses: states(rows) },
  })
}

/** Rates the risk of each changed clause compared with the client's last text, and sets the state of the clause to open. */
export function assessChangedClauses(playbook: Playbook, ours: readonly Clause[], from: readonly Clause[], to: readonly Clause[]) {
  const diff = compareContractVersions(from, to)
  const risks = diff.map(({ key }) => ({
    key,
    ...assessClauseRisk(
      playbook,
      ours.find((one) => one.key === key),
      to.find((one) => one.key === key),
    ),
  }))
  const updates = risks.map(({ key, ...assessment }): ClauseStateUpdate => ({ key, state: 'open', assessment }))
  return { diff, risks, updates }
}

export const countOpenClauses = async (ctx: HousingQueryContext, contract: Pick<ContractRow, 'id'>): Promise<number> =>
  (await listClauseStates(ctx, contract)).filter(({ state }) => state === 'open').length
