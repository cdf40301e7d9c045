import { canCompleteFlow } from './completion.ts'
import type { FlowSolverModel } from './model.ts'
import { isConditionStillPossible, type RemainingAnswerValues, evaluatePossibleFlowOutcomes } from './partial-outcome.ts'
import { type TestRunGoalCondition, type FlowPartForTestRunGoal, selectFlowPartForGoal } from './slices.ts'

/** Maps the index of each variable (answer or tag) to the index of its value. */
export type VariableAssignment = ReadonlyMap<number, number>

/** Result of a search for answers that reach a goal of a test run. `work` counts the form pages and widgets evaluated meanwhile. */
export type TestRunGoalSearchResult = { work: number } & (
  | { status: 'solved'; assignment: VariableAssignment }
  | { status: 'unsatisfiable' | 'undecided' }
)

const MAX_COMBINATIONS = 20_000
// Maximum number of pages and widgets to evaluate: in a flow with many dependencies, a single attempt evaluates many.
const MAX_WORK = 4_000_000

export interface GoalSearchOptions {
  /** Answers and tags that the test participant must have; the search only chooses the others. */
  fixed?: VariableAssignment
  limit?: number
  /** Maximum number of pages and widgets to evaluate. */
  maxWork?: number
}

/**
 * Searches for answers and tags that make all conditions of a goal true; returns the first in page order and value order. Backtracking
 * search: a value is discarded as soon as no combination of the remaining values can succeed. Returns `undecided` when a limit is
 * reached.
 */
export function searchAnswersForGoal(
  model: FlowSolverModel,
  literals: readonly TestRunGoalCondition[],
  { fixed = new Map(), limit = MAX_COMBINATIONS, maxWork = MAX_WORK }: GoalSearchOptions = {},
): TestRunGoalSearchResult {
  const slice = knownSlice(model, literals)
  const domains = startDomains(model, slice, literals, fixed)
  const until = Math.max(0, ...literals.map((literal) => pageOf(model, literal)))
  let tries = 0
  const work = () => tries * slice.steps.length
  const isLimitReached = () => tries >= limit || work() >= maxWork

  const possible = () => {
    tries++
    const outlook = evaluatePossibleFlowOutcomes(model, slice, domains)
    return literals.every((literal) => isConditionStillPossible(outlook, literal)) && canCompleteFlow(outlook, until)
  }
  const decide = (depth: number): boolean => {
    const variable = slice.variables[depth]
    if (variable === undefined) return true
    const open = domains[variable]!
    if (open.length === 1) return decide(depth + 1)
    for (const value of open) {
      domains[variable] = [value]
      if (possible() && decide(depth + 1)) return true
      if (isLimitReached()) break
    }
    domains[variable] = open
    return false
  }

  if (slice.variables.some((variable) => domains[variable]!.length === 0) || !possible()) return { status: 'unsatisfiable', work: work() }
  if (!decide(0)) return { status: isLimitReached() ? 'undecided' : 'unsatisfiable', work: work() }
  return { status: 'solved', assignment: new Map(slice.variables.map((variable) => [variable, domains[variable]![0]!])), work: work() }
}

// The part of the flow that affects a goal. Cached, because the same goal is used for several test participants.
const slices = new WeakMap<readonly TestRunGoalCondition[], { model: FlowSolverModel; slice: FlowPartForTestRunGoal }>()

function knownSlice(model: FlowSolverModel, literals: readonly TestRunGoalCondition[]): FlowPartForTestRunGoal {
  const known = slices.get(literals)
  if (known?.model === model) return known.slice
  const slice = selectFlowPartForGoal(model, literals)
  slices.set(literals, { model, slice })
  return slice
}

function startDomains(
  model: FlowSolverModel,
  slice: FlowPartForTestRunGoal,
  literals: readonly TestRunGoalCondition[],
  fixed: VariableAssignment,
): (readonly number[])[] & RemainingAnswerValues {
  const domains: (readonly number[])[] = []
  for (const variable of slice.variables) {
    const value = fixed.get(variable)
    domains[variable] = value === undefined ? model.variables[variable]!.classes : [value]
  }
  for (const literal of literals) {
    if (literal.kind !== 'answered') continue
    const value = fixed.get(literal.variable)
    // The goal requires one of these answers, so all of them are tried, not only one of those with the same effect on conditions.
    domains[literal.variable] = literal.values.filter((one) => value === undefined || one === value)
  }
  return domains
}

/** Returns the index of the page that a participant has to reach to fulfil one condition of a goal. */
function pageOf(model: FlowSolverModel, literal: TestRunGoalCondition): number {
  if ('step' in literal) return model.steps[literal.step]!.page
  // The participant has bought a product only when they complete the flow, so they have to pass all pages.
  if (literal.kind === 'bought') return model.flow.pages.length
  const at = model.variables[literal.variable]!.askedAt.map((step) => model.steps[step]!.page)
  return at.length > 0 ? Math.min(...at) : 0
}
