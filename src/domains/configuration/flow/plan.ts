import type { EventConfig, Flow } from '../schema/event-config.ts'
import { UNSET } from './classes.ts'
import { type Goal, goalChecker, goalsOf } from './goals.ts'
import { fitTogether, isPassable } from './legality.ts'
import { type Model, modelOf } from './model.ts'
import { outlookOf } from './outlook.ts'
import { fillPerson, type FilledPerson, type PersonSeed } from './people.ts'
import { answersOf, literalsOf, type Reach, reachOf, type SolverOptions, tagsOf, type Unreachable } from './reach.ts'
import { type Assignment, solve } from './search.ts'
import type { Slice } from './slices.ts'
import { walkFlow } from './walk.ts'

export interface PlanOptions extends SolverOptions {
  maxPeople?: number
  seed?: number
  locales?: readonly string[]
  known?: PersonSeed['known']
  /** Up to so many combinations of answers the best person is looked for among all of them. */
  allCombinations?: number
}

export interface Person {
  index: number
  locale: string | null
  /** What nobody before had reached. */
  goals: readonly Goal[]
  /** Held before the flow. */
  tags: readonly string[]
  answers: Readonly<Record<string, unknown>>
  /** Pages they see, in order; the last one is where a person who is held up stays. */
  pages: readonly string[]
  outcome: 'completed' | 'blocked'
  unfilled: readonly string[]
  total: string
}

export interface Plan {
  goals: readonly Goal[]
  people: readonly Person[]
  unreached: readonly { path: string; outcome: string; reason: Unreachable | 'notTried' }[]
}

const ALL_COMBINATIONS = 2048
const EXTENSION_TRIES = 200
// In one plan; after that people get what falls to them.
const EXTENSION_WORK = 5_000_000

/** As few test people as a greedy choice finds who together reach every goal that can be reached. The same flow, seed and date give the same people. */
export function planPeople(config: EventConfig, flow: Flow, options: PlanOptions): Plan {
  const planning = startPlan(config, flow, options)
  const { open, people, maxPeople, locales } = planning
  while (open.size > 0 && people.length < maxPeople) addUsefulPerson(planning)
  const atLeast = Math.min(maxPeople, Math.max(1, locales.length))
  while (people.length < atLeast) addPerson(planning, anybody(planning))
  return { goals: planning.reach.map(({ goal }) => goal), people, unreached: unreachedOf(planning) }
}

/** Somebody the flow is for, without further wishes. */
function anybody({ model }: Planning): Assignment {
  const solution = solve(model, [])
  return solution.status === 'solved' ? solution.assignment : new Map()
}

interface Planning {
  config: EventConfig
  flow: Flow
  options: PlanOptions
  model: Model
  reach: readonly Reach[]
  /** Goals that can be reached and are not yet, by their place in `reach`. */
  open: Set<number>
  reached: Set<number>
  /** Nobody could be made up for these. */
  failed: Set<number>
  people: Person[]
  pool: readonly Candidate[]
  maxPeople: number
  work: number
  locales: readonly string[]
  check: ReturnType<typeof goalChecker>
}

function startPlan(config: EventConfig, flow: Flow, options: PlanOptions): Planning {
  const { maxPeople = 60, locales = [], combinations, allCombinations = ALL_COMBINATIONS } = options
  const model = modelOf(config, flow, options)
  const reach = reachOf(model, goalsOf(config, flow, locales), combinations)
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
    check: goalChecker(flow),
  }
  return { ...planning, pool: poolOf(planning, allCombinations) }
}

function unreachedOf({ reach, reached, failed }: Planning): Plan['unreached'] {
  const reasonOf = (status: Reach['status'], index: number) =>
    status !== 'reachable' ? status : failed.has(index) ? ('undecided' as const) : ('notTried' as const)
  return reach.flatMap(({ goal: { path, outcome }, status }, index) =>
    reached.has(index) ? [] : [{ path, outcome, reason: reasonOf(status, index) }],
  )
}

function addPerson(planning: Planning, assignment: Assignment): void {
  const { reach, reached, open, people, locales, check, flow } = planning
  const locale = locales.length > 0 ? locales[people.length % locales.length]! : null
  const tags = tagsOf(planning.model, assignment)
  const filled = fill(planning, assignment, tags)
  const isReached = check(filled.walk, locale)
  const fresh = reach.flatMap(({ goal }, index) => (!reached.has(index) && isReached(goal) ? [index] : []))
  for (const index of fresh) {
    reached.add(index)
    open.delete(index)
  }
  people.push({ ...asPlanned(flow, filled), index: people.length, locale, tags, goals: fresh.map((index) => reach[index]!.goal) })
}

/** A goal that its own solution does not reach, because the rest of the person cannot be filled in, would be tried for ever. */
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

