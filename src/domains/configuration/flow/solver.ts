import type { EventConfig, Flow } from '../schema/event-config.ts'
import { type Goal, goalsOf, isBranch, pagePath, widgetPath } from './goals.ts'
import { type Model, modelOf } from './model.ts'
import { reachOf, type SolverOptions, tagsOf, type Unreachable } from './reach.ts'
import { solve } from './search.ts'

export { type Person, type Plan, planPeople, type PlanOptions } from './plan.ts'

export interface Branches {
  /** What the flow decides by rules and prices, and how much of it can happen. */
  branches: number
  reachable: number
  outcomes: readonly { goal: Goal; status: 'reachable' | Unreachable }[]
  /** Widgets that sell: whether somebody can see them with nothing on offer, and with which tags. */
  emptyOffers: readonly { path: string; status: 'reachable' | Unreachable; tags: readonly string[] }[]
  /** Whether anybody can see the page or widget; and whether anybody can be spared it. */
  shown: (page: string, widget?: string) => 'reachable' | Unreachable
  hidden: (page: string, widget?: string) => 'reachable' | Unreachable
}

/** What can happen in a flow, for its review. */
export function branchesOf(config: EventConfig, flow: Flow, options: SolverOptions): Branches {
  const model = modelOf(config, flow, options)
  const outcomes = reachOf(model, goalsOf(config, flow).filter(isBranch), options.combinations).map(({ goal, status }) => ({
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

function emptyOffersOf(model: Model, combinations?: number): Branches['emptyOffers'] {
  const sellers = model.steps.filter(({ widget }) => widget?.type === 'products')
  return sellers.map(({ index, page, widget }) => {
    const solution = solve(model, [{ kind: 'offersNothing', step: index }], combinations === undefined ? {} : { limit: combinations })
    const path = widgetPath(model.flow, model.flow.pages[page]!.code, widget!.id)
    if (solution.status !== 'solved') return { path, status: solution.status, tags: [] }
    return { path, status: 'reachable' as const, tags: tagsOf(model, solution.assignment) }
  })
}
