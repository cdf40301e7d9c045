import type { EventConfig, Flow } from '../schema/event-config.ts'
import { NO_ANSWER } from './answer-classes.ts'
import { type TestRunGoal, createTestRunGoalCheck, listTestRunGoals } from './goals.ts'
import { canBuyAllProducts, canCompleteFlow } from './completion.ts'
import { type FlowSolverModel, buildFlowSolverModel } from './model.ts'
import { evaluatePossibleFlowOutcomes } from './partial-outcome.ts'
import { fillInTestParticipant, type FilledInTestParticipant, type TestParticipantSeed } from './test-participants.ts'
import {
  convertSolverResultToAnswers,
  listGoalConditions,
  type TestRunGoalStatus,
  findTestRunGoalStatuses,
  type SolverOptions,
  listTagsRequiredBeforeFlow,
  type UnreachableReason,
} from './reachable-goals.ts'
import { type VariableAssignment, searchAnswersForGoal } from './search.ts'
import type { FlowPartForTestRunGoal } from './slices.ts'
import { evaluateFlow } from './walk.ts'

export interface TestPlanOptions extends SolverOptions {
  maxPeople?: number
  seed?: number
  locales?: readonly string[]
  known?: TestParticipantSeed['known']
  /** Maximum number of combinations of answers that the planner enumerates to find the best next test participant. */
  allCombinations?: number
}

export interface PlannedTestParticipant {
  index: number
  locale: string | null
  /** The test run goals (such as "this page is shown") that this test participant reaches and no earlier one does. */
  goals: readonly TestRunGoal[]
  /** Tags that the participant has before entering the flow. */
  tags: readonly string[]
  answers: Readonly<Record<string, unknown>>
  /**
   * Codes of the visible pages in order. If a directory lookup blocks the participant, the last code is that of the page where this
   * happens.
   */
  pages: readonly string[]
  outcome: 'completed' | 'blocked'
  unfilled: readonly string[]
  total: string
}

export interface TestRunPlan {
  goals: readonly TestRunGoal[]
  people: readonly PlannedTestParticipant[]
  unreached: readonly { path: string; outcome: string; reason: UnreachableReason | 'notTried' }[]
}

const ALL_COMBINATIONS = 2048
const EXTENSION_TRIES = 200
// Maximum work for one test run plan. Beyond it, the planner no longer searches for participants who reach several goals.
const EXTENSION_WORK = 5_000_000

/**
 * Greedily plans few test participants who together reach every reachable goal. The same flow, seed and date give the same participants.
 */
export function planTestRunParticipants(config: EventConfig, flow: Flow, options: TestPlanOptions): TestRunPlan {
  const planning = startPlan(config, flow, options)
  const { open, people, maxPeople, locales } = planning
  while (open.size > 0 && people.length < maxPeople) addUsefulPerson(planning)
  const atLeast = Math.min(maxPeople, Math.max(1, locales.length))
  while (people.length < atLeast) addPerson(planning, solveEntry(planning))
  return { goals: planning.reach.map(({ goal }) => goal), people, unreached: unreachedOf(planning) }
}

/** Finds answers of a test participant who may enter the flow, but need not reach a certain page, question or product of it. */
function solveEntry({ model }: Planning): VariableAssignment {
  const solution = searchAnswersForGoal(model, [])
  return solution.status === 'solved' ? solution.assignment : new Map()
}

interface Planning {
  config: EventConfig
  flow: Flow
  options: TestPlanOptions
  model: FlowSolverModel
  reach: readonly TestRunGoalStatus[]
  /** Reachable test run goals that no planned test participant reaches yet, as indexes into `Planning.reach`. */
  open: Set<number>
  reached: Set<number>
  /** Test run goals for which the planner found no test participant with complete answers, as indexes into `Planning.reach`. */
  failed: Set<number>
  people: PlannedTestParticipant[]
  pool: readonly Candidate[]
  maxPeople: number
  work: number
  locales: readonly string[]
  check: ReturnType<typeof createTestRunGoalCheck>
}

function startPlan(config: EventConfig, flow: Flow, options: TestPlanOptions): Planning {
  const { maxPeople = 60, locales = [], combinations, allCombinations = ALL_COMBINATIONS } = options
  const model = buildFlowSolverModel(config, flow, options)
  const reach = findTestRunGoalStatuses(model, listTestRunGoals(config, flow, locales), combinations)
  const open = new Set(reach.flatMap(({ goal, status }, index) => (status === 'reachable' && goal.kind !== 'locale' ? [index] : [])))
  const planning = {
    config,
    flow,
    options,
    model,
    reach,
    open,
    reached: new Set<number>(),
    failed: new Set<number>(),
    people: [],
    maxPeople,
    work: 0,
    locales,
    check: createTestRunGoalCheck(flow),
  }
  return { ...planning, pool: poolOf(planning, allCombinations) }
}

