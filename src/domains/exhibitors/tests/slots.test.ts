import { describe, expect, it } from 'vitest'
import { toWallTimeInZone } from '../../../kernel/time.ts'
import { splitHoursIntoSlots } from '../slots.ts'

const starts = (day: string, from: string, until: string, zone: string, minutes: number, breakMinutes = 0) =>
  splitHoursIntoSlots({ day, from, until }, zone, minutes, breakMinutes).map(({ startsAt }) =>
    toWallTimeInZone(zone, startsAt).slice(11, 16),
  )

describe('splitHoursIntoSlots', () => {
  it.each([
    ['09:00', '12:00', 30, 5, ['09:00', '09:35', '10:10', '10:45', '11:20']],
    ['09:00', '10:00', 30, 0, ['09:00', '09:30']],
    ['09:00', '10:00', 25, 0, ['09:00', '09:25']],
    ['09:00', '09:29', 30, 0, []],
    ['09:00', '09:30', 30, 10, ['09:00']],
    ['09:00', '10:10', 30, 10, ['09:00', '09:40']],
    ['09:00', '10:09', 30, 10, ['09:00']],
    ['00:00', '23:59', 240, 0, ['00:00', '04:00', '08:00', '12:00', '16:00']],
  ])('splits meeting hours from %s to %s into %i-minute slots with a break of %i', (from, until, minutes, breakMinutes, expected) => {
    expect(starts('2027-05-11', from, until, 'Europe/Berlin', minutes, breakMinutes)).toEqual(expected)
  })

  it("interprets meeting hours as local times in the event's time zone", () => {
    const [first] = splitHoursIntoSlots({ day: '2027-05-11', from: '09:00', until: '10:00' }, 'Asia/Kathmandu', 30)
    expect(first!.startsAt.toISOString()).toBe('2027-05-11T03:15:00.000Z')
    const [far] = splitHoursIntoSlots({ day: '2027-05-11', from: '09:00', until: '10:00' }, 'Pacific/Kiritimati', 30)
    expect(far!.startsAt.toISOString()).toBe('2027-05-10T19:00:00.000Z')
  })

  it('skips slots in the missing hour and repeats those in the double hour when the clock changes', () => {
    // Berlin skips 02:00 to 03:00 on 28 March 2027 and repeats it on 31 October.
    expect(starts('2027-03-28', '01:00', '04:00', 'Europe/Berlin', 30)).toEqual(['01:00', '01:30', '03:00', '03:30'])
    expect(starts('2027-10-31', '01:00', '04:00', 'Europe/Berlin', 30)).toEqual([
      '01:00',
      '01:30',
      '02:00',
      '02:30',
      '02:00',
      '02:30',
      '03:00',
      '03:30',
    ])
    expect(starts('2027-03-28', '02:00', '03:30', 'Europe/Berlin', 30)).toEqual(['03:00'])
    for (const day of ['2027-03-28', '2027-10-31']) {
      const slots = splitHoursIntoSlots({ day, from: '00:00', until: '05:00' }, 'Europe/Berlin', 30)
      for (const { startsAt, endsAt } of slots) expect(endsAt.getTime() - startsAt.getTime()).toBe(1_800_000)
      expect(new Set(slots.map(({ startsAt }) => startsAt.getTime())).size).toBe(slots.length)
    }
  })
})
