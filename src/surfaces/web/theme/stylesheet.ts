import { createHash } from 'node:crypto'
import { type BrandThemeSettings, FONTS, isFont, type Appearance, deriveAppearance } from '../../../domains/configuration/appearance.ts'

/** Builds a stylesheet with the design tokens that an event's theme replaces. All other tokens keep the defaults of base.css. */
export function buildThemeStylesheet({ light, dark, font, radius }: Appearance): string {
  const both = (role: keyof Appearance['light']) => `light-dark(${light[role]}, ${dark[role]})`
  return `@layer tokens {
  :root {
    --accent: ${both('accent')};
    --accent-strong: ${both('strong')};
    --accent-text: ${both('text')};
    --accent-soft: ${both('soft')};
    --focus: ${both('accent')};
    --font-heading: ${FONTS[font]};
    --radius: ${radius}px;
    --radius-s: ${Math.round(radius * 0.7)}px;
  }
}
`
}

/**
 * Returns the path of a theme's stylesheet. The path contains all values of the theme and a hash of the stylesheet, so it can be cached
 * forever.
 */
export function buildThemeStylesheetPath(theme: BrandThemeSettings): string {
  const look = deriveAppearance(theme)
  const hash = createHash('sha256').update(buildThemeStylesheet(look)).digest('hex').slice(0, 10)
  return `/themes/${look.brand.slice(1)}-${look.font}-${look.radius}.${hash}.css`
}

const THEME_FILE_NAME = /^([0-9a-f]{6})-([a-z-]+)-(\d{1,2})\.[0-9a-f]{10}\.css$/

/** Parses the theme from a stylesheet's file name; null if the name is invalid. */
export function parseThemeFileName(name: string): BrandThemeSettings | null {
  const [, color, font = '', radius] = THEME_FILE_NAME.exec(name) ?? []
  return color && isFont(font) && Number(radius) <= 32
    ? { colors: { brand: `#${color}` }, fontHeading: font, radius: Number(radius) }
    : null
}