function unreachedOf({ reach, reached, failed }: Planning): TestRunPlan['unreached'] {
  const reasonOf = (status: TestRunGoalStatus['status'], index: number) =>
    status !== 'reachable' ? status : failed.has(index) ? ('undecided' as const) : ('notTried' as const)
  return reach.flatMap(({ goal: { path, outcome }, status }, index) =>
    reached.has(index) ? [] : [{ path, outcome, reason: reasonOf(status, index) }],
  )
}

function addPerson(planning: Planning, assignment: VariableAssignment): void {
  const { reach, reached, open, people, locales, check, flow } = planning
  const locale = locales.length > 0 ? locales[people.length % locales.length]! : null
  const tags = listTagsRequiredBeforeFlow(planning.model, assignment)
  const filled = fillAssignment(planning, assignment, tags)
  const isReached = check(filled.walk, locale)
  const fresh = reach.flatMap(({ goal }, index) => (!reached.has(index) && isReached(goal) ? [index] : []))
  for (const index of fresh) {
    reached.add(index)
    open.delete(index)
  }
  people.push({
    ...toPlannedTestParticipant(flow, filled),
    index: people.length,
    locale,
    tags,
    goals: fresh.map((index) => reach[index]!.goal),
  })
}

/**
 * Adds the next test participant. If no complete participant can be built for the first remaining goal, the goal is marked as failed,
 * because the loop would not end otherwise.
 */
function addUsefulPerson(planning: Planning): void {
  const { open, people, failed } = planning
  const [first] = open
  const before = open.size
  addPerson(planning, bestAssignment(planning))
  if (open.size < before) return
  people.pop()
  open.delete(first!)
  failed.add(first!)
}

/** Describes the pages and the outcome that a test participant with complete answers is expected to see. */
export function toPlannedTestParticipant(
  flow: Flow,
  { walk, answers, unfilled, total }: FilledInTestParticipant,
): Pick<PlannedTestParticipant, 'answers' | 'pages' | 'outcome' | 'unfilled' | 'total'> {
  const [stop] = walk.missing
  const last = stop ? flow.pages.findIndex(({ code }) => code === stop.page) : flow.pages.length
  const pages = walk.pages.filter(({ visible }, index) => visible && index <= last).map(({ code }) => code)
  return { answers, pages, outcome: stop ? 'blocked' : 'completed', unfilled, total: stop ? '0.00' : total }
}

function fillAssignment(
  { config, flow, model, options, people }: Planning,
  assignment: VariableAssignment,
  tags: readonly string[],
): FilledInTestParticipant {
  const { seed = 1, known } = options
  const answers = convertSolverResultToAnswers(model, assignment)
  const avoid = new Set(
    [...assignment]
      .filter(([variable, value]) => isUnsetProduct(model, variable, value))
      .map(([variable]) => model.variables[variable]!.id),
  )
  const person = { seed, index: people.length, answers, avoid, tags, ...(known ? { known } : {}) }
  const { timezone, now, connections } = model
  return fillInTestParticipant(config, flow, person, { timezone, now, connections })
}

const isUnsetProduct = ({ variables }: FlowSolverModel, variable: number, value: number) =>
  variables[variable]!.product !== null && variables[variable]!.values[value] === NO_ANSWER

function bestAssignment(planning: Planning): VariableAssignment {
  const [best] = planning.pool
    .map((candidate) => scored(planning, candidate))
    .filter(({ goals }) => goals.length > 0)
    .toSorted(byScore)
  return best?.candidate.assignment ?? solveExtended(planning)
}

/** A combination of answers and tags of a test participant, with the test run goals that it reaches. */
interface Candidate {
  assignment: VariableAssignment
  /** The number of answers and tags in the combination. Combinations with fewer are preferred. */
  answers: number
  goals: readonly number[]
  order: readonly number[]
}

interface Scored {
  candidate: Candidate
  goals: readonly number[]
}

const scored = ({ open }: Planning, candidate: Candidate): Scored => ({
  candidate,
  goals: candidate.goals.filter((goal) => open.has(goal)),
})

