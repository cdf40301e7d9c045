import { createHash } from 'node:crypto'
import { type Chosen, FONTS, isFont, type Look, lookOf } from '../../../domains/configuration/look.ts'

/** The tokens that an event's theme replaces; everything else is the page's own. */
export function stylesheetOf({ light, dark, font, radius }: Look): string {
  const both = (role: keyof Look['light']) => `light-dark(${light[role]}, ${dark[role]})`
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

/** Said by its name alone, so a page of any version or draft has its theme at an address that never changes what it means. */
export function themeAddress(theme: Chosen): string {
  const look = lookOf(theme)
  const hash = createHash('sha256').update(stylesheetOf(look)).digest('hex').slice(0, 10)
  return `/themes/${look.brand.slice(1)}-${look.font}-${look.radius}.${hash}.css`
}

const NAME = /^([0-9a-f]{6})-([a-z-]+)-(\d{1,2})\.[0-9a-f]{10}\.css$/

/** The theme that an address speaks of; null when it speaks of none. */
export function themeNamed(name: string): Chosen | null {
  const [, color, font = '', radius] = NAME.exec(name) ?? []
  return color && isFont(font) && Number(radius) <= 32
    ? { colors: { brand: `#${color}` }, fontHeading: font, radius: Number(radius) }
    : null
}
