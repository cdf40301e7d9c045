import { isFlowOpen } from '../flow/collected-answers.ts'
import type { ConfigIssue } from '../issues.ts'
import type { ReviewedFlow } from './review.ts'
import type { ReviewContext } from './context.ts'

/**
 * Converts the findings of a flow review into issues of a publication: an error in an open flow prevents publishing, the rest are
 * warnings.
 */
export function convertFindingsToIssues(context: ReviewContext, flows: readonly ReviewedFlow[]): ConfigIssue[] {
  const open = new Set(context.config.flows.filter((flow) => isFlowOpen(flow, context.facts.now)).map(({ slug }) => slug))
  const issues = flows.flatMap(({ slug, findings }) =>
    findings
      .filter(({ level }) => level !== 'info')
      .map(({ code, level, path, message }): ConfigIssue => ({
        level: level === 'error' && open.has(slug) ? 'reference' : 'warning',
        code,
        path,
        message,
      })),
  )
  // Flows that sell the same product report the same problems, so duplicates are removed.
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}