/** Sorts combinations of answers: most test run goals first, then fewest answers, then the earliest goals and values. */
const byScore = (a: Scored, b: Scored) =>
  b.goals.length - a.goals.length ||
  a.candidate.answers - b.candidate.answers ||
  compareLists(a.goals, b.goals) ||
  compareLists(a.candidate.order, b.candidate.order)

function compareLists(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, position) => value !== b[position])
  return index < 0 ? 0 : a[index]! - (b[index] ?? Infinity)
}

/** Lists every possible combination of answers and tags, or none if there are more than `limit`. */
function poolOf(planning: Omit<Planning, 'pool'>, limit: number): Candidate[] {
  const { model, reach } = planning
  const goalValues = reach.map(({ goal }) => listGoalConditions(model, goal)?.[0]).filter((literal) => literal?.kind === 'answered')
  const domains = model.variables.map(({ classes }, index) => [
    ...new Set([...classes, ...goalValues.filter(({ variable }) => variable === index).flatMap(({ values }) => values.slice(0, 1))]),
  ])
  if (domains.reduce((product, domain) => product * domain.length, 1) > limit) return []
  const everything: FlowPartForTestRunGoal = {
    steps: model.steps.map(({ index }) => index),
    variables: domains.map((_, index) => index),
    has: new Set(domains.keys()),
    tags: model.tags,
    offers: new Set(),
  }
  const complete = combinations(domains).filter((values) =>
    canCompleteFlow(
      evaluatePossibleFlowOutcomes(
        model,
        everything,
        values.map((value) => [value]),
      ),
      0,
    ),
  )
  return complete.map((values) => ({
    ...candidateOf(planning, new Map(values.map((value, variable) => [variable, value]))),
    order: values.map((value, variable) => domains[variable]!.indexOf(value)),
  }))
}

const combinations = (domains: readonly (readonly number[])[]): number[][] =>
  domains.reduce<number[][]>((all, domain) => all.flatMap((values) => domain.map((value) => [...values, value])), [[]])

function candidateOf(
  { config, flow, model, reach, check }: Omit<Planning, 'pool'>,
  assignment: VariableAssignment,
): Omit<Candidate, 'order'> {
  const tags = listTagsRequiredBeforeFlow(model, assignment)
  const { timezone, now, connections } = model
  const walk = evaluateFlow(config, flow, { answers: convertSolverResultToAnswers(model, assignment), tags, timezone, now, connections })
  const isReached = check(walk)
  const answered = model.variables.filter(({ id, tag }) => tag === null && walk.answer(id) !== undefined).length
  return {
    assignment,
    answers: answered + tags.length,
    goals: reach.flatMap(({ goal, status }, index) => (status === 'reachable' && isReached(goal) ? [index] : [])),
  }
}

/** Finds answers that reach the first open test run goal, then adds answers for as many other open goals as possible. */
function solveExtended(planning: Planning): VariableAssignment {
  const { model, reach, open, options } = planning
  const [first, ...others] = open
  const { combinations } = options
  const start = searchAnswersForGoal(model, literalsFor(model, reach[first!]!), combinations === undefined ? {} : { limit: combinations })
  let assignment: VariableAssignment = start.status === 'solved' ? start.assignment : new Map()
  for (const other of others) {
    if (planning.work > EXTENSION_WORK) break
    const solution = searchAnswersForGoal(model, literalsFor(model, reach[other]!), { fixed: assignment, limit: EXTENSION_TRIES })
    planning.work += solution.work
    if (solution.status !== 'solved') continue
    const both = new Map([...assignment, ...solution.assignment])
    if (canBuyAllProducts(model, boughtIn(model, both))) assignment = both
  }
  return assignment
}

const literalLists = new WeakMap<TestRunGoalStatus, ReturnType<typeof listGoalConditions>>()

// Returns the conditions of a test run goal, always as the same array object, which is a key of the cache in search.ts.
function literalsFor(model: FlowSolverModel, reach: TestRunGoalStatus) {
  let literals = literalLists.get(reach)
  if (!literals) literalLists.set(reach, (literals = listGoalConditions(model, reach.goal)))
  return literals ?? []
}

const boughtIn = ({ variables }: FlowSolverModel, assignment: VariableAssignment) =>
  new Set(
    [...assignment]
      .filter(([variable, value]) => variables[variable]!.product !== null && variables[variable]!.values[value] !== NO_ANSWER)
      .map(([variable]) => variable),
  )
