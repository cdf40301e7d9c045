import { describe, expect, it, vi } from 'vitest'
import { applyTransform, checkTransform } from '../transforms.ts'

describe('transforms of directory values', () => {
  it.each<[string, unknown, unknown]>([
    ['trim', '  Anna \t Lena ', 'Anna Lena'],
    ['lower', 'ANNA', 'anna'],
    ['upper', 'straße', 'STRASSE'],
    ['title', "ANNA-LENA o'neil MÜLLER", "Anna-Lena O'Neil Müller"],
    ['title', 'élodie', 'Élodie'],
    ['title', "WOMEN'S HEALTH", "Women's Health"],
    ['title', 'WE’RE ST. MARY’S, DELL’ACQUA', 'We’re St. Mary’s, Dell’Acqua'],
    ['title', "d'souza", "D'Souza"],
    ['date(DD.MM.YYYY)', '01.02.2026', '2026-02-01'],
    ['date(DD.MM.YYYY)', '31.02.2026', undefined],
    ['date(DD.MM.YYYY)', '1.2.2026', undefined],
    ['date(D.M.YYYY)', '1.2.2026', '2026-02-01'],
    ['date(MM/DD/YYYY)', '02/01/2026 12:00', '2026-02-01'],
    ['date(YYYYMMDD)', 20_260_201, '2026-02-01'],
    ['date(DD MMM YYYY)', '01 Feb 2026', '2026-02-01'],
    ['date(DD MMM YYYY)', '01 Xyz 2026', undefined],
    ['date', '2026-02-01T00:00:00', '2026-02-01'],
    ['date(ISO)', '2026-02-01', '2026-02-01'],
    ['date(unix)', 1_769_904_000, '2026-02-01'],
    ['date(ms)', '1769904000000', '2026-02-01'],
    ['number', '1,234.50', 1234.5],
    ['number', '1.234,50', 1234.5],
    ['number', '1,5', 1.5],
    ['number', '1,234', 1234],
    ['number', "1'234.5", 1234.5],
    ['number', '0,125', 0.125],
    ['number', '-0,125', -0.125],
    ['number', '0.125', 0.125],
    ['number', '+1,234', 1234],
    ['number', '+1.234,5', 1234.5],
    ['number', '1.234', 1.234],
    ['number', '1,234,567', 1_234_567],
    ['number', '1.234.567', 1_234_567],
    ['number', '1,234,567.89', 1_234_567.89],
    ['number', '1.234.567,89', 1_234_567.89],
    ['number', '1234,567', 1234.567],
    ['number', '12,34.5', undefined],
    ['number', '12.34,5', undefined],
    ['number', '0,125.5', undefined],
    ['number', '0.125,5', undefined],
    ['number', '1,2,3', undefined],
    ['number', '-7', -7],
    ['number', 12.5, 12.5],
    ['number', 'twelve', undefined],
    ['number', '0x10', undefined],
    ['boolean', 'Yes', true],
    ['boolean', 'nope', false],
    ['boolean', true, true],
    ['boolean(A,Active)', ' active ', true],
    ['boolean(A,Active)', 'X', false],
    ['country', 'Germany', 'DE'],
    ['country', 'Deutschland', 'DE'],
    ['country', 'ALLEMAGNE', 'DE'],
    ['country', 'DEU', 'DE'],
    ['country', 'de', 'DE'],
    ['country', 'United States of America', 'US'],
    ['country', 'U.S.A.', 'US'],
    ['country', 'UK', 'GB'],
    ['country', 'España', 'ES'],
    ['country', "Côte d'Ivoire", 'CI'],
    ['country', 'Trinidad and Tobago', 'TT'],
    ['country', 'Turkey', 'TR'],
    ['country', 'Türkiye', 'TR'],
    ['country', 'Republic of Ireland', 'IE'],
    ['country', 'Moldova, Republic of', 'MD'],
    ['country', 'Taiwan, Province of China', 'TW'],
    ['country', 'Tanzania, United Republic of', 'TZ'],
    ['country', "Korea, Democratic People's Republic of", 'KP'],
    ['country', 'Viet Nam', 'VN'],
    ['country', 'Vereinigte Staaten', 'US'],
    ['country', 'Congo', 'CG'],
    ['country', 'Congo, Democratic Republic of the', 'CD'],
    ['country', 'XKX', 'XK'],
    ['country', 'Atlantis', undefined],
    ['country', 'SU', undefined],
    ['phone', '030 1234567', '+49301234567'],
    ['phone', '+1 212 555 0123', '+12125550123'],
    ['phone', 'ask at the desk', undefined],
    ['map{"A":"active","L":"lapsed"}', 'A', 'active'],
    ['map{"A":"active","L":"lapsed"}', ' a ', 'active'],
    ['map{"A":"active"}', 'X', undefined],
    ['map{"A":"active","*":"other"}', 'X', 'other'],
    ['map{"1":"one"}', 1, 'one'],
    ['map{"toString":"x"}', 'constructor', undefined],
    ['map{"a}b":"c|d"}', 'a}b', 'c|d'],
    ['split(;,0)', 'a; b ;c', 'a'],
    ['split(;,1)', 'a; b ;c', 'b'],
    ['split(;,-1)', 'a; b ;c', 'c'],
    ['split(;,9)', 'a;b', null],
    ['split(",",1)', 'Muster, Anna', 'Anna'],
    ['split(|,1)', 'a|b', 'b'],
    ['split( ,1)', 'Anna Muster', 'Muster'],
    ['split(,,1)', 'Muster, Anna', 'Anna'],
    ['split( " - " , -1 )', 'a - b-c', 'b-c'],
    [String.raw`split("\"",1)`, 'a"b', 'b'],
    ['first', [null, '', 'a', 'b'], 'a'],
    ['first', [], null],
    ['first', 'a', 'a'],
    ['trim', [' a ', null, ' b '], ['a', 'b']],
    ['first | trim | upper', ['  ab '], 'AB'],
    ['trim', null, null],
    ['lower', { a: 1 }, undefined],
  ])('applies the transform %s, which converts %j to %j', (text, value, expected) => {
    expect(checkTransform(text)).toBeNull()
    expect(applyTransform(text, value, { country: 'DE' })).toEqual(expected)
  })

  it.each([
    ['', 'is not a transform'],
    ['trimm', 'did you mean trim?'],
    ['trim(x)', 'trim takes no arguments'],
    ['date(YY)', 'date takes YYYY'],
    ['date(DD.DD.YYYY)', 'date takes YYYY'],
    ['date(DD.MM.YYYY', 'not closed'],
    ['map{}', 'map takes an object of texts'],
    ['map{"a":1}', 'map takes an object of texts'],
    ['map', 'map takes an object of texts'],
    ['split(;)', 'split takes a separator'],
    ['split(,0)', 'split takes a separator'],
    ['split(;,x)', 'split takes a separator'],
    ['split(;,1234)', 'split takes a separator'],
    ['split', 'split takes a separator'],
    ['boolean()', 'boolean takes the values that mean true'],
    ['trim lower', 'join transforms with |'],
    ['trim |', 'is not a transform'],
    ['constructor', 'unknown transform'],
    ['trim|trim|trim|trim|trim|trim', 'at most 5'],
  ])('rejects the transform %s with a readable message', (text, words) => {
    expect(checkTransform(text)).toContain(words)
    expect(applyTransform(text, 'x')).toBeUndefined()
  })

  it.each(['split(x<fill>x)', 'split(<fill>x)', 'split(<fill>,x)', 'split("<fill>",x)', 'split(<fill>;,1)'])(
    'runs only one regular expression over the long text of %s',
    (written) => {
      const filled = written.replace('<fill>', ' '.repeat(1980))
      const exec = vi.spyOn(RegExp.prototype, 'exec')
      const wrong = checkTransform(filled)
      const asked = exec.mock.calls.filter(([text]) => text.length > 100).length
      exec.mockRestore()
      expect(asked).toBe(1)
      expect(wrong === null).toBe(written.endsWith(';,1)'))
    },
  )

  it('recognizes every country by its English name and both codes', () => {
    const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const former = ['AC', 'AN', 'BU', 'CP', 'CQ', 'CS', 'DD', 'DG', 'DY', 'EA', 'EU', 'EZ', 'FX', 'HV', 'IC', 'NH', 'QO', 'RH', 'SU', 'TA']
    const none = new Set([...former, 'TP', 'UK', 'UN', 'VD', 'XA', 'XB', 'YD', 'YU', 'ZR', 'ZZ'])
    const codes = letters.flatMap((a) => letters.map((b) => a + b)).filter((code) => regions.of(code) !== undefined && !none.has(code))
    expect(codes.filter((code) => applyTransform('country', regions.of(code)) !== code)).toEqual([])
    expect(codes.filter((code) => applyTransform('country', code) !== code)).toEqual([])
    expect(codes).toHaveLength(250)
  })
})
