import { describe, expect, it } from 'vitest'
import { parseDate, detectDayMonthOrder } from '../dates.ts'
import { findCurrencyCode, detectDecimalSeparator, parseDecimalCell } from '../numbers.ts'
import { splitName } from '../person-names.ts'
import { toRandomAccessFile } from '../random-access-file.ts'
import { computeSheetProfile } from '../profile.ts'
import { openSheets } from '../sheets.ts'

describe('numbers in spreadsheet cells', () => {
  it.each([
    ['1.234,56', ',', '1234.56'],
    ['1,234.56', '.', '1234.56'],
    ['1 234,56 €', ',', '1234.56'],
    ["1'234.50", '.', '1234.50'],
    ['EUR 12', '.', '12'],
    ['12,5', ',', '12.5'],
    ['-3,00', ',', '-3.00'],
    ['(45.00)', '.', '-45.00'],
    ['12.00-', '.', '-12.00'],
    ['1.234', ',', '1234'],
    ['1.234', '.', '1.234'],
    ['$ 1,234', '.', '1234'],
    ['0', '.', '0'],
    ['-0.00', '.', '0.00'],
    ['007', '.', '7'],
    ['12,34,567.00', '.', '1234567.00'],
  ] as const)('parses the number %s with the decimal separator %s as %s', (text, separator, decimal) => {
    expect(parseDecimalCell(text, separator)).toBe(decimal)
  })

  it.each([['twelve'], [''], ['1.2.3'], ['12/5'], ['1,23'], ['4.5 kg'], ['12.']])('rejects %s as a number', (text) => {
    expect(parseDecimalCell(text, '.')).toBeNull()
  })

  it('returns number cells of a workbook unchanged', () => {
    expect(parseDecimalCell(1234.5, ',')).toBe('1234.5')
    expect(parseDecimalCell(1e-7, '.')).toBe('0.0000001')
    expect(detectDecimalSeparator(1234.5)).toBeNull()
  })

  it.each([
    ['1,234', 'either'],
    ['1.234', 'either'],
    ['12,34', ','],
    ['0.500', '.'],
    ['1234.567', '.'],
    ['1,234,567', '.'],
    ['1.234.567', ','],
    ['1.234,5', ','],
    ['1234', null],
    ['n/a', null],
  ])('detects the decimal separator of the number %s: %s', (text, hint) => {
    expect(detectDecimalSeparator(text)).toBe(hint)
  })

  it('finds the currency code in an amount', () => {
    expect(['12.00 EUR', 'USD 5', '12', '€ 5', 'CHF12.50'].map(findCurrencyCode)).toEqual(['EUR', 'USD', null, null, 'CHF'])
  })
})

const decidedBy = async (values: readonly string[]) => {
  const [sheet] = await openSheets(
    toRandomAccessFile(Buffer.from(`Value;Word\n${values.map((value) => `${value};w`).join('\n')}\n`)),
    'x.csv',
  )
  const { decimal, dates } = (await computeSheetProfile(sheet!)).columns[0]!
  return { decimal, dates }
}

describe('the format of a spreadsheet column', () => {
  it('decides the date order of a column by one value above 12, otherwise leaves it open', async () => {
    expect((await decidedBy(['03/04/2026', '05/06/2026'])).dates).toBe('either')
    expect((await decidedBy(['03/04/2026', '13/06/2026'])).dates).toBe('DMY')
    expect((await decidedBy(['03/04/2026', '06/13/2026'])).dates).toBe('MDY')
    expect((await decidedBy(['13/04/2026', '06/13/2026'])).dates).toBe('either')
    expect((await decidedBy(['03.04.2026'])).dates).toBe('DMY')
    expect((await decidedBy(['2026-04-03', '4 March 2026'])).dates).toBeNull()
    expect((await decidedBy(['04/04/2026'])).dates).toBeNull()
  })

  it('decides the decimal separator of a column by one unambiguous value', async () => {
    expect((await decidedBy(['1,234', '12'])).decimal).toBe('either')
    expect((await decidedBy(['1,234', '12,5'])).decimal).toBe(',')
    expect((await decidedBy(['1,234', '1,234.00'])).decimal).toBe('.')
    expect((await decidedBy(['12', '13'])).decimal).toBeNull()
  })
})

