import type { EventContext } from '../../kernel/context.ts'
import { inTurns } from '../../kernel/turns.ts'
import { type Issue, sortIssues } from '../configuration/issues.ts'
import { type Configuration, readLive } from '../configuration/read.ts'
import { reviewIssues } from '../configuration/review/issues.ts'
import { reviewInParts } from '../configuration/review/review.ts'
import { issuesInParts } from '../configuration/validate/validate.ts'
import { orphanIssues } from './orphans.ts'
import { sceneOf } from './review.ts'
import { surroundingsOf } from '../directories/surroundings.ts'

/** Everything that is wrong with a configuration of right structure, records included. */
export async function allIssues(ctx: EventContext, configuration: Configuration): Promise<Issue[]> {
  const [around, live] = [await surroundingsOf(ctx, configuration.document), await readLive(ctx, configuration)]
  return sortIssues([
    ...(await inTurns(issuesInParts(configuration, around))),
    ...(await orphanIssues(ctx, live?.config ?? null, configuration.config)),
  ])
}

/** The same with what the review of the flows says, for publishing and for a full check. A single edit does not wait for that. */
export async function publishIssues(ctx: EventContext, configuration: Configuration): Promise<Issue[]> {
  const scene = await sceneOf(ctx, configuration)
  return sortIssues([...(await allIssues(ctx, configuration)), ...reviewIssues(scene, await inTurns(reviewInParts(scene)))])
}
