import { describe, expect, it } from 'vitest'
import { atOnce } from '../../../../kernel/turns.ts'
import { keptReview } from '../kept.ts'
import type { Scene } from '../scene.ts'
import { reviewFlows } from '../../../../../test/support/at-once.ts'
import { cleanDocument, NOW, sceneOf } from './scenes.ts'

const review = (scene: Scene) => atOnce(keptReview(scene))
const at = (scene: Scene, instant: string): Scene => ({ ...scene, facts: { ...scene.facts, now: new Date(instant) } })

describe('a review that is kept', () => {
  const scene = sceneOf(cleanDocument())

  it('says what the review says, and is made once for the same document beside the same facts', () => {
    const first = review(scene)
    expect(first).toEqual(reviewFlows(scene))
    expect(review({ ...scene })).toBe(first)
    expect(review(at(scene, new Date(NOW.getTime() + 3_600_000).toISOString()))).toBe(first)
  })

  it('is made anew when a time that the document names is over, to the millisecond', () => {
    const before = review(at(scene, '2027-05-09T23:59:59.999Z'))
    const over = at(scene, '2027-05-10T00:00:00.000Z')
    expect(before.flatMap(({ findings }) => findings.map(({ code }) => code))).not.toContain('F31')
    expect(review(over).flatMap(({ findings }) => findings.map(({ code }) => code))).toContain('F31')
    expect(review(over)).toEqual(reviewFlows(over))
  })

  it.each<[string, (scene: Scene) => Scene]>([
    ['another day at the event', (one) => at(one, '2027-01-11T12:00:00Z')],
    ['another time zone', (one) => ({ ...one, facts: { ...one.facts, timezone: 'Asia/Tokyo' } })],
    ['another language', (one) => ({ ...one, facts: { ...one.facts, locales: ['en', 'de'] } })],
    [
      'a directory that fails',
      (one) => ({ ...one, around: { ...one.around, connections: new Map([['ams', { status: 'failing', onFailure: 'allow' }]]) } }),
    ],
    ['what a directory gives', (one) => ({ ...one, gives: new Map([['ams', { tags: ['press'], fills: [] }]]) })],
    ['a product that is sold out', (one) => ({ ...one, soldOut: new Set(['adm']) })],
    ['another document', () => sceneOf(cleanDocument())],
  ])('is made anew for %s', (_what, changed) => {
    const first = review(scene)
    const other = changed(scene)
    expect(review(other)).not.toBe(first)
    expect(review(other)).toEqual(reviewFlows(other))
  })
})
