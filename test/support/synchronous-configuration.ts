import { applyOperationsInParts, type ConfigOperation } from '../../src/domains/configuration/operations.ts'
import { reviewInParts } from '../../src/domains/configuration/review/review.ts'
import type { ReviewContext } from '../../src/domains/configuration/review/context.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import type { ExternalRecords } from '../../src/domains/configuration/validate/external-records.ts'
import { findIssuesInParts } from '../../src/domains/configuration/validate/validate.ts'
import { runTaskSynchronously } from '../../src/kernel/cooperative.ts'

/** Runs product functions that yield to the event loop to completion, because a test has nothing else to run meanwhile. */

export const applyOperationsSynchronously = (document: ConfigDocument, operations: readonly ConfigOperation[]) =>
  runTaskSynchronously(applyOperationsInParts(document, operations))

export const reviewFlowsSynchronously = (scene: ReviewContext, slug?: string) => runTaskSynchronously(reviewInParts(scene, slug))

export const findIssuesSynchronously = (checked: Parameters<typeof findIssuesInParts>[0], around: ExternalRecords) =>
  runTaskSynchronously(findIssuesInParts(checked, around))
