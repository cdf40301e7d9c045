import type { Operation } from '../operations.ts'
import { isUnder, parsePointer, pointerOf } from '../pointers.ts'
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
export function reviewFlows(scene: Scene, slug?: string): ReviewedFlow[] {
  const flows =
    slug === undefined ? scene.config.flows.filter(({ retired }) => !retired) : scene.config.flows.filter((flow) => flow.slug === slug)
  return flows.map((flow) => reviewed(scene, flow))
}

function reviewed(scene: Scene, flow: Flow): ReviewedFlow {
  const look = lookAt(scene, flow)
  const someone = someoneIn(look)
  const conditions = reviewConditions(look)
  const findings = [
    ...conditions,
    // What a condition makes unreachable is told with the condition.
    ...reviewReachability(look, someone, new Set(conditions.map(({ path }) => path))),
    ...reviewQuestions(look, someone),
    ...reviewContent(look),
    ...reviewProducts(look, someone),
    ...reviewPrices(look),
    ...reviewPolicies(look),
    ...reviewDirectories(look),
    ...reviewMail(look),
    ...reviewParts(look),
    ...reviewTags(look),
    ...reviewLanguages(look),
  ]
  return { slug: flow.slug, findings: followable(findings.toSorted(inOrder)), stats: statsOf(look) }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const inOrder = (a: Finding, b: Finding) => compare(a.path, b.path) || compare(a.code, b.code) || compare(a.message, b.message)

/** All suggestions can be followed one after the other: what one takes away, or to another page, no other one edits. */
function followable(findings: readonly Finding[]): Finding[] {
  const gone = findings.flatMap((finding) =>
    (finding.suggestion?.operations ?? []).flatMap(({ op, path, to }) =>
      op === 'remove' || (op === 'move' && to !== undefined) ? [{ finding, path }] : [],
    ),
  )
  const told = new Set<string>()
  return findings.map((finding) => {
    const { suggestion, ...bare } = finding
    if (!suggestion) return finding
    const own = JSON.stringify(suggestion)
    const touched = suggestion.operations.flatMap(touchedBy)
    const lost = gone.some(
      ({ finding: other, path }) =>
        other !== finding && JSON.stringify(other.suggestion) !== own && touched.some((one) => isUnder(one, path)),
    )
    // Two findings that the same edit mends are told it once.
    const repeated = told.has(own)
    told.add(own)
    return lost || repeated ? bare : finding
  })
}

/** What must still be there for an edit: what it edits, the list it goes to, and the item beside which it is put. */
function touchedBy({ path, to, before, after }: Operation): string[] {
  const list = to ?? pointerOf(parsePointer(path).slice(0, -1))
  const beside = before ?? after
  return [path, list, ...(beside === undefined ? [] : [list + pointerOf([beside])])]
}
