import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { email } from '../args.ts'
import { foldEmailCase, isSameEmail, toEmailAddress } from '../email-address.ts'

/** Characters that Unicode lower-casing, case folding or NFKC would turn into others, with the text that they would become. */
const FOLDED_BY_UNICODE = [
  ['\u212A', 'k'],
  ['\u0130', 'i\u0307'],
  ['\u212B', '\u00E5'],
  ['\u017F', 's'],
  ['\uFF4B', 'k'],
  ['\uFF2B', 'k'],
  ['e\u0301', '\u00E9'],
  ['\u00DF', 'ss'],
  ['\u1E9E', '\u00DF'],
  ['\u00C4', '\u00E4'],
  ['\uFB01', 'fi'],
] as const

describe('foldEmailCase', () => {
  it('ignores the case of A to Z in the whole email address', () => {
    expect(foldEmailCase('Petra.BOTH+News@Example.ORG')).toBe('petra.both+news@example.org')
    expect(isSameEmail('PETRA@EXAMPLE.ORG', 'petra@example.org')).toBe(true)
  })

  it.each(FOLDED_BY_UNICODE)('treats two email addresses as different if one has %j and the other %j before the @', (character, plain) => {
    expect(foldEmailCase(`${character}enta@example.org`)).toBe(`${character}enta@example.org`)
    expect(isSameEmail(`${character}enta@example.org`, `${plain}enta@example.org`)).toBe(false)
  })

  it('leaves an already normalized email address unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 20 }), (local, domain) => {
        const folded = foldEmailCase(`${local}@${domain}`)
        expect(foldEmailCase(folded)).toBe(folded)
      }),
    )
  })
})

describe('toEmailAddress', () => {
  it.each([
    ['Anna@MÜNCHEN.example', 'Anna@münchen.example'],
    ['Anna@xn--mnchen-3ya.example', 'Anna@münchen.example'],
    ['Anna@XN--MNCHEN-3YA.Example', 'Anna@münchen.example'],
    ['Anna@mu\u0308nchen.example', 'Anna@münchen.example'],
    ['anna@\u212Aenta.example', 'anna@kenta.example'],
    ['anna@ｋｅｎｔａ．example', 'anna@kenta.example'],
    ['anna@kenta。example', 'anna@kenta.example'],
    ['anna@straße.example', 'anna@straße.example'],
    ['anna@Example.ORG', 'anna@Example.ORG'],
  ])('converts the domain of %s to its stored form', (typed, stored) => {
    expect(toEmailAddress(typed)).toBe(stored)
    expect(email().parse(typed)).toBe(stored)
  })

  it.each(['anna@münchen/x.example', 'anna@münchen%2e.example', 'anna@münchen:25.example', 'anna@mün chen.example'])(
    'refuses the address %s, whose emails would go to another domain',
    (typed) => {
      expect(toEmailAddress(typed)).toBeNull()
      expect(email().safeParse(typed).success).toBe(false)
    },
  )
})
