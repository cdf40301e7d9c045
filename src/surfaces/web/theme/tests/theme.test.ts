import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import {
  type AccentColors,
  BASE_THEME_COLORS,
  type BrandThemeSettings,
  FONTS,
  deriveAppearance,
} from '../../../../domains/configuration/appearance.ts'
import { computeContrastRatio, MIN_CONTRAST } from '../../../../kernel/contrast.ts'
import { themePages } from '../pages.ts'
import { buildThemeStylesheet, buildThemeStylesheetPath } from '../stylesheet.ts'

const theme = (brand: string, fontHeading = 'system-ui', radius = 8): BrandThemeSettings => ({ colors: { brand }, fontHeading, radius })
const colors = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`)

/** The contrast of every colour pair that appears on a page. */
const pairsOf = (
  { accent, strong, text, soft }: AccentColors,
  { surface, surface2, surface3 }: (typeof BASE_THEME_COLORS)['light' | 'dark'],
) => [
  ...[surface, surface2, surface3, soft].flatMap((ground) => [computeContrastRatio(accent, ground), computeContrastRatio(strong, ground)]),
  computeContrastRatio(text, accent),
  computeContrastRatio(text, strong),
]

describe('theme colours', () => {
  it('gives theme colours enough contrast on every background in light and dark mode for any brand colour', () => {
    fc.assert(
      fc.property(colors, (brand) => {
        const { light, dark } = deriveAppearance(theme(brand))
        for (const ratio of [...pairsOf(light, BASE_THEME_COLORS.light), ...pairsOf(dark, BASE_THEME_COLORS.dark)])
          expect(ratio).toBeGreaterThanOrEqual(MIN_CONTRAST)
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps a readable brand colour and adjusts other brand colours as little as possible', () => {
    expect(deriveAppearance(theme('#1f4e79')).light.accent).toBe('#1f4e79')
    expect(deriveAppearance(theme('#ffe08a')).dark.accent).toBe('#ffe08a')
    const yellow = deriveAppearance(theme('#ffe08a')).light.accent
    expect(yellow).not.toBe('#ffe08a')
    expect(computeContrastRatio(yellow, BASE_THEME_COLORS.light.surface3)).toBeLessThan(MIN_CONTRAST + 0.3)
  })

  it('assumes the same default colours and design tokens as the stylesheets base.css and public.css', () => {
    const read = (name: string) => readFileSync(new URL(`../../../../../assets/${name}`, import.meta.url), 'utf8')
    const styles = read('base.css') + read('public.css')
    const roles = { surface: 'surface', surface2: 'surface-2', surface3: 'surface-3', text: 'text', muted: 'muted', line: 'line' } as const
    for (const [name, token] of Object.entries(roles) as [keyof typeof roles, string][]) {
      expect(styles).toContain(`--${token}: light-dark(${BASE_THEME_COLORS.light[name]}, ${BASE_THEME_COLORS.dark[name]});`)
    }
    for (const [, token] of buildThemeStylesheet(deriveAppearance()).matchAll(/(--[a-z-]+):/g)) expect(styles).toContain(`${token}: `)
  })
})

describe('heading font', () => {
  it('uses Inter as heading font unless the event names another font', () => {
    const fontOf = (name: string) => /--font-heading: ([^;]+);/.exec(buildThemeStylesheet(deriveAppearance(theme('#1f4e79', name))))![1]
    for (const name of ['system-ui', 'sans-serif', 'Inter', 'unknown']) expect(fontOf(name)).toMatch(/^'Inter', /)
    expect(fontOf('Georgia')).toMatch(/^Georgia, /)
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
/** Whether the stylesheet contains only our tokens, set to hex colours, listed fonts and lengths. */
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

describe('theme values in the event document', () => {
  it.each(PAYLOADS)('injects no CSS from the theme value %j', (payload) => {
    for (const chosen of [theme(payload), theme('#1f4e79', payload), theme('#1f4e79', 'Inter', payload as unknown as number)]) {
      expect(isHarmless(buildThemeStylesheet(deriveAppearance(chosen)))).toBe(true)
      expect(buildThemeStylesheetPath(chosen)).toMatch(/^\/themes\/[0-9a-f]{6}-[a-z-]+-\d{1,2}\.[0-9a-f]{10}\.css$/)
    }
    expect(isHarmless(buildThemeStylesheet(deriveAppearance()).replace('10px', payload))).toBe(false)
  })

  it.each([-1, 33, 1.5, NaN, Infinity])('uses the default corner radius if the configured radius is %s', (radius) => {
    expect(deriveAppearance(theme('#1f4e79', 'Inter', radius)).radius).toBe(10)
  })
})

describe('the stylesheet of a theme', () => {
  const app = new Hono().route('/', themePages())

  it('serves the stylesheet at an address that contains the theme values and can be cached forever', async () => {
    const address = buildThemeStylesheetPath(theme('#1F4E79', 'Trebuchet MS', 0))
    expect(address).toMatch(/^\/themes\/1f4e79-trebuchet-ms-0\./)
    const answer = await app.request(address)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8')
    const css = await answer.text()
    expect(css).toContain('--accent: light-dark(#1f4e79, ')
    expect(css).toContain("--font-heading: 'Trebuchet MS', ")
    expect(css).toContain('--radius: 0px;')
    expect(buildThemeStylesheetPath(theme('#1f4e79', 'Trebuchet MS', 1))).not.toBe(address)
  })

  it('redirects an address with an outdated stylesheet hash to the current address without caching', async () => {
    const address = buildThemeStylesheetPath(theme('#1f4e79', 'Inter', 8))
    const old = await app.request(address.replace(/\.[0-9a-f]{10}\./, '.0123456789.'))
    expect([old.status, old.headers.get('location'), old.headers.get('cache-control')]).toEqual([302, address, 'no-store'])
  })

  it.each(['x.css', '1f4e79-comic-8.0123456789.css', '1f4e79-inter-99.0123456789.css', '1f4e79-constructor-8.0123456789.css', '..%2f'])(
    'responds with 404 for the invalid stylesheet name %s',
    async (name) => {
      expect((await app.request(`/themes/${name}`)).status).toBe(404)
    },
  )
})
