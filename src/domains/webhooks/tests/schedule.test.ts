import { describe, expect, it } from 'vitest'
import { parseRetryAfter, MAX_DELIVERY_ATTEMPTS, computeSecondsToNextAttempt } from '../schedule.ts'

const NOW = new Date('2027-03-01T09:00:00Z')
const [FIRST, LAST] = ['msg_650000000000000000000000', 'msg_65000000000000000000ffff']

describe('computeSecondsToNextAttempt', () => {
  it('plans ten delivery attempts, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each up to 10 % earlier or later', () => {
    const planned = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    const after = (messageId: string) =>
      Array.from({ length: MAX_DELIVERY_ATTEMPTS }, (_, made) =>
        computeSecondsToNextAttempt({ messageId, triesLeft: MAX_DELIVERY_ATTEMPTS - made, retryAfter: null }),
      )
    const within = (waits: (number | null)[], factor: number) =>
      expect(waits.map((wait) => wait && Math.round(wait * 10) / 10)).toEqual([
        ...planned.map((wait) => Math.round(wait * factor * 10) / 10),
        null,
      ])
    within(after(FIRST), 0.9)
    within(after(LAST), 1.1)
  })

  it('delays the next delivery attempt as long as the Retry-After header demands, up to a day', () => {
    expect(parseRetryAfter(429, '120', NOW)).toBe(120)
    expect(parseRetryAfter(503, 'Mon, 01 Mar 2027 10:00:00 GMT', NOW)).toBe(3600)
    expect(parseRetryAfter(429, '86400', NOW)).toBe(86_400)
    for (const [status, header] of [
      [429, '86401'],
      [500, '120'],
      [429, 'soon'],
      [429, '-5'],
      [429, undefined],
      [503, 'Mon, 01 Mar 2027 08:00:00 GMT'],
    ] as const)
      expect(parseRetryAfter(status, header, NOW)).toBeNull()
    expect(computeSecondsToNextAttempt({ messageId: FIRST, triesLeft: 10, retryAfter: 120 })).toBe(120)
    expect(computeSecondsToNextAttempt({ messageId: FIRST, triesLeft: 1, retryAfter: 120 })).toBeNull()
  })

  it('never retries a delivery earlier than planned because of a Retry-After header', () => {
    expect(computeSecondsToNextAttempt({ messageId: LAST, triesLeft: 7, retryAfter: 1 })).toBeCloseTo(7920)
  })
})
