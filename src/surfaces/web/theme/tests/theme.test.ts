import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { type Accent, BASE, type Chosen, FONTS, lookOf } from '../../../../domains/configuration/look.ts'
import { contrastOf, ENOUGH } from '../../../../domains/configuration/validate/contrast.ts'
import { themePages } from '../pages.ts'
import { stylesheetOf, themeAddress } from '../stylesheet.ts'

const theme = (brand: string, fontHeading = 'system-ui', radius = 8): Chosen => ({ colors: { brand }, fontHeading, radius })
const colors = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`)

/** Every pair that a page puts together, with its contrast. */
const pairsOf = ({ accent, strong, text, soft }: Accent, { surface, surface2, surface3 }: (typeof BASE)['light' | 'dark']) => [
  ...[surface, surface2, surface3, soft].flatMap((ground) => [contrastOf(accent, ground), contrastOf(strong, ground)]),
  contrastOf(text, accent),
  contrastOf(text, strong),
]

describe('the colours of a theme', () => {
  it('can be read on every ground, light and dark, whatever was chosen', () => {
    fc.assert(
      fc.property(colors, (brand) => {
        const { light, dark } = lookOf(theme(brand))
        for (const ratio of [...pairsOf(light, BASE.light), ...pairsOf(dark, BASE.dark)]) expect(ratio).toBeGreaterThanOrEqual(ENOUGH)
      }),
      { numRuns: 2000 },
    )
  })

  it('stay as chosen where they can be read, and are moved no further than needed', () => {
    expect(lookOf(theme('#1f4e79')).light.accent).toBe('#1f4e79')
    expect(lookOf(theme('#ffe08a')).dark.accent).toBe('#ffe08a')
    const yellow = lookOf(theme('#ffe08a')).light.accent
    expect(yellow).not.toBe('#ffe08a')
    expect(contrastOf(yellow, BASE.light.surface3)).toBeLessThan(ENOUGH + 0.3)
  })

  it('are corrected for the grounds that the stylesheet really has', () => {
    const styles = readFileSync(new URL('../../../../../assets/styles.css', import.meta.url), 'utf8')
    const roles = { surface: 'surface', surface2: 'surface-2', surface3: 'surface-3', text: 'text', muted: 'muted', line: 'line' } as const
    for (const [name, token] of Object.entries(roles) as [keyof typeof roles, string][]) {
      expect(styles).toContain(`--${token}: light-dark(${BASE.light[name]}, ${BASE.dark[name]});`)
    }
    for (const [, token] of stylesheetOf(lookOf()).matchAll(/(--[a-z-]+):/g)) expect(styles).toContain(`${token}: `)
  })
})

const PAYLOADS = [
  'red',
  '#fff',
  '#1f4e79; } body { display: none',
  '#1f4e79}*{background:url(https://evil.example)}',
  'url(javascript:alert(1))',
  'expression(alert(1))',
  '#1f4e79/*',
  '*/ } @import "https://evil.example"; :root {',
  '</style><script>alert(1)</script>',
  "Inter'; } a { color: red",
  'Inter, url("//evil.example/x.woff2")',
  'system-ui;--accent:red',
  '\\27 ; } html { opacity: 0',
  'constructor',
  '__proto__',
  'toString',
  'Inter\n} body { color: red',
  'var(--danger)',
  '#12345g',
  '#1234567',
]
/** Nothing but our tokens with colours, fonts of the list and lengths. */
const FONT_STACKS = new Set<string>(Object.values(FONTS))
const isHarmless = (css: string) => {
  const lines = css.split('\n').slice(2, -3)
  return (
    lines.length === 8 &&
    lines.every((line) => {
      const [, name, value = ''] = /^ {4}(--[a-z-]+): (.*);$/.exec(line) ?? []
      if (name === '--font-heading') return FONT_STACKS.has(value)
      return /^(light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)|\d{1,2}px)$/.test(value)
    })
  )
}

describe('what no document can do', () => {
  it.each(PAYLOADS)('%j becomes no style', (payload) => {
    for (const chosen of [theme(payload), theme('#1f4e79', payload), theme('#1f4e79', 'Inter', payload as unknown as number)]) {
      expect(isHarmless(stylesheetOf(lookOf(chosen)))).toBe(true)
      expect(themeAddress(chosen)).toMatch(/^\/themes\/[0-9a-f]{6}-[a-z-]+-\d{1,2}\.[0-9a-f]{10}\.css$/)
    }
    expect(isHarmless(stylesheetOf(lookOf()).replace('10px', payload))).toBe(false)
  })

  it.each([-1, 33, 1.5, NaN, Infinity])('a radius of %s is none', (radius) => {
    expect(lookOf(theme('#1f4e79', 'Inter', radius)).radius).toBe(10)
  })
})

describe('the stylesheet of a theme', () => {
  const app = new Hono().route('/', themePages())

  it('has an address of its own, is kept for ever, and says what was chosen', async () => {
    const address = themeAddress(theme('#1F4E79', 'Trebuchet MS', 0))
    expect(address).toMatch(/^\/themes\/1f4e79-trebuchet-ms-0\./)
    const answer = await app.request(address)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8')
    const css = await answer.text()
    expect(css).toContain('--accent: light-dark(#1f4e79, ')
    expect(css).toContain("--font-heading: 'Trebuchet MS', ")
    expect(css).toContain('--radius: 0px;')
    expect(themeAddress(theme('#1f4e79', 'Trebuchet MS', 1))).not.toBe(address)
  })

  it('of an older form leads to the one of today and is not kept', async () => {
    const address = themeAddress(theme('#1f4e79', 'Inter', 8))
    const old = await app.request(address.replace(/\.[0-9a-f]{10}\./, '.0123456789.'))
    expect([old.status, old.headers.get('location'), old.headers.get('cache-control')]).toEqual([302, address, 'no-store'])
  })

  it.each(['x.css', '1f4e79-comic-8.0123456789.css', '1f4e79-inter-99.0123456789.css', '1f4e79-constructor-8.0123456789.css', '..%2f'])(
    'is not found at %s',
    async (name) => {
      expect((await app.request(`/themes/${name}`)).status).toBe(404)
    },
  )
})
