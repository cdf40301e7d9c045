import type { HousingContext } from '../housing/context.ts'
import { fillClauseVariables, listVarNames } from './clause-text.ts'
import { compareContractVersions, isClauseUnchanged } from './compare.ts'
import { getContract, listClauseStates, readContractVersion } from './contracts.ts'
import { applyCounterProposal } from './counters.ts'
import { describeContractInFull } from './describe.ts'
import { findDraftCounterProposal } from './drafts.ts'
import { findPlaybookEntry } from './library/playbook.ts'
import { resolveClause } from './resolve.ts'
import { assessClauseRisk } from './risk.ts'
import { sendCounterProposal } from './send.ts'
import { buildClauseCounterProposal } from './stance.ts'
import type { Clause } from './tables.ts'
import { readClientPlaybook, readClientContractVersion } from './write.ts'

/** Reads a contract with all data that is needed to decide on its clauses. */
export async function readContractNegotiation(ctx: HousingContext, contractId: string) {
  const row = await getContract(ctx, contractId)
  const [detail, current, ours, states, playbook, draft] = await Promise.all([
    describeContractInFull(ctx, row),
    readContractVersion(ctx, row),
    readClientContractVersion(ctx, row),
    listClauseStates(ctx, row),
    readClientPlaybook(ctx),
    findDraftCounterProposal(ctx, row),
  ])
  const redlines = detail.versions.findLast(({ by }) => by === 'supplier')
  const supplierText = redlines ? (await readContractVersion(ctx, row, redlines.n)).clauses : null
  const changes = {
    ours: compareContractVersions(supplierText ?? ours.clauses, current.clauses),
    theirs: compareContractVersions(ours.clauses, current.clauses),
  }
  const waiting = states.filter(({ state }) => state !== 'agreed')
  const open = waiting.map((state) => {
    const { key } = state
    const find = (clauses: readonly Clause[]) => clauses.find((one) => one.key === key)
    const [own, theirs, now] = [find(ours.clauses), supplierText ? find(supplierText) : undefined, find(current.clauses)]
    const isCounter = current.written_by === 'us' && !(supplierText && isClauseUnchanged(now, theirs))
    const before = isCounter ? theirs : own
    return {
      ...state,
      title: (now ?? own)?.title ?? key,
      number: current.clauses.findIndex((one) => one.key === key) + 1 || ours.clauses.findIndex((one) => one.key === key) + 1 || null,
      isRemoved: now === undefined,
      isCounter,
      text: now ? fillClauseVariables(now) : '',
      hunks: changes[isCounter ? 'ours' : 'theirs'].find((one) => one.key === key)?.hunks ?? [],
      reasons: assessClauseRisk(playbook, before, now).reasons,
      ladders: listLadders(before, now, isCounter, (name) => findPlaybookEntry(playbook, key, name)),
      drafted: draft?.items.find((one) => one.key === key) ?? null,
      proposal: buildClauseCounterProposal(playbook, key, own, isCounter ? theirs : now, 'balanced'),
    }
  })
  return { row, detail, open, draft, writtenBy: current.written_by, writtenAt: current.created_at }
}

/** Lists the changed values of a clause, each with its playbook entry, the supplier's value, and the client's value if it has countered. */
function listLadders(
  before: Clause | undefined,
  now: Clause | undefined,
  isCounter: boolean,
  entryOf: (name: string) => ReturnType<typeof findPlaybookEntry>,
) {
  if (!before || !now) return []
  return listVarNames(now.body).flatMap((name) => {
    const [entry, value, old] = [entryOf(name), now.vars[name], before.vars[name]]
    if (!entry || typeof value !== 'number' || value === old) return []
    const [theirs, counter] = isCounter ? [typeof old === 'number' ? old : null, value] : [value, null]
    return [{ name, theirs, counter, ...entry }]
  })
}

/** Decides on a clause as the playbook proposes: accepts, rejects or counters the supplier's text. */
export async function resolveClauseByPlaybook(ctx: HousingContext, contractId: string, key: string, note?: string) {
  const { open } = await readContractNegotiation(ctx, contractId)
  const item = open.find((one) => one.key === key)?.proposal
  if (item?.action !== 'replace')
    return resolveClause(ctx, { contractId, key, decision: item?.action === 'accept' ? 'accept' : 'reject', note })
  return resolveClause(ctx, { contractId, key, decision: 'counter', body: item.body, vars: item.vars, note: note ?? item.why })
}

/** Creates the client's next contract version from the draft counterproposal and sends it. */
export async function applyAndSendCounterProposal(ctx: HousingContext, contractId: string) {
  const draft = await findDraftCounterProposal(ctx, { id: contractId })
  if (draft) await applyCounterProposal(ctx, { contractId, counterId: draft.id })
  return sendCounterProposal(ctx, { contractId })
}
