import { canCompleteFlow } from './completion.ts'
import type { FlowSolverModel } from './model.ts'
import { isConditionStillPossible, type RemainingAnswerValues, evaluatePartialFlowOutcome } from './partial-outcome.ts'
import { type GoalCondition, type GoalRelevantFlowPart, selectGoalRelevantFlowPart } from './slices.ts'

/** Maps the index of each variable (answer or tag) to the index of its value. */
export type VariableAssignment = ReadonlyMap<number, number>

/** Result of a search. `work` counts the pages and widgets evaluated. */
export type GoalSearchResult = { work: number } & (
  | { status: 'solved'; assignment: VariableAssignment }
  | { status: 'unsatisfiable' | 'undecided' }
)

const MAX_COMBINATIONS = 20_000
// Work limit in addition to the number of attempts, because a single attempt is expensive in a flow with many dependencies.
const MAX_WORK = 4_000_000

export interface GoalSearchOptions {
  /** Values of variables (answers and tags) that are decided before the search. */
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
export function searchGoalAnswers(
  model: FlowSolverModel,
  literals: readonly GoalCondition[],
  { fixed = new Map(), limit = MAX_COMBINATIONS, maxWork = MAX_WORK }: GoalSearchOptions = {},
): GoalSearchResult {
  const slice = knownSlice(model, literals)
  const domains = startDomains(model, slice, literals, fixed)
  const until = Math.max(0, ...literals.map((literal) => pageOf(model, literal)))
  let tries = 0
  const work = () => tries * slice.steps.length
  const isLimitReached = () => tries >= limit || work() >= maxWork

  const possible = () => {
    tries++
    const outlook = evaluatePartialFlowOutcome(model, slice, domains)
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

// Slices (the parts of a flow that affect a goal), cached because the same goal is searched for several participants.
const slices = new WeakMap<readonly GoalCondition[], { model: FlowSolverModel; slice: GoalRelevantFlowPart }>()

function knownSlice(model: FlowSolverModel, literals: readonly GoalCondition[]): GoalRelevantFlowPart {
  const known = slices.get(literals)
  if (known?.model === model) return known.slice
  const slice = selectGoalRelevantFlowPart(model, literals)
  slices.set(literals, { model, slice })
  return slice
}

function startDomains(
  model: FlowSolverModel,
  slice: GoalRelevantFlowPart,
  literals: readonly GoalCondition[],
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
    // Usually the search tries one answer for each class of answers with the same effect on conditions. This condition of the goal requires
    // certain answers, so all of them are tried.
    domains[literal.variable] = literal.values.filter((one) => value === undefined || one === value)
  }
  return domains
}

/** Returns the index of the page that a participant has to reach to fulfil one condition of a goal. */
function pageOf(model: FlowSolverModel, literal: GoalCondition): number {
  if ('step' in literal) return model.steps[literal.step]!.page
  // Purchases count only when the participant completes the flow.
  if (literal.kind === 'bought') return model.flow.pages.length
  const at = model.variables[literal.variable]!.askedAt.map((step) => model.steps[step]!.page)
  return at.length > 0 ? Math.min(...at) : 0
}
