import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { soakRounds } from '../../../../test/support/soak.ts'
import { type BadgeFormat, parseBadgeIds } from '../badge-payload.ts'

const BASE = 'https://ev.example'
const ID = '9f3a51c2d4e5f607'
const own = (delimiter = '|'): BadgeFormat => ({ provider: 'own', delimiter, segmentIndex: 0 })
const external = (delimiter: string, segmentIndex: number): BadgeFormat => ({ provider: 'external', delimiter, segmentIndex })
const idIn = (format: BadgeFormat, raw: string) => parseBadgeIds(raw, [format], BASE)[0]?.id ?? null

describe('parseBadgeIds', () => {
  it.each([
    [own(), ID, ID],
    [own(), '9F3A51C2D4E5F607|Ana|Lima', ID],
    [own('^'), ` ${ID}^ACME ^`, ID],
    [own(), `https://ev.example/b/${ID}`, ID],
    [own(), `BEGIN:VCARD…UID:${ID}…`, ID],
    [external(';', 2), 'EVT27;Lima;000451;X', '000451'],
    [external(';', 2), ';;000451', '000451'],
    [external(';', 2), 'EVT27;Lima', null],
    [external(';', 2), '000451', '000451'],
    [external(',', 1), '"A,B",77', 'B"'],
  ])('reads with the badge format %o of the specification the id of the scanned text %s', (format, raw, id) => {
    expect(idIn(format, raw)).toBe(id)
  })

  it.each([
    [own(), `${ID}|Ada|Borealis`, ID],
    [external(';', 2), 'X;44;B-1009;', 'B-1009'],
    [external(';', 2), 'X;44', null],
    [external('.', 1), 'A.B.C', 'B'],
    [external('.', 0), 'ABC', 'ABC'],
  ])('reads with the badge format %o the id of the scanned text %s', (format, raw, id) => {
    expect(idIn(format, raw)).toBe(id)
  })

  it.each([
    ['characters added by scanners', `\u0002\uFEFF ${ID}\r\n`, ID],
    ['a line break in the middle', `${ID.slice(0, 8)}\r\n${ID.slice(8)}`, ID],
    ['an empty first segment', '|Ana', null],
    ['blanks alone', '   ', null],
    ['only invisible characters', '\u0000\u0001\uFEFF', null],
    ['a URL with a query', `${BASE}/b/${ID}?from=qr#top`, ID],
    ['a URL with a trailing slash', `${BASE}/b/${ID}/`, ID],
    ['a URL in capitals', `HTTPS://EV.EXAMPLE/B/${ID.toUpperCase()}`, ID],
    ['a URL without an id', `${BASE}/b/`, null],
    ['a URL of another site', `https://other.example/b/${ID}`, `https://other.example/b/${ID}`],
    ['a delimiter after a URL', `${BASE}/b/${ID}|x`, `${ID}|x`],
    ['512 characters', 'a'.repeat(512), 'a'.repeat(512)],
    ['513 characters', 'a'.repeat(513), null],
    ['512 characters between blanks', ` ${'a'.repeat(512)} `, 'a'.repeat(512)],
  ])('reads the badge id from a Lanyard badge with %s', (_what, raw, id) => {
    expect(idIn(own(), raw)).toBe(id)
  })

  it('reads the badge id from the UID of a vCard and ignores other fields', () => {
    const card = (lines: string[]) => ['BEGIN:VCARD', 'VERSION:4.0', ...lines, 'END:VCARD'].join('\r\n')
    const other = 'aaaaaaaaaaaaaaaa'
    expect(idIn(own(), card(['FN:Ana Lima', `UID:${ID}`]))).toBe(ID)
    expect(idIn(own(), card([`FN:UID:${other}`, `UID:${ID}`]))).toBe(ID)
    expect(idIn(own(), card([`UID;VALUE=text:${ID.toUpperCase()}`, 'FN:Ada']))).toBe(ID)
    // Without line breaks, the letters after the id may be hexadecimal digits too. An id has exactly 16 digits.
    expect(idIn(own(), card([`UID:${ID}`, 'EMAIL:ana@x.example']).replaceAll('\r\n', ''))).toBe(ID)
    expect(idIn(own(), `BEGIN:VCARD\r\nUID:${ID.slice(0, 8)}\u0000${ID.slice(8)}\r\nEND:VCARD`)).toBe(ID)
    expect(idIn(own(), card(['FN:Ana Lima']))).toBeNull()
    expect(idIn(external(';', 0), `BEGIN:VCARD;UID:${ID}`)).toBe('BEGIN:VCARD')
  })

  it('matches Lanyard badge ids in any case, and external badge ids in their exact case first', () => {
    expect(parseBadgeIds('AbC', [own()], BASE)).toEqual([{ id: 'abc', anyCase: false }])
    expect(parseBadgeIds('AbC', [external(';', 0)], BASE)).toEqual([{ id: 'AbC', anyCase: true }])
  })

  it('ignores the configured position of the badge id for badges issued by Lanyard', () => {
    expect(idIn({ ...own(), segmentIndex: 2 }, `${ID}|Ana|Lima`)).toBe(ID)
  })

  it('tries the badge formats of earlier configuration versions, newest first, and returns each id once', () => {
    const formats = [external(';', 2), external(';', 1), own(), own('^'), external(';', 2)]
    expect(parseBadgeIds('A;B;C', formats, BASE)).toEqual([
      { id: 'C', anyCase: true },
      { id: 'B', anyCase: true },
      { id: 'a;b;c', anyCase: false },
    ])
    expect(parseBadgeIds('abc', [own(), external(';', 2)], BASE)).toEqual([{ id: 'abc', anyCase: true }])
  })

  it('never returns a badge id that the database would reject', () => {
    const format = fc.record({
      provider: fc.constantFrom('own' as const, 'external' as const),
      delimiter: fc.constantFrom('|', '^', ';', '.', '*', '\\', '/', ':', '$', '('),
      segmentIndex: fc.integer({ min: 0, max: 50 }),
    })
    const raw = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 600 }),
      fc.string({ maxLength: 40 }).map((text) => `${BASE}/b/${text}`),
      fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `BEGIN:VCARD\nUID:${text}`),
    )
    fc.assert(
      fc.property(raw, fc.array(format, { minLength: 1, maxLength: 4 }), (text, formats) => {
        for (const { id } of parseBadgeIds(text, formats, BASE)) {
          expect(id.length).toBeGreaterThan(0)
          expect(id.length).toBeLessThanOrEqual(512 * 2)
          expect(id).not.toMatch(/\p{Cc}/u)
        }
      }),
      { numRuns: soakRounds(2000) },
    )
  })
})
