import { invalidArguments } from '../../kernel/errors.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { HousingContext } from '../housing/context.ts'
import { compareContractVersions } from './compare.ts'
import { listClauseStates, lockSupplierContract, readContractVersion } from './contracts.ts'
import { describeContract, describeVersion } from './describe.ts'
import { applyClauseEdits, type ClauseEdit } from './edits.ts'
import { CONTRACT_STATES } from './states.ts'
import { toClauseEdits, type DocumentText } from './written-text.ts'
import { addNextContractVersion, countOpenClauses, assessChangedClauses, readClientPlaybook, setClauseStates } from './write.ts'

interface Redlines {
  contractId: string
  clauses?: readonly ClauseEdit[] | undefined
  note?: string | undefined
  ifVersion?: number | undefined
}

/**
 * Records the supplier's changes as a version of the supplier. Changed clauses become open; the supplier agrees to all others. If the
 * supplier changed nothing, no version is added.
 */
export async function markRedlinesReceived(ctx: HousingContext, { contractId, clauses = [], note }: Redlines, file: DocumentText | null) {
  const contract = await lockSupplierContract(ctx, contractId)
  const moved = await changeRecordState(ctx, CONTRACT_STATES, contract, 'redlinesReceived')
  const current = await readContractVersion(ctx, contract)
  const { edits, unplaced } = file ? toClauseEdits(current.clauses, file) : { edits: clauses, unplaced: [] }
  const next = applyClauseEdits(current.clauses, edits)
  const { diff, risks, updates } = assessChangedClauses(await readClientPlaybook(ctx), current.clauses, current.clauses, next)
  const open = new Set(diff.map(({ key }) => key))
  const states = await listClauseStates(ctx, contract)
  const agreed = states
    .filter(({ key, state }) => !open.has(key) && state !== 'agreed')
    .map(({ key }) => ({ key, state: 'agreed' as const }))
  const added =
    compareContractVersions(current.clauses, next).length === 0
      ? { contract: moved, version: current }
      : await addNextContractVersion(ctx, moved, { by: 'supplier', clauses: next, note })
  await setClauseStates(ctx, contract, [...updates, ...agreed])
  ctx.effects.add('changes', contract.id)
  return {
    contract: await describeContract(ctx, added.contract),
    version: describeVersion(added.version),
    diff,
    openClauses: await countOpenClauses(ctx, contract),
    risks,
    unplaced,
  }
}

/** Throws unless exactly one of `clauses` and `fileId` is given. */
export function requireClausesOrFile({ clauses, fileId }: { clauses?: readonly unknown[] | undefined; fileId?: string | undefined }): void {
  if ((clauses === undefined) === (fileId === undefined))
    throw invalidArguments([{ path: 'clauses', message: 'give either clauses or fileId' }])
}
