import { describe, expect, it } from 'vitest'
import { toPlainWords } from '../plain-words.ts'

describe('toPlainWords', () => {
  it('writes codes of jobs, emails and areas as words', () => {
    expect(['run-report', 'signin.code', 'waitlist.offered', 'refundDue', 'money'].map(toPlainWords)).toEqual([
      'Run report',
      'Sign-in code',
      'Waitlist offered',
      'Refund due',
      'Money',
    ])
  })
})
