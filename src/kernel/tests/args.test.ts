import { describe, expect, it } from 'vitest'
import { country } from '../args.ts'

describe('country', () => {
  it.each([
    ['DE', 'DE'],
    [' de ', 'DE'],
    ['XK', 'XK'],
    ['SX', 'SX'],
    ['DEU', 'DE'],
    ['UK', 'GB'],
    ['Germany', 'DE'],
    ['österreich', 'AT'],
    ['PAÍSES BAJOS', 'NL'],
    ["cote d'ivoire", 'CI'],
    ['Bosnia-Herzegovina', 'BA'],
  ])('converts the country %j to its code', (given, taken) => {
    expect(country().parse(given)).toBe(taken)
  })

  // Former codes, reserved codes, and codes and names of no country.
  it.each(['SU', 'YU', 'AN', 'EU', 'UN', 'ZZ', 'AC', 'D', 'Narnia', '', '__proto__', 'constructor'])(
    'rejects the unknown country %j',
    (given) => {
      expect(country().safeParse(given).error?.issues[0]?.message).toBe('not a country code of ISO 3166-1, such as DE')
    },
  )
})
