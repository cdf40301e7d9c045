import { conflict, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { createUnknownNameError } from '../../kernel/nearest.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { HousingContext } from '../housing/context.ts'
import { compareContractVersions } from './compare.ts'
import { getContract, listClauseStates, lockSupplierContract, readContractVersion } from './contracts.ts'
import { describeContract, describeCounterProposal, describeVersion } from './describe.ts'
import { saveDraftCounterProposal } from './drafts.ts'
import { type ClauseEdit, editClause } from './edits.ts'
import { restoreClientClause } from './resolve.ts'
import { assessClauseRisk } from './risk.ts'
import { buildClauseCounterProposal, type NegotiationStance } from './stance.ts'
import { CONTRACT_STATES, COUNTER_PROPOSAL_STATES } from './states.ts'
import type { Clause, ContractRow, CounterProposalItem } from './tables.ts'
import { applyLanguageModelWording, type CounterProposalWording } from './wording.ts'
import {
  addNextContractVersion,
  type ClauseStateUpdate,
  readClientPlaybook,
  readClientContractVersion,
  requireCurrentContractVersion,
  setClauseStates,
} from './write.ts'

export interface CounterProposalRequest {
  contractId: string
  keys?: readonly string[] | undefined
  stance: NegotiationStance
  instructions?: string | undefined
}

/** Plans the client's counterproposal for the open clauses by the rules of the playbook, with the clause texts of both sides. */
export async function planCounterProposal(
  ctx: HousingContext,
  contract: ContractRow,
  { keys, stance }: Omit<CounterProposalRequest, 'contractId'>,
) {
  const [current, ours, states, playbook] = await Promise.all([
    readContractVersion(ctx, contract),
    readClientContractVersion(ctx, contract),
    listClauseStates(ctx, contract),
    readClientPlaybook(ctx),
  ])
  const known = states.map(({ key }) => key)
  for (const key of keys ?? []) if (!known.includes(key)) throw createUnknownNameError('keys', key, known, 'clause')
  // A rejected clause still needs an agreement, so it is part of the counterproposal like the open clauses.
  const waiting = states.filter(({ state }) => state === 'open' || state === 'rejected').map(({ key }) => key)
  const chosen = keys === undefined ? inOrder(waiting, current.clauses) : keys.filter((key) => waiting.includes(key))
  if (chosen.length === 0)
    throw preconditionFailed(`Contract ${contract.number} has no open clause${keys === undefined ? '' : ' among those named'}`)
  return chosen.map((key) => {
    const [own, theirs] = [ours.clauses.find((one) => one.key === key), current.clauses.find((one) => one.key === key)]
    return { item: buildClauseCounterProposal(playbook, key, own, theirs, stance), ours: own, theirs }
  })
}

const inOrder = (keys: readonly string[], clauses: readonly Clause[]) => {
  const position = (key: string) => {
    const at = clauses.findIndex((one) => one.key === key)
    return at < 0 ? clauses.length : at
  }
  return keys.toSorted((a, b) => position(a) - position(b) || (a < b ? -1 : 1))
}

/** Saves a counterproposal as a draft. Values come from the rules of the playbook; a language model may only rephrase texts and reasons. */
export async function createCounterProposalDraft(
  ctx: HousingContext,
  proposal: CounterProposalRequest,
  wording: CounterProposalWording | null,
) {
  const contract = await lockSupplierContract(ctx, proposal.contractId)
  requireReceivedRedlines(contract)
  const planned = await planCounterProposal(ctx, contract, proposal)
  const { items, method } = applyLanguageModelWording(planned, wording)
  const saved = await saveDraftCounterProposal(ctx, contract, { stance: proposal.stance, items, method })
  ctx.effects.add('changes', contract.id)
  return { contract: await describeContract(ctx, saved.contract), counter: describeCounterProposal(saved.counter), method }
}

export function requireReceivedRedlines({ number, status }: ContractRow): void {
  if (status !== 'redlinesReceived' && status !== 'counterProposed')
    throw preconditionFailed(`Contract ${number} is ${status}: a counter answers redlines that were received`)
}

/** Reads the planned counterproposal outside of the database transaction, as the input of the language model. */
export async function readPlannedCounterProposal(ctx: HousingContext, proposal: CounterProposalRequest) {
  const contract = await getContract(ctx, proposal.contractId)
  requireReceivedRedlines(contract)
  return planCounterProposal(ctx, contract, proposal)
}

export const COUNTER_PROPOSAL_ACTIONS = ['accept', 'reject', 'replace'] as const

export interface CounterProposalEdit extends Omit<ClauseEdit, 'remove' | 'title'> {
  action?: (typeof COUNTER_PROPOSAL_ACTIONS)[number] | undefined
}

interface Applied {
  contractId: string
  counterId: string
  edits?: readonly CounterProposalEdit[] | undefined
  ifVersion?: number | undefined
}

/**
 * Creates the client's next contract version from a counterproposal. Accepted clauses are agreed, all others await the supplier's answer.
 */
export async function applyCounterProposal(ctx: HousingContext, { contractId, counterId, edits = [], ifVersion }: Applied) {
  const contract = await lockSupplierContract(ctx, contractId)
  requireCurrentContractVersion(contract, ifVersion)
  const counter = await eventDb(ctx)
    .selectFrom('contract_counters')
    .selectAll()
    .where('contract_id', '=', contractId)
    .where('id', '=', counterId)
    .executeTakeFirst()
  if (!counter) throw notFound(`Contract ${contract.number} has no counter ${counterId}`)
  COUNTER_PROPOSAL_STATES.move(counter.status, 'applied')
  if (counter.based_on_version !== contract.current_version)
    throw conflict(
      `The counter answers version ${counter.based_on_version}, but contract ${contract.number} is at version ${contract.current_version}. Propose it again`,
    )
  const [current, ours] = await Promise.all([readContractVersion(ctx, contract), readClientContractVersion(ctx, contract)])
  const items = editItems(counter.items, edits, ours.clauses)
  const edited = items.filter((item, index) => item !== counter.items[index])
  await refuseRiskyEdits(ctx, { edited, theirs: current.clauses, ours: ours.clauses })
  const next = items.reduce((clauses, item) => applyItem(clauses, ours.clauses, item), [...current.clauses])
  const moved = await changeRecordState(ctx, CONTRACT_STATES, contract, 'counterApplied')
  const applied = await changeRecordState(ctx, COUNTER_PROPOSAL_STATES, counter, 'applied', { columns: { items: JSON.stringify(items) } })
  const added = await addNextContractVersion(ctx, moved, { by: 'us', clauses: next, note: `Counter to version ${current.n}` })
  await setClauseStates(ctx, contract, await listUpdates(ctx, items, ours.clauses, next))
  ctx.effects.add('changes', contract.id)
  return {
    contract: await describeContract(ctx, added.contract),
    counter: describeCounterProposal(applied),
    version: describeVersion(added.version),
    diff: compareContractVersions(current.clauses, next),
  }
}

function editItems(
  items: readonly CounterProposalItem[],
  edits: readonly CounterProposalEdit[],
  ours: readonly Clause[],
): CounterProposalItem[] {
  const keys = items.map(({ key }) => key)
  for (const { key } of edits) if (!keys.includes(key)) throw createUnknownNameError('edits', key, keys, 'clause of this counter')
  return items.map((item) => {
    const edit = edits.find(({ key }) => key === item.key)
    return edit ? editItem(item, edit, ours) : item
  })
}

/** Edits one clause of a draft counterproposal. A new text or value makes the counterproposal replace the supplier's text of the clause. */
function editItem(item: CounterProposalItem, { action, body, vars }: CounterProposalEdit, ours: readonly Clause[]): CounterProposalItem {
  const { key, why } = item
  const hasText = body !== undefined || vars !== undefined
  if (action !== undefined && action !== 'replace') {
    if (hasText) throw invalidArguments([{ path: 'edits', message: `${key}: ${action} takes no body and no vars` }])
    return { key, action, why }
  }
  if (!hasText) return item
  const own = ours.find((one) => one.key === key)
  const base = item.body === undefined ? own : { key, title: own?.title ?? key, body: item.body, vars: item.vars ?? {} }
  if (!base) throw invalidArguments([{ path: 'edits', message: `${key}: we have no text of this clause, so accept or reject it` }])
  const edited = editClause(base, { body, vars })
  return { key, action: 'replace', body: edited.body, vars: edited.vars, why }
}

interface EditedClauses {
  edited: readonly CounterProposalItem[]
  theirs: readonly Clause[]
  ours: readonly Clause[]
}

/**
 * Throws if an edit agrees to a removed clause or to a value past the limit of the playbook. These decisions need a note, which only
 * resolve_clause takes.
 */
async function refuseRiskyEdits(ctx: HousingContext, { edited, theirs, ours }: EditedClauses): Promise<void> {
  if (edited.length === 0) return
  const playbook = await readClientPlaybook(ctx)
  for (const { key, action, body, vars = {} } of edited) {
    if (action === 'reject') continue
    const [own, received] = [ours.find((one) => one.key === key), theirs.find((one) => one.key === key)]
    const wanted = action === 'replace' && body !== undefined ? { key, title: own?.title ?? key, body, vars } : received
    if (wanted && !assessClauseRisk(playbook, own, wanted).walkAway) continue
    const reason = wanted ? 'has a value past the limit of the playbook' : 'was removed'
    const decision = action === 'accept' ? 'accept' : 'counter'
    throw preconditionFailed(`${key} ${reason}. Use resolve_clause with decision ${decision} and a note that says why`)
  }
}

function applyItem(clauses: readonly Clause[], ours: readonly Clause[], { key, action, body, vars }: CounterProposalItem): Clause[] {
  if (action === 'accept') return [...clauses]
  const restored = restoreClientClause(clauses, ours, key)
  if (action === 'reject' || body === undefined) return restored
  return restored.map((clause) => (clause.key === key ? { ...clause, body, vars: vars ?? {} } : clause))
}

async function listUpdates(
  ctx: HousingContext,
  items: readonly CounterProposalItem[],
  ours: readonly Clause[],
  next: readonly Clause[],
): Promise<ClauseStateUpdate[]> {
  const playbook = await readClientPlaybook(ctx)
  return items.map(({ key, action }) => {
    const [own, now] = [ours.find((one) => one.key === key), next.find((one) => one.key === key)]
    if (action === 'accept') return { key, state: 'agreed' }
    return { key, state: 'countered', assessment: assessClauseRisk(playbook, now ? (own ?? now) : undefined, now) }
  })
}
