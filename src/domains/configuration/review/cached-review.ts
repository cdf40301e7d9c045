import { toDayInZone } from '../../../kernel/time.ts'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { type ReviewedFlow, reviewInParts } from './review.ts'
import type { ReviewContext } from './context.ts'

interface CachedReview {
  cacheKey: string
  flows: readonly ReviewedFlow[]
}

/** Cached reviews per document, released together with the document. */
const reviewCache = new WeakMap<ConfigDocument, CachedReview>()

/** Reviews all flows. The result is cached and reused while the document and the event settings that the review reads stay the same. */
export function* reviewWithCache(context: ReviewContext): CooperativeTask<readonly ReviewedFlow[]> {
  const cacheKey = buildCacheKey(context)
  const known = reviewCache.get(context.document)
  if (known?.cacheKey === cacheKey) return known.flows
  const flows = yield* reviewInParts(context)
  reviewCache.set(context.document, { cacheKey, flows })
  return flows
}

/**
 * Builds the cache key from everything besides the document that a review depends on. Instead of the current time, the key contains the
 * event's current day and how many instants of the document have passed.
 */
function buildCacheKey({
  document,
  facts: { now, ...facts },
  externalRecords,
  directoryOutputs,
  soldOut,
  inviteLists,
}: ReviewContext): string {
  const over = listInstants(document).filter((instant) => instant <= now.getTime()).length
  const time = [toDayInZone(facts.timezone, now), over]
  return JSON.stringify([
    facts,
    time,
    [...externalRecords.connections],
    [...externalRecords.files],
    [...directoryOutputs],
    [...soldOut],
    [...inviteLists].sort(),
  ])
}

const INSTANT = /"(\d{4}-\d\d-\d\dT[^"]{1,30})"/g
const instantCache = new WeakMap<ConfigDocument, readonly number[]>()

/** Lists all instants in the document, except in translations, which contain only texts. */
function listInstants(document: ConfigDocument): readonly number[] {
  const known = instantCache.get(document)
  if (known) return known
  const { translations: _texts, ...rest } = document
  const found = [...JSON.stringify(rest).matchAll(INSTANT)].map(([, written]) => Date.parse(written!))
  instantCache.set(document, found)
  return found
}