/** What is foreseen of somebody with all their answers: which pages they see, and whether they get through. */
export function asPlanned(
  flow: Flow,
  { walk, answers, unfilled, total }: FilledPerson,
): Pick<Person, 'answers' | 'pages' | 'outcome' | 'unfilled' | 'total'> {
  const [stop] = walk.missing
  const last = stop ? flow.pages.findIndex(({ code }) => code === stop.page) : flow.pages.length
  const pages = walk.pages.filter(({ visible }, index) => visible && index <= last).map(({ code }) => code)
  return { answers, pages, outcome: stop ? 'blocked' : 'completed', unfilled, total: stop ? '0.00' : total }
}

function fill({ config, flow, model, options, people }: Planning, assignment: Assignment, tags: readonly string[]): FilledPerson {
  const { seed = 1, known } = options
  const answers = answersOf(model, assignment)
  const avoid = new Set(
    [...assignment]
      .filter(([variable, value]) => isUnsetProduct(model, variable, value))
      .map(([variable]) => model.variables[variable]!.id),
  )
  const person = { seed, index: people.length, answers, avoid, tags, ...(known ? { known } : {}) }
  const { timezone, now, connections } = model
  return fillPerson(config, flow, person, { timezone, now, connections })
}

const isUnsetProduct = ({ variables }: Model, variable: number, value: number) =>
  variables[variable]!.product !== null && variables[variable]!.values[value] === UNSET

function bestAssignment(planning: Planning): Assignment {
  const [best] = planning.pool
    .map((candidate) => scored(planning, candidate))
    .filter(({ goals }) => goals.length > 0)
    .toSorted(byScore)
  return best?.candidate.assignment ?? extended(planning)
}

/** A way of answering, with what it reaches. */
interface Candidate {
  assignment: Assignment
  /** Answers and tags of the person that count. */
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

/** Most goals, fewest answers, then the earliest goals and values. */
const byScore = (a: Scored, b: Scored) =>
  b.goals.length - a.goals.length ||
  a.candidate.answers - b.candidate.answers ||
  compareLists(a.goals, b.goals) ||
  compareLists(a.candidate.order, b.candidate.order)

function compareLists(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, place) => value !== b[place])
  return index < 0 ? 0 : a[index]! - (b[index] ?? Infinity)
}

/** Everybody there can be, when that is not too many. */
function poolOf(planning: Omit<Planning, 'pool'>, limit: number): Candidate[] {
  const { model, reach } = planning
  const goalValues = reach.map(({ goal }) => literalsOf(model, goal)?.[0]).filter((literal) => literal?.kind === 'answered')
  const domains = model.variables.map(({ classes }, index) => [
    ...new Set([...classes, ...goalValues.filter(({ variable }) => variable === index).flatMap(({ values }) => values.slice(0, 1))]),
  ])
  if (domains.reduce((product, domain) => product * domain.length, 1) > limit) return []
  const everything: Slice = {
    steps: model.steps.map(({ index }) => index),
    variables: domains.map((_, index) => index),
    has: new Set(domains.keys()),
    tags: model.tags,
    offers: new Set(),
  }
  const complete = combinations(domains).filter((values) =>
    isPassable(
      outlookOf(
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

function candidateOf({ config, flow, model, reach, check }: Omit<Planning, 'pool'>, assignment: Assignment): Omit<Candidate, 'order'> {
  const tags = tagsOf(model, assignment)
  const { timezone, now, connections } = model
  const walk = walkFlow(config, flow, { answers: answersOf(model, assignment), tags, timezone, now, connections })
  const isReached = check(walk)
  const answered = model.variables.filter(({ id, tag }) => tag === null && walk.answer(id) !== undefined).length
  return {
    assignment,
    answers: answered + tags.length,
    goals: reach.flatMap(({ goal, status }, index) => (status === 'reachable' && isReached(goal) ? [index] : [])),
  }
}

/** The solution of the first open goal, with whatever further open goals the rest of the answers can reach. */
function extended(planning: Planning): Assignment {
  const { model, reach, open, options } = planning
  const [first, ...others] = open
  const { combinations } = options
  const start = solve(model, literalsFor(model, reach[first!]!), combinations === undefined ? {} : { limit: combinations })
  let assignment: Assignment = start.status === 'solved' ? start.assignment : new Map()
  for (const other of others) {
    if (planning.work > EXTENSION_WORK) break
    const solution = solve(model, literalsFor(model, reach[other]!), { fixed: assignment, limit: EXTENSION_TRIES })
    planning.work += solution.work
    if (solution.status !== 'solved') continue
    const both = new Map([...assignment, ...solution.assignment])
    if (fitTogether(model, boughtIn(model, both))) assignment = both
  }
  return assignment
}

const literalLists = new WeakMap<Reach, ReturnType<typeof literalsOf>>()

// The same list each time, so that its slice is found once.
function literalsFor(model: Model, reach: Reach) {
  let literals = literalLists.get(reach)
  if (!literals) literalLists.set(reach, (literals = literalsOf(model, reach.goal)))
  return literals ?? []
}

const boughtIn = ({ variables }: Model, assignment: Assignment) =>
  new Set(
    [...assignment]
      .filter(([variable, value]) => variables[variable]!.product !== null && variables[variable]!.values[value] !== UNSET)
      .map(([variable]) => variable),
  )
