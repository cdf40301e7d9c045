import { describe, expect, it } from 'vitest'
import { findLastDueTime, findNextDueTime, type Schedule } from '../cron.ts'

const last = (schedule: Schedule, at: string) => findLastDueTime(schedule, new Date(at)).toISOString()
const next = (schedule: Schedule, at: string) => findNextDueTime(schedule, new Date(at)).toISOString()
const at = (cron: string, zone?: string): Schedule => ({ cron, ...(zone ? { zone } : {}) })

describe('cron schedule', () => {
  it.each([
    ['* * * * *', '2026-11-02T09:00:30.000Z', '2026-11-02T09:00:00.000Z', '2026-11-02T09:01:00.000Z'],
    ['0 3 * * *', '2026-11-02T02:59:59.999Z', '2026-11-01T03:00:00.000Z', '2026-11-02T03:00:00.000Z'],
    // A run is due at its exact instant.
    ['0 3 * * *', '2026-11-02T03:00:00.000Z', '2026-11-02T03:00:00.000Z', '2026-11-03T03:00:00.000Z'],
    ['*/15 8-10 * * *', '2026-11-02T10:50:00.000Z', '2026-11-02T10:45:00.000Z', '2026-11-03T08:00:00.000Z'],
    ['5/20,58 0 1 1 *', '2026-11-02T00:00:00.000Z', '2026-01-01T00:58:00.000Z', '2027-01-01T00:05:00.000Z'],
    // 2 November 2026 is a Monday; Sunday is 0 and 7.
    ['30 6 * * 1-5', '2026-11-02T06:00:00.000Z', '2026-10-30T06:30:00.000Z', '2026-11-02T06:30:00.000Z'],
    ['0 0 * * 7', '2026-11-02T06:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-11-08T00:00:00.000Z'],
    // If day of month and day of week are both restricted, either is enough.
    ['0 0 13 * 5', '2026-11-02T06:00:00.000Z', '2026-10-30T00:00:00.000Z', '2026-11-06T00:00:00.000Z'],
    ['0 0 29 2 *', '2026-11-02T06:00:00.000Z', '2024-02-29T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    // 2100 is not a leap year.
    ['0 0 29 2 *', '2100-03-01T00:00:00.000Z', '2096-02-29T00:00:00.000Z', '2104-02-29T00:00:00.000Z'],
  ])('finds for the schedule %s at %s the last run %s and the next run %s', (cron, now, before, after) => {
    expect([last(at(cron), now), next(at(cron), now)]).toEqual([before, after])
  })

  it('counts the intervals of a cron schedule from 1 January 1970', () => {
    expect(last({ everySeconds: 3600 }, '2026-11-02T09:59:59Z')).toBe('2026-11-02T09:00:00.000Z')
    expect(next({ everySeconds: 90 }, '1970-01-01T00:01:30Z')).toBe('1970-01-01T00:03:00.000Z')
  })

  it('runs a nightly schedule in its time zone, exactly once also in nights when the clocks change', () => {
    const berlin = at('30 2 * * *', 'Europe/Berlin')
    const slots = (from: string, count: number) => {
      const found = [findNextDueTime(berlin, new Date(from))]
      while (found.length < count) found.push(findNextDueTime(berlin, found.at(-1)!))
      return found.map((slot) => slot.toISOString())
    }
    // 25 October 2026: 02:30 occurs twice, the first counts. 28 March 2027: 02:30 does not exist, so the first instant after the gap.
    expect(slots('2026-10-24T00:00:00Z', 4)).toEqual([
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
      '2026-10-27T01:30:00.000Z',
    ])
    expect(slots('2027-03-27T00:00:00Z', 3)).toEqual(['2027-03-27T01:30:00.000Z', '2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z'])
  })

  it('finds the same scheduled runs backwards and forwards, in every zone and across clock changes', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia']) {
      const schedule = at('*/20 0-4 * * *', zone)
      for (const start of ['2026-03-07', '2026-03-28', '2026-10-03', '2026-10-24', '2026-10-31']) {
        let slot = findNextDueTime(schedule, new Date(`${start}T00:00:00Z`))
        for (let i = 0; i < 40; i++) {
          const following = findNextDueTime(schedule, slot)
          expect(findLastDueTime(schedule, new Date(following.getTime() - 1))).toEqual(slot)
          expect(findLastDueTime(schedule, following)).toEqual(following)
          slot = following
        }
      }
    }
  })

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    'a * * * *',
    '1,,2 * * * *',
  ])('rejects the cron expression %j', (cron) => {
    expect(() => next(at(cron), '2026-11-02T00:00:00Z')).toThrow('cron expression')
  })

  it('rejects a cron expression for a day that does not exist', () => {
    expect(() => next(at('0 0 31 2 *'), '2026-11-02T00:00:00Z')).toThrow('names no day')
  })
})
