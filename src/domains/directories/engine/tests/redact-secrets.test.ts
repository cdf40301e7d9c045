import { describe, expect, it } from 'vitest'
import { createSecretRedactor } from '../redact-secrets.ts'

const SECRET = 'pa\'ss/w+rd "7Zx9" é'
const blank = createSecretRedactor([SECRET, 'k3y', '73519021'])
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('createSecretRedactor', () => {
  it.each<[string, string]>([
    ['verbatim', SECRET],
    ['in another case', SECRET.toUpperCase()],
    ['URL-encoded', `https://x.org/?key=${encodeURIComponent(SECRET)}&a=1`],
    ['URL-encoded, stricter', encodeURIComponent(SECRET).replaceAll("'", '%27').toLowerCase()],
    ['in a form', new URLSearchParams({ key: SECRET }).toString()],
    ['in JSON', JSON.stringify({ key: SECRET })],
    ['in an OData query', SECRET.replaceAll("'", "''")],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in base64', base64(SECRET)],
    ...['u:', 'us:', 'user:'].map((name) => [`in the header of ${name}`, `Basic ${base64(`${name}${SECRET}:more`)}`] as [string, string]),
    ['in base64url', Buffer.from(`x${SECRET}`).toString('base64url')],
  ])("replaces a secret in a directory's answer: %s", (_, echoed) => {
    const shown = JSON.stringify(blank({ [echoed]: [`before ${echoed} after`] }))
    expect(shown.match(/\[secret\]/g)).toHaveLength(2)
    expect(shown).not.toMatch(/7zx9|N1p4O/i)
  })

  it("replaces secrets in numbers and at any depth of the directory's answer", () => {
    expect(blank({ a: [{ b: 73519021 }, 73519022], c: { d: true, e: null, f: 1.5 } })).toEqual({
      a: [{ b: '[secret]' }, 73519022],
      c: { d: true, e: null, f: 1.5 },
    })
  })

  it('does not redact longer words that contain a short secret', () => {
    expect(blank(['k3y', 'Key: K3Y.', 'monk3y', 'k3ys'])).toEqual(['[secret]', 'Key: [secret].', 'monk3y', 'k3ys'])
  })

  it("leaves a directory's answer unchanged if it repeats no secret", () => {
    const answer = { a: 'Ada', n: 1001, list: ['x', null] }
    expect(createSecretRedactor([''])(answer)).toBe(answer)
    expect(blank(answer)).toEqual(answer)
  })
})
