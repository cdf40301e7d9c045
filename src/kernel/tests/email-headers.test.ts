import { describe, expect, it } from 'vitest'
import { buildEmailHeaders, type EmailHeaders } from '../email-headers.ts'

describe('buildEmailHeaders', () => {
  it('adds headers that mark an email as generated automatically', () => {
    expect(buildEmailHeaders('signin.code')).toEqual({ 'Auto-Submitted': 'auto-generated' })
    expect(buildEmailHeaders('transactional')).toEqual({ 'Auto-Submitted': 'auto-generated' })
    expect(buildEmailHeaders('marketing')).toEqual({ Precedence: 'bulk' })
  })

  it.each([
    { 'List-Unsubscribe': '<https://x.example/u/abc?x=1>' },
    { 'List-Unsubscribe': '<https://x.example/u/abc>, <mailto:u+abc@x.example>' },
    { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    { 'List-Id': '<news.acme.x.example>' },
    { 'In-Reply-To': '<65a1b2c3@x.example>' },
    { References: '<a@x.example> <b@x.example>' },
    { 'Auto-Submitted': 'auto-replied' },
  ] satisfies EmailHeaders[])('accepts the email header %j', (given) => {
    expect(buildEmailHeaders('operational', given)).toEqual({ Precedence: 'bulk', ...given })
  })

  it.each<Record<string, string>>([
    { Bcc: 'all@evil.example' },
    { 'X-Anything': 'x' },
    { 'reply-to': 'x@evil.example' },
    { constructor: 'x' },
    { 'List-Unsubscribe': '<https://x.example/u>\r\nBcc: all@evil.example' },
    { 'List-Unsubscribe': '<https://x.example/u>\nx' },
    { 'List-Unsubscribe': '<javascript:x>' },
    { 'List-Unsubscribe': 'https://x.example/u' },
    { 'List-Unsubscribe': '<https://x.example/u> <mailto:a@x.example>' },
    { 'List-Unsubscribe': '' },
    { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click\r\n\r\nbody' },
    { 'In-Reply-To': '<a@x.example>\r\nBcc: all@evil.example' },
    { 'In-Reply-To': '<a@x.example\u0000>' },
    { 'In-Reply-To': '<ä@x.example>' },
    { References: '<a@x.example>,<b@x.example>' },
    { References: Array.from({ length: 21 }, (_, n) => `<${n}@x.example>`).join(' ') },
    { 'Auto-Submitted': 'no' },
    { 'List-Id': 'News <news.x.example>' },
  ])('rejects the email header %j', (given) => {
    expect(() => buildEmailHeaders('marketing', given)).toThrow(/header|form/)
  })
})