describe('dates in spreadsheet cells', () => {
  const day = (text: string, order?: 'DMY' | 'MDY') => parseDate(text, order)?.day

  it('parses dates written as numbers or with month names', () => {
    expect(day('2026-03-31')).toBe('2026-03-31')
    expect(day('2026/3/1')).toBe('2026-03-01')
    expect(day('31.03.2026')).toBe('2026-03-31')
    expect(day('03/04/2026', 'DMY')).toBe('2026-04-03')
    expect(day('03/04/2026', 'MDY')).toBe('2026-03-04')
    expect(day('3-4-26', 'DMY')).toBe('2026-04-03')
    expect(day('31 March 2026')).toBe('2026-03-31')
    expect(day('March 31, 2026')).toBe('2026-03-31')
    expect(day('31. März 2026')).toBe('2026-03-31')
    expect(day('1er août 2026')).toBe('2026-08-01')
    expect(day('3 de mayo de 2026')).toBe('2026-05-03')
    expect(day('5-Mar-26')).toBe('2026-03-05')
    expect(parseDate('31/03/2026 2:05 pm', 'DMY')).toEqual({ day: '2026-03-31', time: '14:05:00', offset: null })
    expect(parseDate('2026-03-31T14:05:09.123Z')).toEqual({ day: '2026-03-31', time: '14:05:09', offset: 'Z' })
    expect(parseDate('2026-03-31 14:05 +0200')).toEqual({ day: '2026-03-31', time: '14:05:00', offset: '+02:00' })
  })

  it.each([['31/02/2026'], ['2026-13-01'], ['soon'], ['1234'], ['31/03/2026 25:00'], ['2026-03-31 x'], ['0/0/2026']])(
    'rejects %s as a date',
    (text) => {
      expect(parseDate(text, 'DMY')).toBeNull()
    },
  )

  it('detects whether a date has the day or the month first', () => {
    expect(['03/04/2026', '31/12/2026', '12/31/2026', '31/31/2026', 'x'].map(detectDayMonthOrder)).toEqual([
      'either',
      'DMY',
      'MDY',
      null,
      null,
    ])
  })
})

describe('splitName', () => {
  it.each([
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['Lovelace, Ada', 'Ada', 'Lovelace'],
    ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
    ['Ludwig Mies van der Rohe', 'Ludwig Mies', 'van der Rohe'],
    ['Charles de Gaulle', 'Charles', 'de Gaulle'],
    ['Leonardo da Vinci', 'Leonardo', 'da Vinci'],
    ['Juan de la Cruz', 'Juan', 'de la Cruz'],
    ['Osama bin Zayed', 'Osama', 'bin Zayed'],
    ['van Gogh, Vincent', 'Vincent', 'van Gogh'],
    ['van Gogh', '', 'van Gogh'],
    ['Al Gore', 'Al', 'Gore'],
    ['Dr. Ada Lovelace', 'Ada', 'Lovelace'],
    ['Prof. Dr. Ada King', 'Ada', 'King'],
    ['Herr Max Müller', 'Max', 'Müller'],
    ['Martin Luther King Jr.', 'Martin Luther', 'King'],
    ['Martin Luther King, Jr.', 'Martin Luther', 'King'],
    ['King, Martin Luther, PhD', 'Martin Luther', 'King'],
    ['John Smith III', 'John', 'Smith'],
    ['M. Night Shyamalan', 'M. Night', 'Shyamalan'],
    ['Cher', '', 'Cher'],
    ['  Ada   Lovelace ', 'Ada', 'Lovelace'],
  ])('splits the name %s into first name %s and last name %s', (text, firstName, lastName) => {
    expect(splitName(text)).toMatchObject({ firstName, lastName })
  })

  it('separates title and suffix from a full name', () => {
    expect(splitName('Dr. Sammy Davis Jr.')).toEqual({ prefix: 'Dr.', firstName: 'Sammy', lastName: 'Davis', suffix: 'Jr.' })
  })
})
