import type { InParts } from '../../../kernel/turns.ts'
import type { Operation } from '../operations.ts'
import { parsePointer, pointerOf } from '../pointers.ts'
import type { Flow } from '../schema/event-config.ts'
import { reviewConditions } from './conditions.ts'
import { reviewContent } from './content.ts'
import { reviewDirectories } from './directories.ts'
import { reviewLanguages } from './languages.ts'
import { reviewPolicies } from './legal.ts'
import { reviewMail } from './mail.ts'
import { reviewParts } from './parts.ts'
import { reviewPrices } from './prices.ts'
import { reviewProducts } from './products.ts'
import { reviewQuestions } from './questions.ts'
import { reviewReachability } from './reachability.ts'
import { type Finding, lookAt, type Scene } from './scene.ts'
import { someoneIn } from './someone.ts'
import { type FlowStats, statsOf } from './stats.ts'
import { reviewTags } from './tags.ts'

export interface ReviewedFlow {
  slug: string
  findings: Finding[]
  stats: FlowStats
}

/** All that a reader of the flows that can be taken, or of the one that is named, could say without trying them out. */
export function* reviewInParts(scene: Scene, slug?: string): InParts<ReviewedFlow[]> {
  const flows =
    slug === undefined ? scene.config.flows.filter(({ retired }) => !retired) : scene.config.flows.filter((flow) => flow.slug === slug)
  const all: ReviewedFlow[] = []
  for (const flow of flows) all.push(yield* reviewed(scene, flow))
  return all
}

function* reviewed(scene: Scene, flow: Flow): InParts<ReviewedFlow> {
  yield
  const look = lookAt(scene, flow)
  const someone = yield* someoneIn(look)
  const conditions = yield* reviewConditions(look)
  // What a condition makes unreachable is told with the condition.
  const reachability = yield* reviewReachability(look, someone, new Set(conditions.map(({ path }) => path)))
  const checks = [
    () => reviewQuestions(look, someone),
    () => reviewContent(look),
    () => reviewProducts(look, someone),
    () => reviewPrices(look),
    () => reviewPolicies(look),
    () => reviewDirectories(look),
    () => reviewMail(look),
    () => reviewParts(look),
    () => reviewTags(look),
    () => reviewLanguages(look),
  ]
  const findings = [...conditions, ...reachability]
  for (const check of checks) {
    yield
    findings.push(...check())
  }
  yield
  const sorted = followable(findings.toSorted(inOrder))
  yield
  return { slug: flow.slug, findings: sorted, stats: statsOf(look) }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const inOrder = (a: Finding, b: Finding) => compare(a.path, b.path) || compare(a.code, b.code) || compare(a.message, b.message)

/** All suggestions can be followed one after the other: what one takes away, or to another page, no other one edits. */
function followable(findings: readonly Finding[]): Finding[] {
  // By place: which suggestions take it away.
  const gone = new Map<string, Set<string>>()
  for (const { suggestion } of findings)
    for (const { op, path, to } of suggestion?.operations ?? [])
      if (op === 'remove' || (op === 'move' && to !== undefined))
        gone.set(path, (gone.get(path) ?? new Set()).add(JSON.stringify(suggestion)))
  const told = new Set<string>()
  return findings.map((finding) => {
    const { suggestion, ...bare } = finding
    if (!suggestion) return finding
    const own = JSON.stringify(suggestion)
    const around = suggestion.operations.flatMap(touchedBy).flatMap(outerPaths)
    const lost = around.some((path) => [...(gone.get(path) ?? [])].some((other) => other !== own))
    // Two findings that the same edit mends are told it once.
    const repeated = told.has(own)
    told.add(own)
    return lost || repeated ? bare : finding
  })
}

/** A place and all that it stands in. */
const outerPaths = (path: string): string[] => {
  const segments = path.split('/')
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}

/** What must still be there for an edit: what it edits, the list it goes to, and the item beside which it is put. */
function touchedBy({ path, to, before, after }: Operation): string[] {
  const list = to ?? pointerOf(parsePointer(path).slice(0, -1))
  const beside = before ?? after
  return [path, list, ...(beside === undefined ? [] : [list + pointerOf([beside])])]
}
