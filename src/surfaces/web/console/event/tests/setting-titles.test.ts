import { describe, expect, it } from 'vitest'
import { hasSettingTitleNames } from '../setting-titles.ts'

describe('hasSettingTitleNames', () => {
  it("returns true for a message that contains all names of the setting's title", () => {
    expect(hasSettingTitleNames('Confirmation email of flow “Board”', 'The flow “Board” has no confirmation email.')).toBe(true)
  })

  it("returns false for a message that lacks one of the names of the setting's title", () => {
    expect(hasSettingTitleNames('Page “About you” of flow “Board”', 'Page “About you” asks up to 19 questions.')).toBe(false)
  })

  it("returns false for a setting's title without names", () => {
    expect(hasSettingTitleNames('Contact email', 'is required to publish')).toBe(false)
  })
})
