import { describe, expect, it } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import { requireStrongPassword } from '../passwords.ts'

function refusalOf(password: string, email = 'maria.keller@example.org'): string | null {
  try {
    requireStrongPassword(password, { email })
    return null
  } catch (error) {
    return (error as AppError).details.fields![0]!.message
  }
}

describe('requireStrongPassword', () => {
  it.each(['', 'short', 'elevenchars'])('rejects the password %j as too short', (password) => {
    expect(refusalOf(password)).toBe('A password has at least 12 characters.')
  })

  it('rejects passwords above the maximum length', () => {
    expect(refusalOf('x1-'.repeat(80))).toBe('A password has at most 200 characters.')
  })

  it.each([
    'password1234',
    'Password2027!',
    'P@ssw0rd2027!',
    'PASSWORDPASSWORD',
    'welcome12345',
    'qwertyuiop123',
    '123456789012',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'Lanyard-2027!!',
    'maria.keller@example.org',
    'MariaKeller1990',
  ])('rejects the commonly attacked password %s', (password) => {
    expect(refusalOf(password)).toBe('This password is among the first that attackers try. Choose another one.')
  })

  it.each(['correct horse battery staple', 'nimble-otter-42-lamp', 'Zürich im Regen 7', 'kD8#vPq2!sLm'])(
    'accepts the password %s',
    (password) => {
      expect(refusalOf(password)).toBe(null)
    },
  )
})
