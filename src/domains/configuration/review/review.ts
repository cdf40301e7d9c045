import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import type { ConfigOperation } from '../operations.ts'
import { parsePointer, toPointer } from '../pointers.ts'
import type { Flow } from '../schema/event-config.ts'
import { reviewConditions } from './conditions.ts'
import { reviewFlowContent } from './content.ts'
import { reviewDirectories } from './directories.ts'
import { reviewLanguages } from './languages.ts'
import { reviewPolicies } from './policies.ts'
import { reviewEmails } from './emails.ts'
import { reviewEventSettings } from './event-settings.ts'
import { reviewPrices } from './prices.ts'
import { reviewProducts } from './products.ts'
import { reviewQuestions } from './questions.ts'
import { reviewReachability } from './reachability.ts'
import { type FlowFinding, buildFlowReviewContext, type ReviewContext } from './context.ts'
import { buildVisibilitySolver } from './visibility-solver.ts'
import { type FlowStats, computeFlowStats } from './stats.ts'
import { reviewTags } from './tags.ts'

export interface ReviewedFlow {
  slug: string
  findings: FlowFinding[]
  stats: FlowStats
}

/** Reviews all flows that are not retired, or the named one, without running them. */
export function* reviewInParts(context: ReviewContext, slug?: string): CooperativeTask<ReviewedFlow[]> {
  const flows =
    slug === undefined ? context.config.flows.filter(({ retired }) => !retired) : context.config.flows.filter((flow) => flow.slug === slug)
  const all: ReviewedFlow[] = []
  for (const flow of flows) all.push(yield* reviewFlow(context, flow))
  return all
}

function* reviewFlow(context: ReviewContext, flow: Flow): CooperativeTask<ReviewedFlow> {
  yield
  const flowContext = buildFlowReviewContext(context, flow)
  const solver = yield* buildVisibilitySolver(flowContext)
  const conditions = yield* reviewConditions(flowContext)
  // A broken condition is reported once, so the visibility problems that it causes are left out.
  const reachability = yield* reviewReachability(flowContext, solver, new Set(conditions.map(({ path }) => path)))
  const checks = [
    () => reviewQuestions(flowContext, solver),
    () => reviewFlowContent(flowContext),
    () => reviewProducts(flowContext, solver),
    () => reviewPrices(flowContext),
    () => reviewPolicies(flowContext),
    () => reviewDirectories(flowContext),
    () => reviewEmails(flowContext),
    () => reviewEventSettings(flowContext),
    () => reviewTags(flowContext),
    () => reviewLanguages(flowContext),
  ]
  const findings = [...conditions, ...reachability]
  for (const check of checks) {
    yield
    findings.push(...check())
  }
  yield
  const sorted = removeConflicts(findings.toSorted(compareFindings))
  yield
  return { slug: flow.slug, findings: sorted, stats: computeFlowStats(flowContext) }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const compareFindings = (a: FlowFinding, b: FlowFinding) =>
  compare(a.path, b.path) || compare(a.code, b.code) || compare(a.message, b.message)

/** Drops conflicting suggestions: a suggestion must not edit an item that another suggestion removes or moves to another page. */
function removeConflicts(findings: readonly FlowFinding[]): FlowFinding[] {
  // The suggestions that remove or move a part of the configuration, by the path of that part.
  const removedBy = new Map<string, Set<string>>()
  for (const { suggestion } of findings)
    for (const { op, path, to } of suggestion?.operations ?? [])
      if (op === 'remove' || (op === 'move' && to !== undefined))
        removedBy.set(path, (removedBy.get(path) ?? new Set()).add(JSON.stringify(suggestion)))
  const includedSuggestions = new Set<string>()
  return findings.map((finding) => {
    const { suggestion, ...bare } = finding
    if (!suggestion) return finding
    const own = JSON.stringify(suggestion)
    const neededPaths = suggestion.operations.flatMap(listTouchedPaths).flatMap(outerPaths)
    const lost = neededPaths.some((path) => [...(removedBy.get(path) ?? [])].some((other) => other !== own))
    // If one edit fixes several problems of the flow, only the first of them suggests it.
    const repeated = includedSuggestions.has(own)
    includedSuggestions.add(own)
    return lost || repeated ? bare : finding
  })
}

/** Lists a path and all its ancestors. */
const outerPaths = (path: string): string[] => {
  const segments = path.split('/')
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}

/**
 * Lists the paths that an edit refers to: its target, the list that the target is moved to, and the item next to which the target is
 * placed.
 */
function listTouchedPaths({ path, to, before, after }: ConfigOperation): string[] {
  const list = to ?? toPointer(parsePointer(path).slice(0, -1))
  const anchor = before ?? after
  return [path, list, ...(anchor === undefined ? [] : [list + toPointer([anchor])])]
}
