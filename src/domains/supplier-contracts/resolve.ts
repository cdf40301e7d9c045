import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import type { HousingContext } from '../housing/context.ts'
import { listClauseStates, lockSupplierContract, readContractVersion } from './contracts.ts'
import { describeClause, describeContract } from './describe.ts'
import { findDraftCounterProposal, saveDraftCounterProposal, updateDraftCounterProposal } from './drafts.ts'
import { editClause } from './edits.ts'
import { assessClauseRisk } from './risk.ts'
import type { Clause, ClauseRow, ClauseVariables, ContractRow, CounterProposalItem } from './tables.ts'
import {
  addNextContractVersion,
  countOpenClauses,
  readClientPlaybook,
  readClientContractVersion,
  refuseChangeDuringSigning,
  requireCurrentContractVersion,
  setClauseStates,
} from './write.ts'

export const CLAUSE_DECISIONS = ['accept', 'reject', 'counter', 'reopen'] as const

interface Decided {
  contractId: string
  key: string
  decision: (typeof CLAUSE_DECISIONS)[number]
  body?: string | undefined
  vars?: ClauseVariables | undefined
  note?: string | undefined
  ifVersion?: number | undefined
}

interface Resolving {
  contract: ContractRow
  clauses: readonly Clause[]
  clause: Clause | undefined
  row: ClauseRow
}

/**
 * Records the decision on one clause: the supplier's text is accepted, the client's last text is restored, a counterproposal is prepared,
 * or the clause is reopened.
 */
export async function resolveClause(ctx: HousingContext, decided: Decided) {
  const contract = await lockSupplierContract(ctx, decided.contractId)
  requireCurrentContractVersion(contract, decided.ifVersion)
  refuseChangeDuringSigning(contract)
  const [{ clauses }, states] = await Promise.all([readContractVersion(ctx, contract), listClauseStates(ctx, contract)])
  const row = states.find(({ key }) => key === decided.key)
  if (!row)
    throw createUnknownNameError(
      'key',
      decided.key,
      states.map(({ key }) => key),
      'clause',
    )
  const at: Resolving = { contract, clauses, clause: clauses.find(({ key }) => key === decided.key), row }
  const now = await DECIDE[decided.decision](ctx, at, decided)
  ctx.effects.add('changes', `${contract.id} ${decided.key}`)
  return describeResolved(ctx, now, decided.key)
}

async function describeResolved(ctx: HousingContext, contract: ContractRow, key: string) {
  const [{ clauses }, states, ours] = await Promise.all([
    readContractVersion(ctx, contract),
    listClauseStates(ctx, contract),
    readClientContractVersion(ctx, contract),
  ])
  const titles = ours.clauses.find((one) => one.key === key)?.title
  return {
    clause: describeClause(
      clauses.find((one) => one.key === key),
      states.find((one) => one.key === key)!,
      titles,
    ),
    openClauses: await countOpenClauses(ctx, contract),
    contract: await describeContract(ctx, contract),
  }
}

type Decide = (ctx: HousingContext, at: Resolving, decided: Decided) => Promise<ContractRow>

const DECIDE: Record<Decided['decision'], Decide> = {
  async accept(ctx, { contract, clause, row }, { key, note }) {
    if (row.walk_away && note === undefined)
      throw preconditionFailed(`${key} has a value past the limit of the playbook. Give a note that says why it is accepted`)
    if (!clause && note === undefined) throw preconditionFailed(`${key} was removed. Give a note that says why this is accepted`)
    await setClauseStates(ctx, contract, [{ key, state: 'agreed', note }])
    await leaveOutOfDraft(ctx, contract, key)
    return contract
  },
  async reopen(ctx, { contract }, { key, note }) {
    await setClauseStates(ctx, contract, [{ key, state: 'open', note }])
    return contract
  },
  async reject(ctx, at, { key, note }) {
    requireRedlines(at.contract)
    const ours = (await readClientContractVersion(ctx, at.contract)).clauses
    const next = restoreClientClause(at.clauses, ours, key)
    const { contract } = await addNextContractVersion(ctx, at.contract, { by: 'us', clauses: next, note })
    const own = next.find((one) => one.key === key)
    await setClauseStates(ctx, contract, [
      { key, state: 'rejected', note, assessment: assessClauseRisk(await readClientPlaybook(ctx), own, own) },
    ])
    await leaveOutOfDraft(ctx, contract, key)
    return contract
  },
  async counter(ctx, { contract, clause }, { key, body, vars, note }) {
    requireRedlines(contract)
    if (body === undefined && vars === undefined)
      throw invalidArguments([{ path: 'body', message: 'a counter needs a text or values: give body, vars or both' }])
    const ours = (await readClientContractVersion(ctx, contract)).clauses.find((one) => one.key === key)
    const base = ours ?? clause
    if (!base) throw preconditionFailed(`${key} is in neither text, so there is nothing to counter`)
    const offered = editClause(base, { body, vars })
    const { walkAway } = assessClauseRisk(await readClientPlaybook(ctx), ours, offered)
    if (walkAway && note === undefined)
      throw preconditionFailed(`The counter to ${key} has a value past the limit of the playbook. Give a note that says why`)
    const item: CounterProposalItem = { key, action: 'replace', body: offered.body, vars: offered.vars, why: note ?? 'Our own counter.' }
    const draft = await findDraftCounterProposal(ctx, contract)
    const items = [...(draft?.items ?? []).filter((one) => one.key !== key), item]
    await setClauseStates(ctx, contract, [{ key, state: 'open', note }])
    if (!draft) return (await saveDraftCounterProposal(ctx, contract, { stance: 'balanced', items, method: 'rules' })).contract
    await updateDraftCounterProposal(ctx, draft, { items })
    return contract
  },
}

function requireRedlines({ number, status }: ContractRow): void {
  if (status !== 'redlinesReceived' && status !== 'counterProposed')
    throw preconditionFailed(`Contract ${number} is ${status}: there are no redlines to answer`)
}

/** Restores one clause as in the client's last version, at its former position. Removes the clause if that version lacks it. */
export function restoreClientClause(clauses: readonly Clause[], ours: readonly Clause[], key: string): Clause[] {
  const own = ours.find((one) => one.key === key)
  if (!own) return clauses.filter((one) => one.key !== key)
  if (clauses.some((one) => one.key === key)) return clauses.map((one) => (one.key === key ? own : one))
  const before = new Set(ours.slice(0, ours.indexOf(own)).map((one) => one.key))
  const at = clauses.findLastIndex((one) => before.has(one.key)) + 1
  return [...clauses.slice(0, at), own, ...clauses.slice(at)]
}

/** Removes a decided clause from the draft counterproposal, and bases the draft on the current version. */
async function leaveOutOfDraft(ctx: HousingContext, contract: ContractRow, key: string): Promise<void> {
  const draft = await findDraftCounterProposal(ctx, contract)
  if (draft)
    await updateDraftCounterProposal(ctx, draft, {
      items: draft.items.filter((one) => one.key !== key),
      based_on_version: contract.current_version,
    })
}
