import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDays,
  wallTimeToInstant,
  toDayInZone,
  daysBetween,
  endOfDay,
  isCalendarDay,
  isTimeZoneName,
  parseInstant,
  startOfDay,
  formatInstant,
} from '../time.ts'
import { soakRounds } from '../../../test/support/soak.ts'

const ZONES = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]
const zone = fc.constantFrom(...ZONES)
// From 2012: until 2011 St John's set clocks back at 00:01, so one midnight occurred twice and a day was not one interval.
const instant = fc.date({ min: new Date('2012-01-01T00:00:00Z'), max: new Date('2040-01-01T00:00:00Z'), noInvalidDate: true })

/** Computes the local time independently of the module. */
const clocks = new Map(
  ZONES.map((name) => [name, new Intl.DateTimeFormat('sv-SE', { timeZone: name, dateStyle: 'short', timeStyle: 'medium' })]),
)
const wallText = (name: string, at: Date) => (clocks.get(name)?.format(at) ?? '').replace(' ', 'T')
const hours = (day: string, name: string) => (endOfDay(name, day).getTime() - startOfDay(name, day).getTime()) / 3_600_000

describe('isTimeZoneName', () => {
  it('accepts current and former time zone names', () => {
    expect(
      [...ZONES, 'Asia/Katmandu', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3', 'GMT'].filter(
        (name) => !isTimeZoneName(name),
      ),
    ).toEqual([])
  })

  it('rejects time zones given as offset, abbreviation, in the wrong case or by an unknown name', () => {
    expect(
      ['', '+02:00', 'EST', 'CET', 'europe/paris', 'EUROPE/PARIS', 'Europe/Pariss', 'Europe/', 'Mars/Olympus'].filter(isTimeZoneName),
    ).toEqual([])
  })
})

describe('instants', () => {
  it('writes instants in UTC with milliseconds and reads them with any offset', () => {
    expect(formatInstant(new Date('2026-03-29T03:30:00+02:00'))).toBe('2026-03-29T01:30:00.000Z')
    expect(parseInstant('2026-03-29T03:30:00.5+02:00')?.toISOString()).toBe('2026-03-29T01:30:00.500Z')
    expect(parseInstant('2026-03-29T03:30Z')?.toISOString()).toBe('2026-03-29T03:30:00.000Z')
  })

  it.each([
    '2026-03-29',
    '2026-03-29T03:30:00',
    '2026-02-30T00:00:00Z',
    '2026-03-29T24:00:00Z',
    '2026-03-29T03:60:00Z',
    'now',
    '',
    '1803891600',
  ])('rejects %j as an instant', (text) => expect(parseInstant(text)).toBeNull())

  it('returns the same instant after formatting and parsing', () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(parseInstant(formatInstant(at))).toEqual(at)
      }),
    )
  })
})

describe('days', () => {
  it('accepts only days that exist in the calendar', () => {
    expect(['2026-02-28', '2028-02-29', '2000-02-29', '9999-12-31'].filter(isCalendarDay)).toHaveLength(4)
    expect(
      ['2026-02-29', '1900-02-29', '2026-13-01', '2026-00-01', '2026-1-1', '0026-01-01', '2026-01-01T00:00', '', 'today'].filter(
        isCalendarDay,
      ),
    ).toEqual([])
  })

  it('counts the days between two calendar days', () => {
    expect([addDays('2028-02-28', 1), addDays('2028-02-28', 2), addDays('2027-06-10', -30)]).toEqual([
      '2028-02-29',
      '2028-03-01',
      '2027-05-11',
    ])
    expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2)
    expect(() => addDays('9999-12-31', 1)).toThrow('out of range')
    expect(() => addDays('2026-02-30', 1)).toThrow('"2026-02-30" is not a day')
  })

  it('returns the same day after adding and subtracting the same number of days', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -4000, max: 4000 }), (at, days) => {
        const day = toDayInZone('UTC', at)
        expect(daysBetween(day, addDays(day, days))).toBe(days)
        expect(addDays(addDays(day, days), -days)).toBe(day)
      }),
    )
  })
})

