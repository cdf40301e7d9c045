import { describe, expect, it } from 'vitest'
import { mentionsSetting } from '../setting-titles.ts'

describe('mentionsSetting', () => {
  it('finds the names of the title in the message', () => {
    expect(mentionsSetting('Confirmation email of flow “Board”', 'The flow “Board” has no confirmation email.')).toBe(true)
  })

  it('requires every name of the title', () => {
    expect(mentionsSetting('Page “About you” of flow “Board”', 'Page “About you” asks up to 19 questions.')).toBe(false)
  })

  it('rejects a title without names', () => {
    expect(mentionsSetting('Contact email', 'is required to publish')).toBe(false)
  })
})
