import { describe, expect, it } from 'vitest'
import { runTaskSynchronously } from '../../../../kernel/cooperative.ts'
import { reviewWithCache } from '../cached-review.ts'
import type { ReviewContext } from '../context.ts'
import { reviewFlowsSynchronously } from '../../../../../test/support/synchronous-configuration.ts'
import { cleanDocument, NOW, buildReviewContext } from './contexts.ts'

const review = (context: ReviewContext) => runTaskSynchronously(reviewWithCache(context))
const at = (context: ReviewContext, instant: string): ReviewContext => ({ ...context, facts: { ...context.facts, now: new Date(instant) } })

describe('reviewWithCache', () => {
  const context = buildReviewContext(cleanDocument())

  it("returns the review's findings, and computes them only once for the same document and event settings", () => {
    const first = review(context)
    expect(first).toEqual(reviewFlowsSynchronously(context))
    expect(review({ ...context })).toBe(first)
    expect(review(at(context, new Date(NOW.getTime() + 3_600_000).toISOString()))).toBe(first)
  })

  it('repeats the flow review as soon as a time in the configuration, such as a closing time, has passed', () => {
    const before = review(at(context, '2027-05-09T23:59:59.999Z'))
    const over = at(context, '2027-05-10T00:00:00.000Z')
    expect(before.flatMap(({ findings }) => findings.map(({ code }) => code))).not.toContain('F31')
    expect(review(over).flatMap(({ findings }) => findings.map(({ code }) => code))).toContain('F31')
    expect(review(over)).toEqual(reviewFlowsSynchronously(over))
  })

  it.each<[string, (context: ReviewContext) => ReviewContext]>([
    ['another day at the event', (one) => at(one, '2027-01-11T12:00:00Z')],
    ['another time zone', (one) => ({ ...one, facts: { ...one.facts, timezone: 'Asia/Tokyo' } })],
    ['another language', (one) => ({ ...one, facts: { ...one.facts, locales: ['en', 'de'] } })],
    [
      'a failing directory',
      (one) => ({
        ...one,
        externalRecords: { ...one.externalRecords, connections: new Map([['ams', { status: 'failing', onFailure: 'allow' }]]) },
      }),
    ],
    ['another result of a directory', (one) => ({ ...one, directoryOutputs: new Map([['ams', { tags: ['press'], fills: [] }]]) })],
    ['a sold-out product', (one) => ({ ...one, soldOut: new Set(['adm']) })],
    ['another document', () => buildReviewContext(cleanDocument())],
  ])('repeats the flow review instead of using the cached review for %s', (_what, changed) => {
    const first = review(context)
    const other = changed(context)
    expect(review(other)).not.toBe(first)
    expect(review(other)).toEqual(reviewFlowsSynchronously(other))
  })
})