describe('dayIn, startOfDay and endOfDay', () => {
  it("derives the day of an instant from the event's time zone, also around clock changes", () => {
    const day = (text: string) => toDayInZone('Europe/Paris', new Date(text))
    expect(['2026-10-24T22:30:00Z', '2026-10-25T22:59:00Z', '2026-10-25T23:00:00Z'].map(day)).toEqual([
      '2026-10-25',
      '2026-10-25',
      '2026-10-26',
    ])
    expect(['2026-03-31T21:59:59.999Z', '2026-03-31T22:00:00Z'].map(day)).toEqual(['2026-03-31', '2026-04-01'])
  })

  it('gives a day with a clock change a length of 23 to 25 hours', () => {
    expect([hours('2026-10-25', 'Europe/Paris'), hours('2026-03-29', 'Europe/Paris'), hours('2026-04-05', 'Australia/Lord_Howe')]).toEqual([
      25, 23, 24.5,
    ])
  })

  it('starts a day at 01:00 where the clocks skip midnight', () => {
    expect(formatInstant(startOfDay('America/Sao_Paulo', '2018-11-04'))).toBe('2018-11-04T03:00:00.000Z')
    expect(toDayInZone('America/Sao_Paulo', new Date('2018-11-04T02:59:59.999Z'))).toBe('2018-11-03')
  })

  it('returns a length of zero for a day that a time zone skipped to cross the date line', () => {
    expect(hours('2011-12-30', 'Pacific/Apia')).toBe(0)
    expect(formatInstant(startOfDay('Pacific/Apia', '2011-12-31'))).toBe('2011-12-30T10:00:00.000Z')
  })

  it('places every instant between the start and end of its day, in every zone', () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        const day = toDayInZone(name, at)
        const [start, end] = [startOfDay(name, day), endOfDay(name, day)]
        expect(day).toBe(wallText(name, at).slice(0, 10))
        expect(start <= at && at < end).toBe(true)
        expect(toDayInZone(name, start)).toBe(day)
        expect(toDayInZone(name, new Date(start.getTime() - 1))).toBe(addDays(day, -1))
        expect(toDayInZone(name, end)).toBe(addDays(day, 1))
      }),
      { numRuns: soakRounds(1000) },
    )
  })
})

describe('wallTimeToInstant', () => {
  it('converts a local time that the clocks skip to the first instant after the gap', () => {
    expect(formatInstant(wallTimeToInstant('Europe/Paris', '2026-03-29T02:30'))).toBe('2026-03-29T01:00:00.000Z')
    expect(formatInstant(wallTimeToInstant('Australia/Lord_Howe', '2026-10-04T02:15'))).toBe('2026-10-03T15:30:00.000Z')
    expect(formatInstant(wallTimeToInstant('Pacific/Apia', '2011-12-30T12:00'))).toBe('2011-12-30T10:00:00.000Z')
  })

  it('converts an ambiguous local time to the earlier of its two instants', () => {
    expect(formatInstant(wallTimeToInstant('Europe/Paris', '2026-10-25T02:30'))).toBe('2026-10-25T00:30:00.000Z')
    expect(formatInstant(wallTimeToInstant('America/St_Johns', '2010-11-06T23:30'))).toBe('2010-11-07T02:00:00.000Z')
  })

  it('converts ordinary local times to instants, with and without seconds', () => {
    expect(formatInstant(wallTimeToInstant('Asia/Kathmandu', '2026-05-01T09:00'))).toBe('2026-05-01T03:15:00.000Z')
    expect(formatInstant(wallTimeToInstant('America/New_York', '2026-01-15T23:59:59'))).toBe('2026-01-16T04:59:59.000Z')
  })

  it.each(['2026-05-01', '2026-05-01T9:00', '2026-05-01T24:00', '2026-02-30T09:00', '2026-05-01T09:00Z', '2026-05-01T09:00:00.000'])(
    'rejects the local time %s',
    (text) => {
      expect(() => wallTimeToInstant('Europe/Paris', text)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
    },
  )

  // Both cases follow one rule: the first instant at which the local time is that time or later.
  it.each(ZONES.flatMap((name) => changesOf(name).map((at) => [name, at] as const)))(
    'converts local times to the same instants as a minute-by-minute search in %s around %s',
    (name, at) => {
      const minutes = Array.from({ length: 600 }, (_, i) => new Date(Date.parse(at) + (i - 300) * 60_000))
      const walls = minutes.map((minute) => wallText(name, minute).slice(0, 16))
      for (
        let wall = walls[100] ?? '';
        wall < (walls[500] ?? '');
        wall = new Date(Date.parse(`${wall}Z`) + 7 * 60_000).toISOString().slice(0, 16)
      ) {
        expect([wall, wallTimeToInstant(name, wall)]).toEqual([wall, minutes[walls.findIndex((shown) => shown >= wall)]])
      }
    },
  )

  it('converts the local time of an instant back to that instant, or to an earlier one with the same local time', () => {
    fc.assert(
      fc.property(zone, instant, (name, at) => {
        const found = wallTimeToInstant(name, wallText(name, at))
        expect(wallText(name, found)).toBe(wallText(name, at))
        expect(found <= at).toBe(true)
      }),
      { numRuns: soakRounds(1000) },
    )
  })
})

/** The clock changes of one zone in 2012, 2018 and 2026, to the quarter of an hour. */
function changesOf(name: string): string[] {
  const offset = (ms: number) => Date.parse(`${wallText(name, new Date(ms))}Z`) - ms
  return [2012, 2018, 2026].flatMap((year) => {
    const days = Array.from({ length: 365 }, (_, i) => Date.UTC(year, 0, 1) + i * 86_400_000)
    return days
      .filter((ms) => offset(ms) !== offset(ms + 86_400_000))
      .map((ms) => {
        let change = ms
        while (offset(change) === offset(ms)) change += 900_000
        return new Date(change).toISOString()
      })
  })
}
