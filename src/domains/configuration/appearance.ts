import { memoize } from '../../kernel/memoize.ts'
import type { EventConfig } from './schema/event-config.ts'
import { mixColors, shiftColorUntilReadable } from '../../kernel/contrast.ts'

/** Background and text colours of every page and email. Events cannot change them, so brand colours are adjusted to be readable on them. */
export const BASE_THEME_COLORS = {
  light: { surface: '#ffffff', surface2: '#f6f7f9', surface3: '#eceef2', text: '#14171f', muted: '#5a6273', line: '#dfe3ea' },
  dark: { surface: '#16181d', surface2: '#0f1115', surface3: '#22252c', text: '#eceef3', muted: '#a3abba', line: '#2c313a' },
} as const

/** One brand colour in its four uses: text and button background (`accent`), the hover state, text on the button, and a light tint. */
export interface AccentColors {
  accent: string
  strong: string
  text: string
  soft: string
}

export interface Appearance {
  /** The brand colour as the organizer configured it, before it is adjusted for contrast. */
  brand: string
  font: Font
  radius: number
  light: AccentColors
  dark: AccentColors
}

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
const SERIF = "Georgia, 'Times New Roman', serif"

const INTER = `'Inter', ${SANS}`

/**
 * CSS font stacks by configured font name. Only these stacks are written into the CSS, never the configured name. `system-ui` and
 * `sans-serif` start with Inter, which we serve, so that a page without a chosen font looks the same on every device.
 */
export const FONTS = {
  'system-ui': INTER,
  'sans-serif': INTER,
  inter: INTER,
  arial: `Arial, ${SANS}`,
  helvetica: `Helvetica, Arial, ${SANS}`,
  verdana: `Verdana, ${SANS}`,
  tahoma: `Tahoma, ${SANS}`,
  'trebuchet-ms': `'Trebuchet MS', ${SANS}`,
  serif: SERIF,
  georgia: SERIF,
  'times-new-roman': `'Times New Roman', ${SERIF}`,
  palatino: `Palatino, 'Palatino Linotype', ${SERIF}`,
  monospace: 'ui-monospace, Menlo, Consolas, monospace',
  'courier-new': "'Courier New', ui-monospace, monospace",
} as const

export type Font = keyof typeof FONTS

export const isFont = (name: string): name is Font => Object.hasOwn(FONTS, name)

type Theme = EventConfig['theme']
export type BrandThemeSettings = Pick<Theme, 'fontHeading' | 'radius'> & { colors: Pick<Theme['colors'], 'brand'> }

const DEFAULT_BRAND = '#2f54d6'
const DEFAULT_THEME: BrandThemeSettings = { colors: { brand: DEFAULT_BRAND }, fontHeading: 'inter', radius: 10 }

/**
 * Derives the appearance of an event's pages and emails. The result contains only a valid colour, a listed font and a number, even for an
 * invalid theme.
 */
export function deriveAppearance({ colors, fontHeading, radius }: BrandThemeSettings = DEFAULT_THEME): Appearance {
  const brand = /^#[0-9a-f]{6}$/i.test(colors.brand) ? colors.brand.toLowerCase() : DEFAULT_BRAND
  const font = fontHeading.trim().toLowerCase().replace(/\s+/g, '-')
  return {
    brand,
    font: isFont(font) ? font : 'inter',
    radius: Number.isInteger(radius) && radius >= 0 && radius <= 32 ? radius : DEFAULT_THEME.radius,
    ...deriveAccents(brand),
  }
}

const MAX_CACHED_BRANDS = 500
/** Every page and email of an event needs the colors, and finding readable ones takes many steps. */
const deriveAccents = memoize(MAX_CACHED_BRANDS, (brand) => ({ light: deriveAccentOnLight(brand), dark: deriveAccentOnDark(brand) }))

const groundsOf = ({ surface, surface2, surface3 }: (typeof BASE_THEME_COLORS)['light' | 'dark']) => [surface, surface2, surface3]

function deriveAccentOnLight(brand: string): AccentColors {
  const soft = mixColors(brand, BASE_THEME_COLORS.light.surface, 0.9)
  const accent = shiftColorUntilReadable(brand, '#000000', [...groundsOf(BASE_THEME_COLORS.light), soft])
  return { accent, strong: mixColors(accent, '#000000', 0.18), text: BASE_THEME_COLORS.light.surface, soft }
}

function deriveAccentOnDark(brand: string): AccentColors {
  const soft = mixColors(brand, BASE_THEME_COLORS.dark.surface, 0.82)
  const accent = shiftColorUntilReadable(brand, '#ffffff', [...groundsOf(BASE_THEME_COLORS.dark), soft])
  return { accent, strong: mixColors(accent, '#ffffff', 0.25), text: BASE_THEME_COLORS.dark.surface2, soft }
}
