import { describe, expect, it } from 'vitest'
import { mentionsSetting } from '../setting-titles.ts'

describe('mentionsSetting', () => {
  it("returns true for a message that contains all names of the setting's title", () => {
    expect(mentionsSetting('Confirmation email of flow “Board”', 'The flow “Board” has no confirmation email.')).toBe(true)
  })

  it("returns false for a message that lacks one of the names of the setting's title", () => {
    expect(mentionsSetting('Page “About you” of flow “Board”', 'Page “About you” asks up to 19 questions.')).toBe(false)
  })

  it("returns false for a setting's title without names", () => {
    expect(mentionsSetting('Contact email', 'is required to publish')).toBe(false)
  })
})
