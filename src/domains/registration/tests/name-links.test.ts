import { describe, expect, it } from 'vitest'
import { containsLink } from '../name-links.ts'

describe('containsLink', () => {
  it.each([
    'http://evil.example',
    'Click HTTPS://evil.test/now',
    'ftp://files.example',
    'www.evil',
    'Win at evil.com',
    'evil.co.uk',
    'evil.de/login',
    'mail@evil.io',
    'Evil．com',
    'evil。com',
    'ev\u200Bil.com',
    'xn--80ak6aa92e',
    'Bank login.bank-example.info now',
  ])('detects the web or email address in the name %s', (text) => {
    expect(containsLink(text)).toBe(true)
  })

  it.each([
    'Ada Lovelace',
    'J.R.R. Tolkien',
    'J.de Vries',
    'Dr. med. Anna-Lena',
    'Dipl.-Ing.',
    'Ph.D.',
    'St. John',
    "O'Neil",
    'Müller, jr.',
    'Ph.Dr. Novák',
    'María José',
    '李 小龙',
    'Sven (он)',
  ])('detects no web address in the name %s', (text) => {
    expect(containsLink(text)).toBe(false)
  })
})
