import { describe, expect, it } from 'vitest'
import { nearest, nearestFew } from '../nearest.ts'

const KNOWN = ['eventCode', 'clientCode', 'hotelId', 'checkIn', 'checkOut', 'contactEmail', 'idempotencyKey', 'dryRun', 'limit', 'id']

describe('nearest', () => {
  it.each([
    ['event_code', 'eventCode'],
    ['Event-Code', 'eventCode'],
    ['EVENTCODE', 'eventCode'],
    ['evnetCode', 'eventCode'],
    ['evntCod', 'eventCode'],
    ['hotel', 'hotelId'],
    ['chekout', 'checkOut'],
    ['idempotentKey', 'idempotencyKey'],
    ['dry_run', 'dryRun'],
    ['limits', 'limit'],
    ['ids', 'id'],
    ['email', 'contactEmail'],
  ])('takes %s for %s', (word, meant) => expect(nearest(word, KNOWN)).toBe(meant))

  it.each(['', '_', 'x', 'banana', 'participant', 'zz', 'x'.repeat(10_000)])('knows nothing near %j', (word) =>
    expect(nearest(word, KNOWN)).toBeNull(),
  )

  it('counts two swapped letters as one slip', () => {
    expect(nearest('naem', ['name'])).toBe('name')
    expect(nearest('nxxe', ['name'])).toBeNull()
  })

  it('prefers the nearer, then the earlier in the list', () => {
    expect(nearest('checkIm', KNOWN)).toBe('checkIn')
    expect(nearestFew('rate', ['date', 'rat', 'rates', 'rate'], 3)).toEqual(['rate', 'date', 'rat'])
    expect(nearest('anything', [])).toBeNull()
  })
})
