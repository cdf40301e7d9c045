import { createHmac, randomBytes } from 'node:crypto'
import { format, inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveKeys, hashToken, newToken, equalInConstantTime, Secret } from '../secrets.ts'
import { soakRounds } from '../../../test/support/soak.ts'

const master = Buffer.alloc(32, 1)
const keys = deriveKeys(master)
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('Secret', () => {
  it('shows the value of a Secret object only through its method reveal', () => {
    const secret = new Secret('hunter2')
    const shown = [
      '' + secret,
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 9 }),
      format('%s %o %j', secret, secret, secret),
    ]
    expect(shown.join()).not.toContain('hunter2')
    expect(shown.every((text) => text.includes('[secret]'))).toBe(true)
    expect(Object.values(secret)).toEqual([])
    expect(secret.reveal()).toBe('hunter2')
  })
})

describe('derived key', () => {
  it('derives a key by HKDF-SHA-256 from the master key and the label', () => {
    const hmac = (key: Buffer, bytes: Buffer) => createHmac('sha256', key).update(bytes).digest()
    const extracted = hmac(Buffer.alloc(32), master)
    expect(keys.key('otp')).toEqual(hmac(extracted, Buffer.from('lanyard otp\x01')))
    expect(keys.key('otp')).toBe(keys.key('otp'))
    expect(keys.key('otp')).not.toEqual(keys.key('cursor'))
    expect(keys.key('otp')).not.toEqual(deriveKeys(Buffer.alloc(32, 2)).key('otp'))
  })

  it('requires a master key of 32 bytes', () => {
    expect(() => deriveKeys(Buffer.alloc(31))).toThrow('32 bytes')
    expect(() => deriveKeys(master, [Buffer.alloc(33)])).toThrow('32 bytes')
  })
})

describe('seal and open', () => {
  it('decrypts a sealed value to the original bytes, and seals differently each time', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, aad) => {
        expect(keys.open('directory', keys.seal('directory', Buffer.from(bytes), aad), aad)).toEqual(Buffer.from(bytes))
      }),
    )
    expect(keys.open('directory', keys.seal('directory', 'clé', 'c1|token'), 'c1|token')?.toString()).toBe('clé')
    expect(keys.seal('directory', 'x', '')).not.toBe(keys.seal('directory', 'x', ''))
    expect(keys.seal('directory', 'x', '')).toMatch(/^[\w-]{8}\.[\w-]+$/)
  })

  it('rejects a sealed value with another label, aad or master key', () => {
    const sealed = keys.seal('directory', 'x', 'c1|token')
    expect(keys.open('cursor', sealed, 'c1|token')).toBeNull()
    expect(keys.open('directory', sealed, 'c2|token')).toBeNull()
    expect(deriveKeys(randomBytes(32)).open('directory', sealed, 'c1|token')).toBeNull()
  })

  it('rejects a sealed value with one character changed, added or removed', () => {
    const sealed = keys.seal('directory', 'some text', 'aad')
    const place = fc.nat({ max: sealed.length - 1 })
    fc.assert(
      fc.property(place, fc.constantFrom(...BASE64URL, '.', '=', '+', ' ', '\n'), fc.constantFrom(0, 1), (at, character, replaced) => {
        const forged = sealed.slice(0, at) + character + sealed.slice(at + replaced)
        if (forged !== sealed) expect(keys.open('directory', forged, 'aad')).toBeNull()
        expect(keys.open('directory', sealed.slice(0, at) + sealed.slice(at + 1), 'aad')).toBeNull()
      }),
      { numRuns: soakRounds(3000) },
    )
    // Other spellings of the last character, which has unused bits.
    const spellings = [...BASE64URL].filter((last) => keys.open('directory', sealed.slice(0, -1) + last, 'aad'))
    expect(spellings).toEqual([sealed.at(-1)])
  })

  it.each(['', '.', 'x', 'x.y', `${keys.seal('a', '', '').slice(0, 9)}`, `${keys.seal('a', '', '')}.`, `${keys.seal('a', '', '')}.x`])(
    'rejects the malformed sealed value %j',
    (text) => {
      expect(keys.open('a', text, '')).toBeNull()
    },
  )

  it('opens values sealed with an older master key, and seals with the newest', () => {
    const rotated = deriveKeys(Buffer.alloc(32, 9), [Buffer.alloc(32, 5), master])
    expect(rotated.open('directory', keys.seal('directory', 'old', 'a'), 'a')?.toString()).toBe('old')
    expect(keys.open('directory', rotated.seal('directory', 'new', 'a'), 'a')).toBeNull()
    expect(rotated.open('directory', rotated.seal('directory', 'new', 'a'), 'a')?.toString()).toBe('new')
  })
})

describe('sign and verify', () => {
  it('accepts a signature only for the text and label that were signed', () => {
    const signature = keys.sign('link', 'text')
    expect(signature).toBe(createHmac('sha256', keys.key('link')).update('text').digest('base64url'))
    expect(keys.verify('link', 'text', signature)).toBe(true)
    expect([keys.verify('link', 'text2', signature), keys.verify('other', 'text', signature)]).toEqual([false, false])
    expect(['', `${signature}=`, signature.slice(1), signature.toLowerCase()].map((s) => keys.verify('link', 'text', s))).not.toContain(
      true,
    )
  })

  it('accepts signatures of older master keys, and lists all signatures for a lookup', () => {
    const rotated = deriveKeys(Buffer.alloc(32, 9), [master])
    expect(rotated.verify('link', 'text', keys.sign('link', 'text'))).toBe(true)
    expect(rotated.listSignatures('link', 'text')).toEqual([rotated.sign('link', 'text'), keys.sign('link', 'text')])
    expect(keys.verify('link', 'text', rotated.sign('link', 'text'))).toBe(false)
  })
})

describe('tokens', () => {
  it('creates tokens with 256 random bits after a prefix', () => {
    const tokens = Array.from({ length: 100 }, () => newToken('lak_'))
    expect(new Set(tokens).size).toBe(100)
    expect(tokens[0]).toMatch(/^lak_[\w-]{43}$/)
  })

  it('stores tokens as their SHA-256 hash', () => {
    expect(hashToken('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it('returns false for tokens that differ in a byte or in length', () => {
    expect(equalInConstantTime(Buffer.from('ab'), Buffer.from('ab'))).toBe(true)
    expect([equalInConstantTime(Buffer.from('ab'), Buffer.from('ac')), equalInConstantTime(Buffer.from('ab'), Buffer.from('abc'))]).toEqual(
      [false, false],
    )
  })
})
