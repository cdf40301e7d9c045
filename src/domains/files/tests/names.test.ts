import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toSafeFileName } from '../names.ts'

describe('toSafeFileName', () => {
  it.each([
    ['photo.png', 'image/png', 'photo.png'],
    ['Photo.PNG', 'image/png', 'Photo.png'],
    ['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
    ['Änderung für Zoë.pdf', 'application/pdf', 'Änderung für Zoë.pdf'],
    ['名簿.csv', 'text/csv', '名簿.csv'],
    ['page.html', 'image/png', 'page.html.png'],
    ['../../etc/passwd', 'text/plain', 'passwd.txt'],
    ['..\\..\\boot.ini', 'text/plain', 'boot.ini.txt'],
    ['C:\\fakepath\\me.jpg', 'image/jpeg', 'me.jpg'],
    ['....', 'image/png', 'file.png'],
    ['.png', 'image/png', 'png.png'],
    ['', 'image/png', 'file.png'],
    ['a\r\nSet-Cookie: x.png', 'image/png', 'aSet-Cookie x.png'],
    ['quote".png', 'image/png', 'quote.png'],
    ['gnp.\u202egnp.exe', 'image/png', 'gnp.gnp.exe.png'],
    ['a\0b.png', 'image/png', 'ab.png'],
    [`${'x'.repeat(300)}.png`, 'image/png', `${'x'.repeat(120)}.png`],
    ['anything', 'application/x-unheard-of', 'anything.bin'],
  ])('turns the file name %j of type %s into %j', (sent, mime, expected) => {
    expect(toSafeFileName(sent, mime)).toBe(expected)
  })

  it('returns a file name that is safe on every operating system for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom('image/png', 'text/csv', 'x/y'), (sent, mime) => {
        const name = toSafeFileName(sent, mime)
        expect(name).not.toMatch(/[\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}]|^[. ]|[. ]$/u)
        expect(name.length).toBeLessThanOrEqual(200 * 2)
        expect([...name].length).toBeLessThanOrEqual(200)
        expect(toSafeFileName(name, mime)).toBe(name)
      }),
      { numRuns: 2000 },
    )
  })
})
