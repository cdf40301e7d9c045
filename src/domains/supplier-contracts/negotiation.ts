import type { EventScope } from '../housing/context.ts'
import { fillClause, listVarNames } from './clause-text.ts'
import { compareVersions } from './compare.ts'
import { getContract, listClauseStates, readVersion } from './contracts.ts'
import { applyCounter } from './counters.ts'
import { describeContractInFull } from './describe.ts'
import { findDraft } from './drafts.ts'
import { findEntry } from './library/playbook.ts'
import { resolveClause } from './resolve.ts'
import { assessClause } from './risk.ts'
import { sendCounter } from './send.ts'
import { counterClause } from './stance.ts'
import type { Clause } from './tables.ts'
import { readClientPlaybook, readOurVersion } from './write.ts'

/** Reads a contract with all data that is needed to decide on its clauses. */
export async function readNegotiation(ctx: EventScope, contractId: string) {
  const row = await getContract(ctx, contractId)
  const [detail, current, ours, states, playbook, draft] = await Promise.all([
    describeContractInFull(ctx, row),
    readVersion(ctx, row),
    readOurText(ctx, row),
    listClauseStates(ctx, row),
    readClientPlaybook(ctx),
    findDraft(ctx, row),
  ])
  const differences = compareVersions(ours, current.clauses)
  const waiting = states.filter(({ state }) => state !== 'agreed')
  const open = waiting.map((state) => {
    const [own, theirs] = [ours.find(({ key }) => key === state.key), current.clauses.find(({ key }) => key === state.key)]
    return {
      ...state,
      title: (theirs ?? own)?.title ?? state.key,
      number: current.clauses.findIndex(({ key }) => key === state.key) + 1 || ours.findIndex(({ key }) => key === state.key) + 1 || null,
      isRemoved: theirs === undefined,
      text: theirs ? fillClause(theirs) : '',
      hunks: differences.find(({ key }) => key === state.key)?.hunks ?? [],
      reasons: assessClause(playbook, own, theirs).reasons,
      ladders: listLadders(own, theirs, (name) => findEntry(playbook, state.key, name)),
      drafted: draft?.items.find(({ key }) => key === state.key) ?? null,
      proposal: counterClause(playbook, state.key, own, theirs, 'balanced'),
    }
  })
  return { row, detail, open, draft, writtenBy: current.written_by, writtenAt: current.created_at }
}

/** Reads the client's last version before the current one, which the supplier's changes are compared with. */
async function readOurText(ctx: EventScope, row: Awaited<ReturnType<typeof getContract>>): Promise<Clause[]> {
  const ours = await readOurVersion(ctx, row)
  return ours.n === row.current_version && row.current_version > 1
    ? (await readVersion(ctx, row, row.current_version - 1)).clauses
    : ours.clauses
}

/** Lists the playbook steps for each changed value of a clause. */
function listLadders(own: Clause | undefined, theirs: Clause | undefined, entryOf: (name: string) => ReturnType<typeof findEntry>) {
  if (!own || !theirs) return []
  return listVarNames(theirs.body).flatMap((name) => {
    const [entry, value] = [entryOf(name), theirs.vars[name]]
    return entry && typeof value === 'number' && value !== own.vars[name] ? [{ name, theirs: value, ...entry }] : []
  })
}

/** Decides a clause by the proposal of the playbook: to accept, keep or counter the supplier's text. */
export async function useProposal(ctx: EventScope, contractId: string, key: string, note?: string) {
  const { open } = await readNegotiation(ctx, contractId)
  const item = open.find((one) => one.key === key)?.proposal
  if (item?.action !== 'replace')
    return resolveClause(ctx, { contractId, key, decision: item?.action === 'accept' ? 'accept' : 'reject', note })
  return resolveClause(ctx, { contractId, key, decision: 'counter', body: item.body, vars: item.vars, note: note ?? item.why })
}

/** Creates the client's next version from the draft counter and sends it. */
export async function applyAndSend(ctx: EventScope, contractId: string) {
  const draft = await findDraft(ctx, { id: contractId })
  if (draft) await applyCounter(ctx, { contractId, counterId: draft.id })
  return sendCounter(ctx, { contractId })
}
