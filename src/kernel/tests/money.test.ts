import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareDecimals,
  digitsOf,
  isCurrency,
  largestRemainder,
  parseDecimal,
  percentOf,
  roundHalfAway,
  sumMinor,
  timesMinor,
  toMinor,
  toMoney,
} from '../money.ts'

const minor = fc.maxSafeInteger()
const currency = fc.constantFrom('EUR', 'JPY', 'KWD', 'HUF', 'USD')
const percent = fc.tuple(fc.integer({ min: 0, max: 500_000 }), fc.constantFrom(0, 1, 2, 3, 4)).map(([n, d]) => (n / 10 ** d).toFixed(d))

describe('currencies', () => {
  it('have the digits of ISO 4217, also where Intl has others', () => {
    expect(['JPY', 'EUR', 'KWD', 'HUF', 'IDR', 'IQD'].map(digitsOf)).toEqual([0, 2, 3, 2, 2, 3])
  })

  it('are known by their capital letters only', () => {
    expect(['EUR', 'eur', 'ABC', ''].map(isCurrency)).toEqual([true, false, false, false])
    expect(() => digitsOf('ABC')).toThrow('"ABC" is not a currency')
  })
})

describe('toMinor', () => {
  it.each([
    ['125.00', 'EUR', 12_500],
    ['125', 'EUR', 12_500],
    ['125.5', 'EUR', 12_550],
    ['-0.05', 'EUR', -5],
    ['-0.00', 'EUR', 0],
    ['1250', 'JPY', 1250],
    ['1.234', 'KWD', 1234],
    ['90071992547409.91', 'EUR', Number.MAX_SAFE_INTEGER],
  ])('reads %s %s', (amount, code, expected) => expect(toMinor(amount, code)).toBe(expected))

  it.each([
    ['10.005', 'EUR', '"10.005" has more decimals than EUR has (2)'],
    ['1.0', 'JPY', '"1.0" has more decimals than JPY has (0)'],
    ['12,50', 'EUR', '"12,50" is not an amount; write a decimal such as "125.00"'],
    ['1e3', 'EUR', 'is not an amount'],
    ['', 'EUR', 'is not an amount'],
    ['90071992547409.92', 'EUR', 'is too large'],
  ])('refuses %j %s', (amount, code, message) => {
    expect(() => toMinor(amount, code)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', message: expect.stringContaining(message) }),
    )
  })

  it('names the argument it is given', () => {
    expect(() => toMinor('x', 'EUR', 'fee')).toThrow(/^fee: "x" is not an amount/)
  })

  it('gives back what toMoney wrote', () => {
    fc.assert(
      fc.property(minor, currency, (n, code) => {
        expect(toMinor(toMoney(n, code).amount, code)).toBe(n)
      }),
    )
  })
})

describe('toMoney', () => {
  it("writes the currency's own number of digits", () => {
    expect(toMoney(12_500, 'EUR')).toEqual({ amount: '125.00', currency: 'EUR' })
    expect([toMoney(5, 'EUR'), toMoney(-5, 'KWD'), toMoney(1250, 'JPY'), toMoney(0, 'EUR')].map((m) => m.amount)).toEqual([
      '0.05',
      '-0.005',
      '1250',
      '0.00',
    ])
    expect(() => toMoney(0.5, 'EUR')).toThrow(RangeError)
  })
})

describe('percentOf', () => {
  it('rounds the lines of the order with code SAVE15 as specified', () => {
    expect([percentOf(75_000, '15'), percentOf(14_999, '15')]).toEqual([11_250, 2_250])
    expect([percentOf(63_750, '20'), percentOf(12_749, '20')]).toEqual([12_750, 2_550])
    expect(percentOf(9_999, '5') + percentOf(9_999, '9.975')).toBe(500 + 997)
    expect(3_003 + percentOf(3_003, '19')).toBe(3_574)
  })

  it('takes the tax out of an inclusive price', () => {
    expect(roundHalfAway(17_800n * 10n, 110n)).toBe(1_618)
  })

  it('sends halves away from zero', () => {
    expect([percentOf(50, '1'), percentOf(-50, '1'), percentOf(49, '1'), percentOf(-49, '1')]).toEqual([1, -1, 0, 0])
    // 1.005 × 100 is 100.49999999999999 in floating point.
    expect(percentOf(10_000, '1.005')).toBe(101)
  })

  it('is the nearest integer, and of two the one away from zero', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e10, max: 1e10 }), percent, (amount, rate) => {
        const { units, digits } = parseDecimal(rate) ?? { units: 0n, digits: 0 }
        const [n, d] = [BigInt(amount) * units, 100n * 10n ** BigInt(digits)]
        const error = BigInt(percentOf(amount, rate)) * d - n
        const outward = n < 0n ? -error : error
        expect(2n * outward <= d && 2n * outward > -d).toBe(true)
      }),
    )
  })

  it('refuses what is not a percentage', () => {
    expect(() => percentOf(100, '15%')).toThrow('"15%" is not a percentage')
  })
})

