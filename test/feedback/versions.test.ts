import { describe, expect, it } from 'vitest'
import { isLaterVersion } from '../../src/domains/feedback/versions.ts'

describe('comparison of product versions', () => {
  it.each([
    ['0.1.1', '0.1.0', true],
    ['0.10.0', '0.9.9', true],
    ['1.0.0', '1.0.0-rc.2', true],
    ['1.0.0-rc.10', '1.0.0-rc.2', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0+build', '1.0.0', false],
    ['1.0.0-rc.1', '1.0.0', false],
    ['0.9.0', '1.0.0', false],
  ])('decides whether version %s is later than %s: %s', (version, than, later) => {
    expect(isLaterVersion(version, than)).toBe(later)
  })
})
