import { isPassable } from './legality.ts'
import type { Model } from './model.ts'
import { allows, type Domains, outlookOf } from './outlook.ts'
import { type Literal, type Slice, sliceFor } from './slices.ts'

/** Place of each variable's value. */
export type Assignment = ReadonlyMap<number, number>

/** `work` counts the pages and widgets that were looked at. */
export type Solution = { work: number } & ({ status: 'solved'; assignment: Assignment } | { status: 'unsatisfiable' | 'undecided' })

const MAX_COMBINATIONS = 20_000
// Where everything hangs together a single try is long.
const MAX_WORK = 4_000_000

export interface SearchOptions {
  /** Variables that are decided already. */
  fixed?: Assignment
  limit?: number
  /** Pages and widgets to look at, at most. */
  maxWork?: number
}

/**
 * Answers and tags that make all literals true, the first in page order and order of values. Variables are decided in turn, and a value is
 * given up as soon as nothing that follows could help. After too many tries the answer is that it is not known.
 */
export function solve(
  model: Model,
  literals: readonly Literal[],
  { fixed = new Map(), limit = MAX_COMBINATIONS, maxWork = MAX_WORK }: SearchOptions = {},
): Solution {
  const slice = knownSlice(model, literals)
  const domains = startDomains(model, slice, literals, fixed)
  const until = Math.max(0, ...literals.map((literal) => pageOf(model, literal)))
  let tries = 0
  const work = () => tries * slice.steps.length
  const tired = () => tries >= limit || work() >= maxWork

  const possible = () => {
    tries++
    const outlook = outlookOf(model, slice, domains)
    return literals.every((literal) => allows(outlook, literal)) && isPassable(outlook, until)
  }
  const decide = (place: number): boolean => {
    const variable = slice.variables[place]
    if (variable === undefined) return true
    const open = domains[variable]!
    if (open.length === 1) return decide(place + 1)
    for (const value of open) {
      domains[variable] = [value]
      if (possible() && decide(place + 1)) return true
      if (tired()) break
    }
    domains[variable] = open
    return false
  }

  if (slice.variables.some((variable) => domains[variable]!.length === 0) || !possible()) return { status: 'unsatisfiable', work: work() }
  if (!decide(0)) return { status: tired() ? 'undecided' : 'unsatisfiable', work: work() }
  return { status: 'solved', assignment: new Map(slice.variables.map((variable) => [variable, domains[variable]![0]!])), work: work() }
}

// The same goal is tried for one person after the other.
const slices = new WeakMap<readonly Literal[], { model: Model; slice: Slice }>()

function knownSlice(model: Model, literals: readonly Literal[]): Slice {
  const known = slices.get(literals)
  if (known?.model === model) return known.slice
  const slice = sliceFor(model, literals)
  slices.set(literals, { model, slice })
  return slice
}

function startDomains(model: Model, slice: Slice, literals: readonly Literal[], fixed: Assignment): (readonly number[])[] & Domains {
  const domains: (readonly number[])[] = []
  for (const variable of slice.variables) {
    const value = fixed.get(variable)
    domains[variable] = value === undefined ? model.variables[variable]!.classes : [value]
  }
  for (const literal of literals) {
    if (literal.kind !== 'answered') continue
    const value = fixed.get(literal.variable)
    // A goal may ask for a value that conditions do not tell from another, and that is no class of its own.
    domains[literal.variable] = literal.values.filter((one) => value === undefined || one === value)
  }
  return domains
}

/** The page a person has to get to. */
function pageOf(model: Model, literal: Literal): number {
  if ('step' in literal) return model.steps[literal.step]!.page
  // What is bought is bought at the end.
  if (literal.kind === 'bought') return model.flow.pages.length
  const at = model.variables[literal.variable]!.askedAt.map((step) => model.steps[step]!.page)
  return at.length > 0 ? Math.min(...at) : 0
}