describe('roundHalfAway', () => {
  it('minds the sign of both parts and makes no minus zero', () => {
    expect([roundHalfAway(5n, 2n), roundHalfAway(-5n, 2n), roundHalfAway(5n, -2n), roundHalfAway(-5n, -2n)]).toEqual([3, -3, -3, 3])
    expect(Object.is(roundHalfAway(-1n, 3n), 0)).toBe(true)
  })
})

describe('sumMinor', () => {
  it('sums, and refuses to leave the exact integers even when it would come back', () => {
    expect(sumMinor([76_500, 15_299, 17_800])).toBe(109_599)
    expect(sumMinor([])).toBe(0)
    expect(() => sumMinor([Number.MAX_SAFE_INTEGER, 2, -2])).toThrow(RangeError)
  })
})

describe('timesMinor', () => {
  it('multiplies, and refuses to leave the exact integers', () => {
    expect([timesMinor(1_001, 3), timesMinor(1_001, 0)]).toEqual([3_003, 0])
    expect(() => timesMinor(Number.MAX_SAFE_INTEGER, 2)).toThrow(RangeError)
  })
})

describe('largestRemainder', () => {
  it('spreads 100.00 over the lines of the specified order', () => {
    expect(largestRemainder(10_000, [75_000, 14_999, 17_800])).toEqual([6_958, 1_391, 1_651])
  })

  it('gives what is left to the largest remainders, of equal ones to the earlier', () => {
    expect(largestRemainder(100, [1, 1, 1])).toEqual([34, 33, 33])
    expect(largestRemainder(2, [1, 1, 1])).toEqual([1, 1, 0])
    expect(largestRemainder(1, [1n, 2n, 0n])).toEqual([0, 1, 0])
  })

  it('spreads nothing over nothing, and refuses what is below zero', () => {
    expect([largestRemainder(5, []), largestRemainder(5, [0, 0]), largestRemainder(0, [1, 2])]).toEqual([[], [0, 0], [0, 0]])
    expect(() => largestRemainder(-1, [1])).toThrow(RangeError)
    expect(() => largestRemainder(1, [2, -1])).toThrow(RangeError)
  })

  it('gives everybody their exact share to less than one unit, and all of it', () => {
    const weights = fc
      .array(fc.integer({ min: 0, max: 2 ** 45 }), { minLength: 1, maxLength: 12 })
      .filter((list) => list.some((n) => n > 0))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), weights, (amount, list) => {
        const all = list.reduce((sum, weight) => sum + BigInt(weight), 0n)
        const shares = largestRemainder(amount, list)
        expect(sumMinor(shares)).toBe(amount)
        for (const [index, share] of shares.entries()) {
          const off = BigInt(share) * all - BigInt(amount) * BigInt(list[index]!)
          expect(off < all && off > -all).toBe(true)
        }
      }),
    )
  })
})

describe('decimals', () => {
  it('compare exactly whatever their digits', () => {
    const sign = (a: string, b: string) => compareDecimals(parseDecimal(a) ?? fail(), parseDecimal(b) ?? fail())
    expect([sign('1.50', '1.5'), sign('-2', '1'), sign('0.1000000000000000000001', '0.1')]).toEqual([0, -1, 1])
  })

  it('have one usual form', () => {
    expect(['01', '.5', '5.', '+5', '1e3', ' 1', '1_0', '٣', '9'.repeat(41)].map(parseDecimal)).toEqual(Array(9).fill(null))
  })
})

const fail = (): never => {
  throw new Error('not a decimal')
}
