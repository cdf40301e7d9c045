import { isFlowOpen } from '../flow/collects.ts'
import type { Issue } from '../issues.ts'
import type { ReviewedFlow } from './review.ts'
import type { Scene } from './scene.ts'

/** What the review of all flows means for publishing: an error in a flow that is open stands in the way, everything else is worth a look. */
export function reviewIssues(scene: Scene, flows: readonly ReviewedFlow[]): Issue[] {
  const open = new Set(scene.config.flows.filter((flow) => isFlowOpen(flow, scene.facts.now)).map(({ slug }) => slug))
  const issues = flows.flatMap(({ slug, findings }) =>
    findings
      .filter(({ level }) => level !== 'info')
      .map(({ code, level, path, message }): Issue => ({
        level: level === 'error' && open.has(slug) ? 'reference' : 'warning',
        code,
        path,
        message,
      })),
  )
  // Flows that sell the same product say the same of it.
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}
