import { describe, expect, it } from 'vitest'
import { country } from '../args.ts'

describe('country', () => {
  it.each([
    ['DE', 'DE'],
    [' de ', 'DE'],
    ['XK', 'XK'],
    ['SX', 'SX'],
  ])('takes %j', (given, taken) => {
    expect(country().parse(given)).toBe(taken)
  })

  // Names that are no codes, codes that were, are reserved for others, or name no country.
  it.each(['UK', 'SU', 'YU', 'AN', 'EU', 'UN', 'ZZ', 'AC', 'DEU', 'D', '', '__proto__', 'constructor'])('refuses %j', (given) => {
    expect(country().safeParse(given).error?.issues[0]?.message).toBe('not a country code of ISO 3166-1, such as DE')
  })
})
