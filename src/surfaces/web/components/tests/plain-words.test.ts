import { describe, expect, it } from 'vitest'
import { toPlainWords } from '../plain-words.ts'

describe('toPlainWords', () => {
  it('converts codes of jobs, emails and areas to words', () => {
    expect(['run-report', 'signin.code', 'waitlist.offered', 'refundDue', 'money'].map(toPlainWords)).toEqual([
      'Run report',
      'Sign-in code',
      'Waitlist offered',
      'Refund due',
      'Money',
    ])
  })
})
