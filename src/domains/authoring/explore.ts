import type { EventContext } from '../../kernel/context.ts'
import { exploreConfig, type Explored, type ExploreRequest } from '../configuration/explore.ts'
import { locate, lookingInto } from '../configuration/pointers.ts'
import { readConfig } from '../configuration/read.ts'
import { withEmptyLocale } from '../configuration/shown-translations.ts'
import { recordUses } from '../registration/record-uses.ts'
import { namedBy } from './orphans.ts'
import { allIssues } from './validate.ts'

/** A place of an event's configuration, with what is wrong there and which records use it. */
export async function exploreEventConfig(ctx: EventContext, request: ExploreRequest): Promise<Explored> {
  const configuration = withEmptyLocale(await readConfig(ctx, request.source), request.path)
  // Refuses a wrong path before anything is counted for it.
  const { path } = lookingInto(request.source, () => locate(configuration.document, request.path, { byIndex: true }))
  const named = request.include.includes('usage') ? namedBy(path) : null
  return exploreConfig(configuration, request, {
    issues: request.include.includes('issues') ? await allIssues(ctx, configuration) : null,
    records: named ? await recordUses(ctx, [named]) : [],
  })
}
