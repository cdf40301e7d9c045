import { describe, expect, it } from 'vitest'
import { country } from '../args.ts'

describe('country', () => {
  it.each([
    ['DE', 'DE'],
    [' de ', 'DE'],
    ['XK', 'XK'],
    ['SX', 'SX'],
  ])('accepts the country code %j', (given, taken) => {
    expect(country().parse(given)).toBe(taken)
  })

  // Country names, former codes, reserved codes, and codes of no country.
  it.each(['UK', 'SU', 'YU', 'AN', 'EU', 'UN', 'ZZ', 'AC', 'DEU', 'D', '', '__proto__', 'constructor'])(
    'rejects the country code %j',
    (given) => {
      expect(country().safeParse(given).error?.issues[0]?.message).toBe('not a country code of ISO 3166-1, such as DE')
    },
  )
})
