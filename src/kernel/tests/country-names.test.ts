import { describe, expect, it } from 'vitest'
import { findCountryCode } from '../country-names.ts'

describe('findCountryCode', () => {
  it.each([
    [['DE', 'deu', 'Deutschland', 'Allemagne', 'Niemcy', ' germany '], 'DE'],
    [['UK', 'U.K.', 'Great Britain', 'England', 'Vereinigtes Königreich'], 'GB'],
    [['USA', 'U.S.A.', 'United States of America', 'Verenigde Staten'], 'US'],
    [['The Netherlands', 'Holland', 'Países Bajos'], 'NL'],
    [['Czech Republic', 'Czechia'], 'CZ'],
    [['Turkey', 'Türkiye'], 'TR'],
    [['South Korea'], 'KR'],
    [['UAE', 'United Arab Emirates'], 'AE'],
    [['Hong Kong'], 'HK'],
    [['Macau', 'Macao'], 'MO'],
    [['Ivory Coast', "Côte d'Ivoire", 'Côte d’Ivoire'], 'CI'],
    [['North Macedonia'], 'MK'],
    [['Saint Martin', 'saint-martin'], 'MF'],
  ])('converts each of the country names %j to the country code %s', (written, code) => {
    expect(written.map(findCountryCode)).toEqual(written.map(() => code))
  })

  it.each(['Narnia', '', 'Europe', 'constructor'])('returns null for the unknown country %j', (text) => {
    expect(findCountryCode(text)).toBeNull()
  })
})
