import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareDecimals,
  getCurrencyDecimals,
  isCurrency,
  splitByWeights,
  parseDecimal,
  computePercentOfAmount,
  divideAndRoundHalfAway,
  sumMinorUnits,
  multiplyMinorUnits,
  toMinorUnits,
  toMoney,
} from '../money.ts'

const minor = fc.maxSafeInteger()
const currency = fc.constantFrom('EUR', 'JPY', 'KWD', 'HUF', 'USD')
const percent = fc.tuple(fc.integer({ min: 0, max: 500_000 }), fc.constantFrom(0, 1, 2, 3, 4)).map(([n, d]) => (n / 10 ** d).toFixed(d))

describe('currencies', () => {
  it('gives currencies the decimals of ISO 4217, also where Intl differs', () => {
    expect(['JPY', 'EUR', 'KWD', 'HUF', 'IDR', 'IQD'].map(getCurrencyDecimals)).toEqual([0, 2, 3, 2, 2, 3])
  })

  it('recognises currency codes in upper case only', () => {
    expect(['EUR', 'eur', 'ABC', ''].map(isCurrency)).toEqual([true, false, false, false])
    expect(() => getCurrencyDecimals('ABC')).toThrow('"ABC" is not a currency')
  })
})

describe('toMinorUnits', () => {
  it.each([
    ['125.00', 'EUR', 12_500],
    ['125', 'EUR', 12_500],
    ['125.5', 'EUR', 12_550],
    ['-0.05', 'EUR', -5],
    ['-0.00', 'EUR', 0],
    ['1250', 'JPY', 1250],
    ['1.234', 'KWD', 1234],
    ['90071992547409.91', 'EUR', Number.MAX_SAFE_INTEGER],
  ])('converts %s %s to minor units', (amount, code, expected) => expect(toMinorUnits(amount, code)).toBe(expected))

  it.each([
    ['10.005', 'EUR', '"10.005" has more decimals than EUR has (2)'],
    ['1.0', 'JPY', '"1.0" has more decimals than JPY has (0)'],
    ['12,50', 'EUR', '"12,50" is not an amount; write a decimal such as "125.00"'],
    ['1e3', 'EUR', 'is not an amount'],
    ['', 'EUR', 'is not an amount'],
    ['90071992547409.92', 'EUR', 'is too large'],
  ])('rejects the amount %j %s', (amount, code, message) => {
    expect(() => toMinorUnits(amount, code)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', message: expect.stringContaining(message) }),
    )
  })

  it('names the argument with the invalid amount in the error', () => {
    expect(() => toMinorUnits('x', 'EUR', 'fee')).toThrow(/^fee: "x" is not an amount/)
  })

  it('returns the same minor units after a conversion to money and back', () => {
    fc.assert(
      fc.property(minor, currency, (n, code) => {
        expect(toMinorUnits(toMoney(n, code).amount, code)).toBe(n)
      }),
    )
  })
})

describe('toMoney', () => {
  it('formats an amount with as many decimals as its currency has', () => {
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

describe('computePercentOfAmount', () => {
  it('calculates the specified discounts and taxes for the lines of the order with discount code SAVE15', () => {
    expect([computePercentOfAmount(75_000, '15'), computePercentOfAmount(14_999, '15')]).toEqual([11_250, 2_250])
    expect([computePercentOfAmount(63_750, '20'), computePercentOfAmount(12_749, '20')]).toEqual([12_750, 2_550])
    expect(computePercentOfAmount(9_999, '5') + computePercentOfAmount(9_999, '9.975')).toBe(500 + 997)
    expect(3_003 + computePercentOfAmount(3_003, '19')).toBe(3_574)
  })

  it('calculates the tax that a gross price contains', () => {
    expect(divideAndRoundHalfAway(17_800n * 10n, 110n)).toBe(1_618)
  })

  it('rounds a result halfway between two minor units away from zero', () => {
    expect([
      computePercentOfAmount(50, '1'),
      computePercentOfAmount(-50, '1'),
      computePercentOfAmount(49, '1'),
      computePercentOfAmount(-49, '1'),
    ]).toEqual([1, -1, 0, 0])
    // 1.005 × 100 is 100.49999999999999 in floating point.
    expect(computePercentOfAmount(10_000, '1.005')).toBe(101)
  })

  it('rounds any percentage of any amount to the nearest minor unit, and halves away from zero', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e10, max: 1e10 }), percent, (amount, rate) => {
        const { units, digits } = parseDecimal(rate) ?? { units: 0n, digits: 0 }
        const [n, d] = [BigInt(amount) * units, 100n * 10n ** BigInt(digits)]
        const error = BigInt(computePercentOfAmount(amount, rate)) * d - n
        const outward = n < 0n ? -error : error
        expect(2n * outward <= d && 2n * outward > -d).toBe(true)
      }),
    )
  })

  it('rejects an invalid percentage', () => {
    expect(() => computePercentOfAmount(100, '15%')).toThrow('"15%" is not a percentage')
  })
})

