import { describe, expect, it } from 'vitest'
import { isSettingNamedInMessage } from '../setting-titles.ts'

describe('isSettingNamedInMessage', () => {
  it("returns true if the message contains every quoted name of the setting's title", () => {
    expect(isSettingNamedInMessage('Confirmation email of flow “Board”', 'The flow “Board” has no confirmation email.')).toBe(true)
  })

  it("returns false if the message lacks one of the quoted names of the setting's title", () => {
    expect(isSettingNamedInMessage('Page “About you” of flow “Board”', 'Page “About you” asks up to 19 questions.')).toBe(false)
  })

  it("returns false for a setting's title without quoted names", () => {
    expect(isSettingNamedInMessage('Contact email', 'is required to publish')).toBe(false)
  })
})
