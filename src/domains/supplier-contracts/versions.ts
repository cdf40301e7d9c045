import type { HousingContext } from '../housing/context.ts'
import { compareContractVersions } from './compare.ts'
import { listClauseStates, lockSupplierContract, readContractVersion } from './contracts.ts'
import { describeClauses, describeContract, describeVersion } from './describe.ts'
import { applyClauseEdits, type ClauseEdit } from './edits.ts'
import { discardDraftCounterProposal } from './drafts.ts'
import { toClauseEdits, type DocumentText } from './written-text.ts'
import type { ContractRow } from './tables.ts'
import {
  addNextContractVersion,
  assessChangedClauses,
  readClientPlaybook,
  readClientContractVersion,
  refuseChangeDuringSigning,
  requireCurrentContractVersion,
  setClauseStates,
} from './write.ts'

interface NewVersion {
  contractId: string
  clauses?: readonly ClauseEdit[] | undefined
  by: 'us' | 'supplier'
  note?: string | undefined
  ifVersion?: number | undefined
}

/** Adds a contract version from edits of clauses or from a document. If the text does not differ, no version is added. */
export async function addContractVersion(
  ctx: HousingContext,
  { contractId, clauses = [], by, note, ifVersion }: NewVersion,
  file: DocumentText | null,
) {
  const contract = await lockSupplierContract(ctx, contractId)
  requireCurrentContractVersion(contract, ifVersion)
  refuseChangeDuringSigning(contract)
  const current = await readContractVersion(ctx, contract)
  const { edits, unplaced } = file ? toClauseEdits(current.clauses, file) : { edits: clauses, unplaced: [] }
  const next = applyClauseEdits(current.clauses, edits)
  if (compareContractVersions(current.clauses, next).length === 0)
    return { contract: await describeContract(ctx, contract), version: describeVersion(current), diff: [], changed: [], unplaced }
  const [ours, playbook] = await Promise.all([readClientContractVersion(ctx, contract), readClientPlaybook(ctx)])
  const { diff, updates } = assessChangedClauses(playbook, ours.clauses, current.clauses, next)
  const added = await addNextContractVersion(ctx, contract, { by, clauses: next, note })
  await setClauseStates(ctx, contract, updates)
  await discardDraftCounterProposal(ctx, contract)
  ctx.effects.add('changes', contract.id)
  return {
    contract: await describeContract(ctx, added.contract),
    version: describeVersion(added.version),
    diff,
    changed: await describeChangedClauses(ctx, added.contract, new Set(diff.map(({ key }) => key)), current.clauses),
    unplaced,
  }
}

/** Describes the clauses with the given keys as they are in the current version. */
export async function describeChangedClauses(
  ctx: HousingContext,
  contract: ContractRow,
  keys: ReadonlySet<string>,
  before: readonly { key: string; title: string }[],
) {
  const [version, states] = await Promise.all([readContractVersion(ctx, contract), listClauseStates(ctx, contract)])
  const titles = new Map(before.map(({ key, title }) => [key, title]))
  return describeClauses(version, states, titles).filter(({ key }) => keys.has(key))
}
