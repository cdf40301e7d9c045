import { describe, expect, it } from 'vitest'
import { findMostSimilarName, listMostSimilarNames } from '../nearest.ts'

const KNOWN = ['eventCode', 'clientCode', 'hotelId', 'checkIn', 'checkOut', 'contactEmail', 'idempotencyKey', 'dryRun', 'limit', 'id']

describe('findMostSimilarName', () => {
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
  ])('suggests for the unknown name %s the known name %s', (word, meant) => expect(findMostSimilarName(word, KNOWN)).toBe(meant))

  it.each(['', '_', 'x', 'banana', 'participant', 'zz', 'x'.repeat(10_000)])('suggests no known name for the word %j', (word) =>
    expect(findMostSimilarName(word, KNOWN)).toBeNull(),
  )

  it('counts two swapped letters as one typo', () => {
    expect(findMostSimilarName('naem', ['name'])).toBe('name')
    expect(findMostSimilarName('nxxe', ['name'])).toBeNull()
  })

  it('suggests the closest name, and of equally close names the earlier one in the list', () => {
    expect(findMostSimilarName('checkIm', KNOWN)).toBe('checkIn')
    expect(listMostSimilarNames('rate', ['date', 'rat', 'rates', 'rate'], 3)).toEqual(['rate', 'date', 'rat'])
    expect(findMostSimilarName('anything', [])).toBeNull()
  })
})
