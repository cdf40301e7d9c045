import { isLegalAt } from './classes.ts'
import { productBinding } from './collects.ts'
import { type Goal, goalChecker } from './goals.ts'
import type { Model, ModelOptions } from './model.ts'
import { fillPerson } from './people.ts'
import { isInForce } from './prices.ts'
import { type Assignment, solve } from './search.ts'
import type { Literal } from './slices.ts'
import type { Walk } from './walk.ts'

/** `notInForce`: a price row of another time. `undecided`: more combinations than are tried. */
export type Unreachable = 'unsatisfiable' | 'undecided' | 'notInForce'

export interface Reach {
  goal: Goal
  status: 'reachable' | Unreachable
}

export interface SolverOptions extends ModelOptions {
  /** Tries per goal. */
  combinations?: number
}

// From here on it is cheaper to see what else a person reaches than to look at each goal by itself.
const COSTLY = 20_000

/** Which of the goals somebody can reach at all, each looked at by itself. */
export function reachOf(model: Model, goals: readonly Goal[], combinations?: number): Reach[] {
  const statuses = new Map<Goal, Reach['status']>()
  // Backwards: who gets to the last pages passes the others.
  for (const goal of goals.toReversed()) {
    if (statuses.has(goal)) continue
    const literals = literalsOf(model, goal)
    const solution = literals && solve(model, literals, combinations === undefined ? {} : { limit: combinations })
    statuses.set(goal, !solution ? 'notInForce' : solution.status === 'solved' ? 'reachable' : solution.status)
    if (solution?.status !== 'solved' || solution.work < COSTLY) continue
    const isReached = witnessOf(model, solution.assignment)
    if (isReached) for (const other of goals) if (!statuses.has(other) && isReached(other)) statuses.set(other, 'reachable')
  }
  return goals.map((goal) => ({ goal, status: statuses.get(goal)! }))
}

/** What a whole person with these answers reaches; null when the rest cannot be filled in legally. */
function witnessOf(model: Model, assignment: Assignment): ((goal: Goal) => boolean) | null {
  const { config, flow, timezone, now, connections } = model
  const person = { seed: 1, index: 0, answers: answersOf(model, assignment), tags: tagsOf(model, assignment) }
  const { walk } = fillPerson(config, flow, person, { timezone, now, connections })
  return walk.missing.length === 0 && walk.open && isAccepted(model, walk) ? goalChecker(flow)(walk) : null
}

/** Whether every question that is shown accepts the answer, where one is asked twice. */
const isAccepted = ({ steps, config }: Model, walk: Walk) =>
  steps.every(({ page, pageStep, index, widget }) => {
    if (widget?.type !== 'field') return true
    const shown = walk.pages[page]!.widgets[index - pageStep - 1]!
    return !shown.visible || isLegalAt(config, widget, widget.binding, walk.answer(widget.binding))
  })

/** What a goal asks of the answers; null where today's date rules it out. A language asks nothing. */
export function literalsOf(model: Model, goal: Goal): readonly Literal[] | null {
  if (goal.kind === 'visibility') return [{ kind: 'visible', step: stepOf(model, goal.page, goal.widget), shown: goal.outcome === 'shown' }]
  if (goal.kind === 'locale') return []
  if (goal.kind === 'lookup' || goal.kind === 'choice') {
    const variable = model.byId.get(goal.binding)!
    const wanted = goal.kind === 'lookup' ? goal.outcome : goal.choice
    const values = model.variables[variable]!.values.flatMap((value, index) =>
      value === wanted || (Array.isArray(value) && value.includes(wanted)) ? [index] : [],
    )
    return [{ kind: 'answered', variable, values }]
  }
  const variable = model.byId.get(productBinding(goal.product))!
  if (goal.kind === 'product') return [{ kind: 'bought', variable, row: null }]
  const price = model.variables[variable]!.product!.prices[goal.row]!
  return isInForce(price, model.now, model.timezone) ? [{ kind: 'bought', variable, row: goal.row }] : null
}

const stepOf = ({ steps, flow }: Model, page: string, widget: string | null) =>
  steps.findIndex((step) => flow.pages[step.page]!.code === page && (step.widget?.id ?? null) === widget)

/** Tags that the person has to come with. */
export const tagsOf = ({ variables }: Model, assignment: Assignment): string[] =>
  [...assignment].flatMap(([variable, value]) => (variables[variable]!.tag !== null && value === 1 ? [variables[variable]!.tag] : []))

export function answersOf({ variables }: Model, assignment: Assignment): Record<string, unknown> {
  const entries = [...assignment].map(([variable, value]) => [variables[variable]!, value] as const)
  return Object.fromEntries(entries.filter(([{ tag }]) => tag === null).map(([{ id, values }, value]) => [id, values[value]]))
}
