import type { EventContext } from '../../kernel/context.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { type ConfigIssue, sortIssues } from '../configuration/issues.ts'
import { type Configuration, readLiveConfiguration } from '../configuration/read.ts'
import { convertFindingsToIssues } from '../configuration/review/issues.ts'
import { reviewInParts } from '../configuration/review/review.ts'
import { findIssuesInParts } from '../configuration/validate/validate.ts'
import { findOrphanedRecordIssues } from './orphans.ts'
import { loadReviewContext } from './review.ts'
import { readReferencedExternalRecords } from '../directories/external-references.ts'

/** Lists all issues of a structurally valid configuration, including those that depend on registrations and orders. */
export async function listIssues(ctx: EventContext, configuration: Configuration): Promise<ConfigIssue[]> {
  const [externalRecords, live] = [
    await readReferencedExternalRecords(ctx, configuration.document),
    await readLiveConfiguration(ctx, configuration),
  ]
  return sortIssues([
    ...(await runTaskCooperatively(findIssuesInParts(configuration, externalRecords))),
    ...(await findOrphanedRecordIssues(ctx, live?.config ?? null, configuration.config)),
  ])
}

/**
 * Lists all issues and the findings of the flow review, for publishing and full validation. Single edits skip the review, because it is
 * slow.
 */
export async function listPublishIssues(ctx: EventContext, configuration: Configuration): Promise<ConfigIssue[]> {
  const context = await loadReviewContext(ctx, configuration)
  return sortIssues([
    ...(await listIssues(ctx, configuration)),
    ...convertFindingsToIssues(context, await runTaskCooperatively(reviewInParts(context))),
  ])
}
