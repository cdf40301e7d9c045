import type { EventContext } from '../../kernel/context.ts'
import { exploreConfig, type ExploreResult, type ExploreRequest } from '../configuration/explore.ts'
import { getLocationAtPointer, addConfigSourceToErrorHint } from '../configuration/pointers.ts'
import { readConfigBySelector } from '../configuration/read.ts'
import { addEmptyLocale } from '../configuration/explore-translations.ts'
import { countConfigItemUses } from '../registration/sale/record-uses.ts'
import { toRecordReference } from './orphans.ts'
import { listIssues } from './issues.ts'

/** Returns one location of an event's configuration with its issues and the number of records that use it. */
export async function exploreEventConfig(ctx: EventContext, request: ExploreRequest): Promise<ExploreResult> {
  const configuration = addEmptyLocale(await readConfigBySelector(ctx, request.source), request.path)
  // Rejects an unknown path before any records are counted.
  const { path } = addConfigSourceToErrorHint(request.source, () =>
    getLocationAtPointer(configuration.document, request.path, { byIndex: true }),
  )
  const named = request.include.includes('usage') ? toRecordReference(path) : null
  return exploreConfig(configuration, request, {
    issues: request.include.includes('issues') ? await listIssues(ctx, configuration) : null,
    records: named ? await countConfigItemUses(ctx, [named]) : [],
  })
}