describe('divideAndRoundHalfAway', () => {
  it('rounds halves of negative numbers away from zero, and never returns minus zero', () => {
    expect([
      divideAndRoundHalfAway(5n, 2n),
      divideAndRoundHalfAway(-5n, 2n),
      divideAndRoundHalfAway(5n, -2n),
      divideAndRoundHalfAway(-5n, -2n),
    ]).toEqual([3, -3, -3, 3])
    expect(Object.is(divideAndRoundHalfAway(-1n, 3n), 0)).toBe(true)
  })
})

describe('sumMinorUnits', () => {
  it('adds amounts, and throws if any intermediate sum is not a safe integer', () => {
    expect(sumMinorUnits([76_500, 15_299, 17_800])).toBe(109_599)
    expect(sumMinorUnits([])).toBe(0)
    expect(() => sumMinorUnits([Number.MAX_SAFE_INTEGER, 2, -2])).toThrow(RangeError)
  })
})

describe('multiplyMinorUnits', () => {
  it('multiplies amounts, and throws if the result is not a safe integer', () => {
    expect([multiplyMinorUnits(1_001, 3), multiplyMinorUnits(1_001, 0)]).toEqual([3_003, 0])
    expect(() => multiplyMinorUnits(Number.MAX_SAFE_INTEGER, 2)).toThrow(RangeError)
  })
})

describe('splitByWeights', () => {
  it('distributes 100.00 over three order lines as in the specification', () => {
    expect(splitByWeights(10_000, [75_000, 14_999, 17_800])).toEqual([6_958, 1_391, 1_651])
  })

  it('gives the rest of a split to the largest remainders, and to the earlier item on a tie', () => {
    expect(splitByWeights(100, [1, 1, 1])).toEqual([34, 33, 33])
    expect(splitByWeights(2, [1, 1, 1])).toEqual([1, 1, 0])
    expect(splitByWeights(1, [1n, 2n, 0n])).toEqual([0, 1, 0])
  })

  it('splits an amount by zero weights into zeros, and rejects a negative amount', () => {
    expect([splitByWeights(5, []), splitByWeights(5, [0, 0]), splitByWeights(0, [1, 2])]).toEqual([[], [0, 0], [0, 0]])
    expect(() => splitByWeights(-1, [1])).toThrow(RangeError)
    expect(() => splitByWeights(1, [2, -1])).toThrow(RangeError)
  })

  it('splits an amount without a remainder, with each share exact to less than one unit', () => {
    const weights = fc
      .array(fc.integer({ min: 0, max: 2 ** 45 }), { minLength: 1, maxLength: 12 })
      .filter((list) => list.some((n) => n > 0))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), weights, (amount, list) => {
        const all = list.reduce((sum, weight) => sum + BigInt(weight), 0n)
        const shares = splitByWeights(amount, list)
        expect(sumMinorUnits(shares)).toBe(amount)
        for (const [index, share] of shares.entries()) {
          const off = BigInt(share) * all - BigInt(amount) * BigInt(list[index]!)
          expect(off < all && off > -all).toBe(true)
        }
      }),
    )
  })
})

describe('decimals', () => {
  it('compares decimals exactly regardless of their number of digits', () => {
    const sign = (a: string, b: string) => compareDecimals(parseDecimal(a) ?? fail(), parseDecimal(b) ?? fail())
    expect([sign('1.50', '1.5'), sign('-2', '1'), sign('0.1000000000000000000001', '0.1')]).toEqual([0, -1, 1])
  })

  it('parses decimals in canonical form only', () => {
    expect(['01', '.5', '5.', '+5', '1e3', ' 1', '1_0', '٣', '9'.repeat(41)].map(parseDecimal)).toEqual(Array(9).fill(null))
  })
})

const fail = (): never => {
  throw new Error('not a decimal')
}
