import { describe, expect, it } from 'vitest'
import { encodeBase32, findTotpTimeStep, computeTotpCode } from '../totp.ts'

const SECRET = Buffer.from('12345678901234567890')

describe('computeTotpCode', () => {
  // The expected codes are those of RFC 6238, appendix B, SHA-1: the last six of eight digits.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('returns for second %i the TOTP code %s of RFC 6238', (second, code) => {
    expect(computeTotpCode(SECRET, Math.floor(second / 30))).toBe(code)
  })
})

describe('findTotpTimeStep', () => {
  const step = 41_152_263
  const now = new Date(step * 30_000 + 7_000)

  it('accepts only TOTP codes of the current, previous and next time step', () => {
    const taken = [-2, -1, 0, 1, 2].map((off) => findTotpTimeStep(SECRET, computeTotpCode(SECRET, step + off), now))
    expect(taken).toEqual([null, step - 1, step, step + 1, null])
  })

  it('rejects TOTP codes that do not have six digits', () => {
    const code = computeTotpCode(SECRET, step)
    for (const given of ['', code.slice(1), `${code}0`, ` ${code}`, `0${code}`]) expect(findTotpTimeStep(SECRET, given, now)).toBe(null)
  })
})

describe('encodeBase32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foobar', 'MZXW6YTBOI'],
    ['12345678901234567890', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
  ])('encodes %j in Base32 as in RFC 4648, without padding', (text, written) => {
    expect(encodeBase32(Buffer.from(text))).toBe(written)
  })
})
