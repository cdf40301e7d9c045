import { isAnswerAcceptedByWidget } from './answer-classes.ts'
import { toProductBinding } from './collected-answers.ts'
import { type TestRunGoal, buildGoalChecker } from './goals.ts'
import type { FlowSolverModel, FlowSolverModelOptions } from './model.ts'
import { fillInTestParticipant } from './test-participants.ts'
import { isPriceInForce } from './prices.ts'
import { type VariableAssignment, searchGoalAnswers } from './search.ts'
import type { GoalCondition } from './slices.ts'
import type { FlowEvaluation } from './walk.ts'

/**
 * The reason why no participant can reach a goal. `notInForce` means that the price row belongs to another period, `undecided` that the
 * search limit was reached.
 */
export type UnreachableReason = 'unsatisfiable' | 'undecided' | 'notInForce'

export interface GoalStatus {
  goal: TestRunGoal
  status: 'reachable' | UnreachableReason
}

export interface SolverOptions extends FlowSolverModelOptions {
  /** Maximum number of combinations of answers to try per goal. */
  combinations?: number
}

// If the search for one goal of the flow took more steps than this, the answers found are also checked against the other goals, which is
// cheaper than searching for each.
const EXPENSIVE_WORK = 20_000

/**
 * Determines for each goal of a test run (such as "this page is shown" or "this product is bought") whether any answers of a participant
 * lead to it.
 */
export function findGoalStatuses(model: FlowSolverModel, goals: readonly TestRunGoal[], combinations?: number): GoalStatus[] {
  const statuses = new Map<TestRunGoal, GoalStatus['status']>()
  // Starts with the last goal, because a participant who reaches the last pages also passes the earlier ones.
  for (const goal of goals.toReversed()) {
    if (statuses.has(goal)) continue
    const literals = listGoalConditions(model, goal)
    const solution = literals && searchGoalAnswers(model, literals, combinations === undefined ? {} : { limit: combinations })
    statuses.set(goal, !solution ? 'notInForce' : solution.status === 'solved' ? 'reachable' : solution.status)
    if (solution?.status !== 'solved' || solution.work < EXPENSIVE_WORK) continue
    const isReached = buildWitness(model, solution.assignment)
    if (isReached) for (const other of goals) if (!statuses.has(other) && isReached(other)) statuses.set(other, 'reachable')
  }
  return goals.map((goal) => ({ goal, status: statuses.get(goal)! }))
}

/**
 * Builds a function that checks whether a complete participant with these answers reaches a goal. Returns null if the remaining questions
 * have no valid answer.
 */
function buildWitness(model: FlowSolverModel, assignment: VariableAssignment): ((goal: TestRunGoal) => boolean) | null {
  const { config, flow, timezone, now, connections } = model
  const person = { seed: 1, index: 0, answers: toAssignedAnswers(model, assignment), tags: listTagsRequiredBeforeFlow(model, assignment) }
  const { walk } = fillInTestParticipant(config, flow, person, { timezone, now, connections })
  return walk.missing.length === 0 && walk.open && isAccepted(model, walk) ? buildGoalChecker(flow)(walk) : null
}

/** Whether every visible widget that asks the same question accepts the answer. */
const isAccepted = ({ steps, config }: FlowSolverModel, walk: FlowEvaluation) =>
  steps.every(({ page, pageStep, index, widget }) => {
    if (widget?.type !== 'field') return true
    const shown = walk.pages[page]!.widgets[index - pageStep - 1]!
    return !shown.visible || isAnswerAcceptedByWidget(config, widget, widget.binding, walk.answer(widget.binding))
  })

/** Lists the conditions of a goal; null if the goal is impossible at the current date. A goal for a language has no conditions. */
export function listGoalConditions(model: FlowSolverModel, goal: TestRunGoal): readonly GoalCondition[] | null {
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
  const variable = model.byId.get(toProductBinding(goal.product))!
  if (goal.kind === 'product') return [{ kind: 'bought', variable, row: null }]
  const price = model.variables[variable]!.product!.prices[goal.row]!
  return isPriceInForce(price, model.now, model.timezone) ? [{ kind: 'bought', variable, row: goal.row }] : null
}

const stepOf = ({ steps, flow }: FlowSolverModel, page: string, widget: string | null) =>
  steps.findIndex((step) => flow.pages[step.page]!.code === page && (step.widget?.id ?? null) === widget)

/** Lists the tags that the participant must have before the flow. */
export const listTagsRequiredBeforeFlow = ({ variables }: FlowSolverModel, assignment: VariableAssignment): string[] =>
  [...assignment].flatMap(([variable, value]) => (variables[variable]!.tag !== null && value === 1 ? [variables[variable]!.tag] : []))

export function toAssignedAnswers({ variables }: FlowSolverModel, assignment: VariableAssignment): Record<string, unknown> {
  const entries = [...assignment].map(([variable, value]) => [variables[variable]!, value] as const)
  return Object.fromEntries(entries.filter(([{ tag }]) => tag === null).map(([{ id, values }, value]) => [id, values[value]]))
}
