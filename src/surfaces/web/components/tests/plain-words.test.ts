import { describe, expect, it } from 'vitest'
import { formatCodeAsWords } from '../plain-words.ts'

describe('formatCodeAsWords', () => {
  it('converts codes such as run-report or signin.code to words that people read', () => {
    expect(['run-report', 'signin.code', 'waitlist.offered', 'refundDue', 'money'].map(formatCodeAsWords)).toEqual([
      'Run report',
      'Sign-in code',
      'Waitlist offered',
      'Refund due',
      'Money',
    ])
  })
})
