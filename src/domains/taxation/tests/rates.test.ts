import { describe, expect, it } from 'vitest'
import { COUNTRIES } from '../../../kernel/countries.ts'
import { toRegionCode } from '../places.ts'
import { findTaxRate, parseRatesFile, BUILT_IN_TAX_RATES } from '../rates.ts'
import { SHIPPED_TAX_RATES } from '../shipped-rates.ts'

const on = (place: string, day: string) => {
  const [country = '', region = null] = place.split('-')
  return findTaxRate(BUILT_IN_TAX_RATES, { country, region }, day)?.rate ?? null
}

describe('shipped tax rates', () => {
  it.each([
    ['FI', '2024-08-31', '24', '2024-09-01', '25.5'],
    ['SK', '2024-12-31', '20', '2025-01-01', '23'],
    ['IL', '2024-12-31', '17', '2025-01-01', '18'],
    ['CA-NS', '2025-03-31', '15', '2025-04-01', '14'],
    ['EE', '2025-06-30', '22', '2025-07-01', '24'],
    ['EE', '2023-12-31', '20', '2024-01-01', '22'],
    ['RO', '2025-07-31', '19', '2025-08-01', '21'],
    ['CH', '2023-12-31', '7.7', '2024-01-01', '8.1'],
    ['LU', '2023-12-31', '16', '2024-01-01', '17'],
    ['SG', '2023-12-31', '8', '2024-01-01', '9'],
    ['TR', '2023-07-09', '18', '2023-07-10', '20'],
  ])('finds the shipped tax rate of %s on %s as %s, and on %s as %s', (place, last, before, first, after) => {
    expect([on(place, last), on(place, first)]).toEqual([before, after])
  })

  it('finds a shipped tax rate for every listed country and province, but none for the United States', () => {
    const nations =
      'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK GB CH NO IS AU NZ JP SG KR IN AE SA ZA MX IL TR'.split(
        ' ',
      )
    const provinces = 'AB BC MB NB NL NS NT NU ON PE QC SK YT'.split(' ').map((code) => `CA-${code}`)
    expect([...nations, ...provinces].filter((place) => on(place, '2026-06-01') === null)).toEqual([])
    expect(['US', 'US-IL', 'CA', 'BR'].filter((place) => on(place, '2026-06-01') !== null)).toEqual([])
  })

  it('has no gaps or overlaps between the shipped tax rates of a place, and cites a source for each rate', () => {
    const byPlace = Map.groupBy(SHIPPED_TAX_RATES, ({ country, region }) => `${country}-${region}`)
    for (const rows of byPlace.values()) {
      for (const [index, row] of rows.entries()) {
        const next = rows[index + 1]
        expect(row.until).toBe(next ? new Date(Date.parse(next.from) - 86_400_000).toISOString().slice(0, 10) : null)
        expect(row.source).not.toBe('')
        expect(COUNTRIES.has(row.country)).toBe(true)
      }
    }
  })

  it('has tax components that add up to the tax rate, for every shipped rate', () => {
    const shared = SHIPPED_TAX_RATES.filter(({ components }) => components.length > 0)
    expect(shared.every(({ rate, components }) => components.reduce((sum, one) => sum + Number(one.rate), 0) === Number(rate))).toBe(true)
    expect(findTaxRate(BUILT_IN_TAX_RATES, { country: 'CA', region: 'QC' }, '2026-06-01')).toMatchObject({
      rate: '14.975',
      components: [
        { code: 'gst', rate: '5' },
        { code: 'qst', rate: '9.975' },
      ],
    })
  })
})

const row = { country: 'US', region: 'IL', rate: '10.25', from: '2020-01-01', source: 'Illinois Department of Revenue' }
const fileOf = (...rates: object[]) => JSON.stringify({ version: 'acme-1', rates })

describe('parseRatesFile', () => {
  it('replaces the shipped tax rates only for the places in the rates file', () => {
    const rates = parseRatesFile(fileOf(row, { country: 'FR', rate: '21', from: '2027-01-01', source: 'A plan' }))
    expect(rates.version).toBe('acme-1 over 2026-01')
    expect(findTaxRate(rates, { country: 'US', region: 'IL' }, '2026-06-01')?.rate).toBe('10.25')
    expect(findTaxRate(rates, { country: 'US', region: 'TX' }, '2026-06-01')).toBeNull()
    expect(findTaxRate(rates, { country: 'FR', region: null }, '2026-06-01')).toBeNull()
    expect(findTaxRate(rates, { country: 'FR', region: null }, '2027-06-01')?.rate).toBe('21')
    expect(findTaxRate(rates, { country: 'DE', region: null }, '2026-06-01')?.rate).toBe('19')
  })

  it.each([
    ['no JSON', '{', /^is not JSON: /],
    ['a rate that is not text', fileOf({ ...row, rate: 10.25 }), /^rates\/0\/rate: /],
    ['a rate over 100', fileOf(row, { ...row, region: 'WI', rate: '101' }), /^rates\/1\/rate: a percentage from 0 to 100/],
    ['an unknown country', fileOf({ ...row, country: 'ZZ' }), /^rates\/0\/country: not a country code/],
    ['an invalid date', fileOf({ ...row, from: '2026-02-30' }), /^rates\/0\/from: no such day: February 2026 has 28 days/],
    ['an end before its start', fileOf({ ...row, until: '2019-01-01' }), /^rates\/0\/until: is before from 2020-01-01/],
    ['no source', fileOf({ ...row, source: undefined }), /^rates\/0\/source: /],
    ['an unknown key', fileOf({ ...row, rates: '1' }), /^rates\/0: .*rates/],
    [
      'components that do not add up',
      fileOf({ ...row, components: [{ code: 'state', name: 'State', rate: '6.25' }] }),
      /^rates\/0\/components: add up to 6.25, not to the rate 10.25/,
    ],
    [
      'two rates on one day',
      fileOf(row, { ...row, rate: '11', from: '2026-01-01' }),
      /^rates\/0\/until: US-IL has another rate from 2026-01-01 \(rates\/1\); end this one on 2025-12-31/,
    ],
    ['no version', JSON.stringify({ rates: [row] }), /^version: /],
    ['no rows', JSON.stringify({ version: '1', rates: [] }), /^rates: needs a row/],
  ])('rejects a tax rates file with %s, and names the row and field in the error', (_what, content, sentence) => {
    expect(() => parseRatesFile(content)).toThrow(sentence)
  })
})

describe('toRegionCode', () => {
  it('recognizes the codes and names of Canadian provinces', () => {
    expect(['NS', 'ns', 'CA-NS', 'Nova Scotia', 'Nouvelle-Écosse', ' Québec '].map((text) => toRegionCode('CA', text))).toEqual([
      'NS',
      'NS',
      'NS',
      'NS',
      'NS',
      'QC',
    ])
    expect([toRegionCode('FR', 'Auvergne'), toRegionCode(null, 'NS'), toRegionCode('CA', '')]).toEqual([null, null, null])
  })
})
