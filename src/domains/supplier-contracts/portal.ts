import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import type { EventScope } from '../housing/context.ts'
import { fillClause } from './clause-text.ts'
import { compareVersions } from './compare.ts'
import { getContract, listClauseStates, lockContract, readVersion } from './contracts.ts'
import { readSentVersions } from './send.ts'
import type { ContractRow } from './tables.ts'
import { setClauses } from './write.ts'

/** The contract as its supplier sees it. Versions that were not sent yet are not shown. */
export async function readPortalContract(ctx: EventScope, contractId: string) {
  const contract = await getContract(ctx, contractId)
  const shown = await findShownVersion(ctx, contract)
  const sent = await readSentVersions(ctx, { ...contract, current_version: shown.n })
  const changed = compareVersions(sent.from.clauses, shown.clauses)
  const states = await listClauseStates(ctx, contract)
  return {
    contract,
    version: shown.n,
    /** The supplier has to answer. */
    isOpen: isAnswerable(contract),
    /** After a counter, the supplier has agreed to everything. */
    isAgreed: contract.status === 'counterSent' && states.every(({ state }) => state === 'agreed'),
    /** Clauses that differ from the supplier's own version, after a counter. */
    changed,
    clauses: shown.clauses.map((clause) => ({ key: clause.key, title: clause.title, text: fillClause(clause) })),
  }
}

const isAnswerable = ({ status }: ContractRow) => status === 'submitted' || status === 'counterSent'

/** The current version, or the supplier's own while we prepare a counter. */
async function findShownVersion(ctx: EventScope, contract: ContractRow) {
  const isPreparing = ['redlinesReceived', 'counterProposed', 'counterApplied'].includes(contract.status)
  return isPreparing ? (await readSentVersions(ctx, contract)).from : readVersion(ctx, contract)
}

/** The number of the version that the supplier may download. */
export const getShownVersion = async (ctx: EventScope, contract: ContractRow): Promise<number> => (await findShownVersion(ctx, contract)).n

/** Refuses an answer to a version that is no longer the current one, or while we are working on the text. */
export async function lockForAnswer(ctx: EventScope, contractId: string, version: number): Promise<ContractRow> {
  const contract = await lockContract(ctx, contractId)
  if (!isAnswerable(contract)) throw preconditionFailed(`Contract ${contract.number} is ${contract.status} and waits for no answer`)
  if (contract.current_version !== version)
    throw conflict(`Contract ${contract.number} is at version ${contract.current_version}, not ${version}`, { reason: 'movedOn' })
  return contract
}

/** The supplier agrees to all clauses of the version as it was sent. */
export async function acceptContract(ctx: EventScope, contractId: string, version: number): Promise<void> {
  const contract = await lockForAnswer(ctx, contractId, version)
  const states = await listClauseStates(ctx, contract)
  await setClauses(
    ctx,
    contract,
    states.filter(({ state }) => state !== 'agreed').map(({ key }) => ({ key, state: 'agreed' })),
  )
}
