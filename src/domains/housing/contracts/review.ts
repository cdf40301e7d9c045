import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import type { HousingContext } from '../context.ts'
import type { HousingContractRow } from '../tables.ts'
import { listAddenda } from './addenda.ts'
import type { PlannedRoomNightChange } from './amend-nights.ts'
import { computePercentRoundedDown } from './attrition.ts'

type ReviewDate = HousingContractRow['review_dates'][number]

/** Finds the next review date of a contract. Until the end of that day, rooms can be returned to the hotel without attrition damages. */
export function findNextReviewDate({ review_dates }: HousingContractRow, today: string): ReviewDate {
  const next = review_dates.toSorted((a, b) => a.on.localeCompare(b.on)).find(({ on }) => on >= today)
  if (next) return next
  const last = review_dates
    .map(({ on }) => on)
    .toSorted()
    .at(-1)
  throw preconditionFailed(last === undefined ? 'This contract has no review dates' : `The last review date was ${last}`)
}

/**
 * Throws if a review adds rooms. Also throws if, together with earlier reviews until the same date, it removes a larger percentage of the
 * original rooms than that review date allows.
 */
export async function refuseExcessiveRoomReduction(
  ctx: HousingContext,
  contract: HousingContractRow,
  planned: readonly PlannedRoomNightChange[],
): Promise<ReviewDate> {
  const review = findNextReviewDate(contract, toDayInZone(ctx.event.timezone, await getDatabaseTime(ctx)))
  const earlier = new Map<string, number>()
  for (const { kind, review_on, changes } of await listAddenda(ctx, contract.hotel_id))
    if (kind === 'review' && review_on === review.on)
      for (const { roomTypeCode, night, before, after } of changes.nights ?? []) {
        const key = `${roomTypeCode} ${night}`
        earlier.set(key, (earlier.get(key) ?? 0) + before - after)
      }
  const beyond = planned.flatMap(({ roomTypeCode, night, before, after }) => {
    const [had, original] = [before?.contracted ?? 0, before?.original ?? 0]
    const key = `${roomTypeCode} ${night}`
    if (after.contracted > had) throw invalidArguments([{ path: 'nights', message: `${key}: a review only reduces rooms` }])
    const allowed = computePercentRoundedDown(original, review.maxReducePercent)
    if ((earlier.get(key) ?? 0) + had - after.contracted <= allowed) return []
    return [`${key}: at most ${allowed} of ${original} rooms may be returned until ${review.on}, cannot set ${after.contracted}`]
  })
  if (beyond.length > 0) throw preconditionFailed(beyond.join('; '), { fields: beyond.map((message) => ({ path: 'nights', message })) })
  return review
}
