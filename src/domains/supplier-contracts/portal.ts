import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import type { HousingContext } from '../housing/context.ts'
import { fillClauseVariables } from './clause-text.ts'
import { compareContractVersions } from './compare.ts'
import { getContract, listClauseStates, lockSupplierContract, readContractVersion } from './contracts.ts'
import { readVersionsToCompare } from './send.ts'
import type { ContractRow } from './tables.ts'
import { setClauseStates } from './write.ts'

/** Reads the contract for its supplier's page. Versions that were not sent yet are hidden. */
export async function readPortalContract(ctx: HousingContext, contractId: string) {
  const contract = await getContract(ctx, contractId)
  const shown = await findShownVersion(ctx, contract)
  const sent = await readVersionsToCompare(ctx, { ...contract, current_version: shown.n })
  const changed = compareContractVersions(sent.from.clauses, shown.clauses)
  const states = await listClauseStates(ctx, contract)
  return {
    contract,
    version: shown.n,
    /** Whether the contract awaits the supplier's answer. */
    isOpen: isAnswerable(contract),
    /** Whether the supplier has agreed to all clauses after a counterproposal of the client. */
    isAgreed: contract.status === 'counterSent' && states.every(({ state }) => state === 'agreed'),
    /** The clauses that the client's counterproposal changed, compared with the supplier's own version. */
    changed,
    clauses: shown.clauses.map((clause) => ({ key: clause.key, title: clause.title, text: fillClauseVariables(clause) })),
  }
}

const isAnswerable = ({ status }: ContractRow) => status === 'submitted' || status === 'counterSent'

/** Finds the version that the supplier may see: the current one, or the supplier's own while the client prepares a counterproposal. */
async function findShownVersion(ctx: HousingContext, contract: ContractRow) {
  const isPreparing = ['redlinesReceived', 'counterProposed', 'counterApplied'].includes(contract.status)
  return isPreparing ? (await readVersionsToCompare(ctx, contract)).from : readContractVersion(ctx, contract)
}

/** Returns the number of the version that the supplier may download. */
export const getDownloadableVersionNumber = async (ctx: HousingContext, contract: ContractRow): Promise<number> =>
  (await findShownVersion(ctx, contract)).n

/**
 * Locks the contract for an answer of the supplier. Throws if the answered version is no longer current, or while the client edits the
 * text.
 */
export async function lockContractForSupplierAnswer(ctx: HousingContext, contractId: string, version: number): Promise<ContractRow> {
  const contract = await lockSupplierContract(ctx, contractId)
  if (!isAnswerable(contract)) throw preconditionFailed(`Contract ${contract.number} is ${contract.status} and does not need an answer`)
  if (contract.current_version !== version)
    throw conflict(`Contract ${contract.number} is at version ${contract.current_version}, not ${version}`, { reason: 'movedOn' })
  return contract
}

/** Records that the supplier agrees to all clauses of the version that was sent. */
export async function acceptContractAsSupplier(ctx: HousingContext, contractId: string, version: number): Promise<void> {
  const contract = await lockContractForSupplierAnswer(ctx, contractId, version)
  const states = await listClauseStates(ctx, contract)
  await setClauseStates(
    ctx,
    contract,
    states.filter(({ state }) => state !== 'agreed').map(({ key }) => ({ key, state: 'agreed' })),
  )
}
