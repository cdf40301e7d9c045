import { describe, expect, it } from 'vitest'
import { listNextDeliveryTimes } from '../deliveries/schedule.ts'

const next = (schedule: Partial<Parameters<typeof listNextDeliveryTimes>[0]>, after: string, zone = 'Europe/Paris', count = 3) =>
  listNextDeliveryTimes({ every: 'day', at: '08:00', until: '2027-12-31', ...schedule }, zone, new Date(after), count).map((one) =>
    one.toISOString(),
  )

describe('listNextDeliveryTimes', () => {
  it('schedules a delivery for Monday 08:00 in Paris when the clocks go back on 25 October 2026', () => {
    expect(next({ every: 'week', weekday: 1 }, '2026-10-14T10:00:00Z')).toEqual([
      '2026-10-19T06:00:00.000Z',
      '2026-10-26T07:00:00.000Z',
      '2026-11-02T07:00:00.000Z',
    ])
  })

  it('schedules a delivery for Monday 08:00 in Paris when the clocks go forward on 28 March 2027', () => {
    expect(next({ every: 'week', weekday: 1 }, '2027-03-20T10:00:00Z')).toEqual([
      '2027-03-22T07:00:00.000Z',
      '2027-03-29T06:00:00.000Z',
      '2027-04-05T06:00:00.000Z',
    ])
  })

  it('schedules a report delivery after the gap if the clocks skip its local time', () => {
    expect(next({ at: '02:30' }, '2027-03-27T12:00:00Z', 'Europe/Paris', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ])
  })

  it('schedules one report delivery if its local time occurs twice', () => {
    expect(next({ at: '02:30' }, '2026-10-24T12:00:00Z', 'Europe/Paris', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ])
    expect(next({ at: '02:30' }, '2026-10-25T00:30:00Z', 'Europe/Paris', 1)).toEqual(['2026-10-26T01:30:00.000Z'])
  })

  it('schedules a report delivery for the last day of a month that lacks the given day', () => {
    expect(next({ every: 'month', monthDay: 31 }, '2027-01-15T00:00:00Z')).toEqual([
      '2027-01-31T07:00:00.000Z',
      '2027-02-28T07:00:00.000Z',
      '2027-03-31T06:00:00.000Z',
    ])
    expect(next({ every: 'month', monthDay: 5 }, '2027-01-15T00:00:00Z', 'UTC', 1)).toEqual(['2027-02-05T08:00:00.000Z'])
  })

  it('schedules a report delivery on the last day of its schedule and none after it', () => {
    expect(next({ until: '2026-10-02' }, '2026-10-01T05:00:00Z')).toEqual(['2026-10-01T06:00:00.000Z', '2026-10-02T06:00:00.000Z'])
    expect(next({ until: '2026-10-02' }, '2026-10-02T06:00:00Z')).toEqual([])
  })
})
