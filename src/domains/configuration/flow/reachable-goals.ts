import { isAnswerAcceptedByWidget } from './answer-classes.ts'
import { toProductAnswerKey } from './collected-answers.ts'
import { type TestRunGoal, createTestRunGoalCheck } from './goals.ts'
import type { FlowSolverModel, FlowSolverModelOptions } from './model.ts'
import { fillInTestParticipant } from './test-participants.ts'
import { isPriceInForce } from './prices.ts'
import { type VariableAssignment, searchAnswersForGoal } from './search.ts'
import type { TestRunGoalCondition } from './slices.ts'
import type { FlowEvaluation } from './walk.ts'

/**
 * The reason why no participant can reach a goal. `notInForce` means that the price row belongs to another period, `undecided` that the
 * search limit was reached.
 */
export type UnreachableReason = 'unsatisfiable' | 'undecided' | 'notInForce'

export interface TestRunGoalStatus {
  goal: TestRunGoal
  status: 'reachable' | UnreachableReason
}

export interface SolverOptions extends FlowSolverModelOptions {
  /** Maximum number of combinations of answers to try per goal (such as "this product is bought"). */
  combinations?: number
}

/**
 * Minimum number of search steps for one goal after which the answers found are also checked against all other goals. That check costs
 * less than a separate search for each of them.
 */
const EXPENSIVE_WORK = 20_000

/**
 * Determines for each goal of a test run (such as "this page is shown" or "this product is bought") whether any answers of a participant
 * lead to it.
 */
export function findTestRunGoalStatuses(model: FlowSolverModel, goals: readonly TestRunGoal[], combinations?: number): TestRunGoalStatus[] {
  const statuses = new Map<TestRunGoal, TestRunGoalStatus['status']>()
  // Starts with the goals on the last pages, because a participant who reaches those pages also passes the earlier ones.
  for (const goal of goals.toReversed()) {
    if (statuses.has(goal)) continue
    const literals = listGoalConditions(model, goal)
    const solution = literals && searchAnswersForGoal(model, literals, combinations === undefined ? {} : { limit: combinations })
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
  const person = {
    seed: 1,
    index: 0,
    answers: convertSolverResultToAnswers(model, assignment),
    tags: listTagsRequiredBeforeFlow(model, assignment),
  }
  const { walk } = fillInTestParticipant(config, flow, person, { timezone, now, connections })
  return walk.missing.length === 0 && walk.open && isAccepted(model, walk) ? createTestRunGoalCheck(flow)(walk) : null
}

/** Whether every visible widget that asks the same question accepts the answer. */
const isAccepted = ({ steps, config }: FlowSolverModel, walk: FlowEvaluation) =>
  steps.every(({ page, pageStep, index, widget }) => {
    if (widget?.type !== 'field') return true
    const shown = walk.pages[page]!.widgets[index - pageStep - 1]!
    return !shown.visible || isAnswerAcceptedByWidget(config, widget, widget.binding, walk.answer(widget.binding))
  })

/** Lists the conditions for reaching a goal such as "this product is bought"; null if the goal is impossible at the current date. */
export function listGoalConditions(model: FlowSolverModel, goal: TestRunGoal): readonly TestRunGoalCondition[] | null {
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
  const variable = model.byId.get(toProductAnswerKey(goal.product))!
  if (goal.kind === 'product') return [{ kind: 'bought', variable, row: null }]
  const price = model.variables[variable]!.product!.prices[goal.row]!
  return isPriceInForce(price, model.now, model.timezone) ? [{ kind: 'bought', variable, row: goal.row }] : null
}

const stepOf = ({ steps, flow }: FlowSolverModel, page: string, widget: string | null) =>
  steps.findIndex((step) => flow.pages[step.page]!.code === page && (step.widget?.id ?? null) === widget)

/** Lists the tags that a participant with these answers must already have before entering the flow. */
export const listTagsRequiredBeforeFlow = ({ variables }: FlowSolverModel, assignment: VariableAssignment): string[] =>
  [...assignment].flatMap(([variable, value]) => (variables[variable]!.tag !== null && value === 1 ? [variables[variable]!.tag] : []))

export function convertSolverResultToAnswers({ variables }: FlowSolverModel, assignment: VariableAssignment): Record<string, unknown> {
  const entries = [...assignment].map(([variable, value]) => [variables[variable]!, value] as const)
  return Object.fromEntries(entries.filter(([{ tag }]) => tag === null).map(([{ id, values }, value]) => [id, values[value]]))
}
