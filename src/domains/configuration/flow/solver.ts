import type { EventConfig, Flow } from '../schema/event-config.ts'
import { type Goal, listGoals, isBranch, pagePath, widgetPath } from './goals.ts'
import { type FlowModel, buildModel } from './model.ts'
import { checkGoals, type SolverOptions, listEntryTags, type UnreachableReason } from './reachable-goals.ts'
import { solve } from './search.ts'

export { type PlannedParticipant, type TestPlan, planParticipants, type PlanOptions } from './plan.ts'

export interface FlowBranches {
  /** Outcomes that the flow decides by rules and prices; `reachable` counts those that can happen. */
  branches: number
  reachable: number
  outcomes: readonly { goal: Goal; status: 'reachable' | UnreachableReason }[]
  /** For each products widget: whether a participant can see it with nothing on offer, and with which tags. */
  emptyOffers: readonly { path: string; status: 'reachable' | UnreachableReason; tags: readonly string[] }[]
  /** Whether any participant can see the page or widget, and whether any can skip it. */
  shown: (page: string, widget?: string) => 'reachable' | UnreachableReason
  hidden: (page: string, widget?: string) => 'reachable' | UnreachableReason
}

/** Finds out which outcomes of a flow participants can reach, for the flow review. */
export function findBranches(config: EventConfig, flow: Flow, options: SolverOptions): FlowBranches {
  const model = buildModel(config, flow, options)
  const outcomes = checkGoals(model, listGoals(config, flow).filter(isBranch), options.combinations).map(({ goal, status }) => ({
    goal,
    status,
  }))
  const statuses = new Map(outcomes.map(({ goal, status }) => [`${goal.path} ${goal.outcome}`, status]))
  const statusOf = (outcome: 'shown' | 'hidden') => (page: string, widget?: string) => {
    const own = widget === undefined ? undefined : statuses.get(`${widgetPath(flow, page, widget)} ${outcome}`)
    return own ?? statuses.get(`${pagePath(flow, page)} ${outcome}`) ?? (outcome === 'shown' ? 'reachable' : 'unsatisfiable')
  }
  return {
    branches: outcomes.length,
    reachable: outcomes.filter(({ status }) => status === 'reachable').length,
    outcomes,
    emptyOffers: emptyOffersOf(model, options.combinations),
    shown: statusOf('shown'),
    hidden: statusOf('hidden'),
  }
}

function emptyOffersOf(model: FlowModel, combinations?: number): FlowBranches['emptyOffers'] {
  const sellers = model.steps.filter(({ widget }) => widget?.type === 'products')
  return sellers.map(({ index, page, widget }) => {
    const solution = solve(model, [{ kind: 'offersNothing', step: index }], combinations === undefined ? {} : { limit: combinations })
    const path = widgetPath(model.flow, model.flow.pages[page]!.code, widget!.id)
    if (solution.status !== 'solved') return { path, status: solution.status, tags: [] }
    return { path, status: 'reachable' as const, tags: listEntryTags(model, solution.assignment) }
  })
}
