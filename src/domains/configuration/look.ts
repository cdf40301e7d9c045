import type { EventConfig } from './schema/event-config.ts'
import { mix, readableTowards } from './validate/contrast.ts'

/** The grounds and inks of every page and mail; an event never changes them, so what it chooses is made to be read on them. */
export const BASE = {
  light: { surface: '#ffffff', surface2: '#f6f7f9', surface3: '#eceef2', text: '#14171f', muted: '#5a6273', line: '#dfe3ea' },
  dark: { surface: '#16181d', surface2: '#0f1115', surface3: '#22252c', text: '#eceef3', muted: '#a3abba', line: '#2c313a' },
} as const

/** One colour in its four uses: as text and ground of buttons, the same under the pointer, text upon it, a tint of it. */
export interface Accent {
  accent: string
  strong: string
  text: string
  soft: string
}

export interface Look {
  /** As chosen, before it was made readable. */
  brand: string
  font: Font
  radius: number
  light: Accent
  dark: Accent
}

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
const SERIF = "Georgia, 'Times New Roman', serif"

/** Fonts that a device has, or that we serve. Styles hold only what stands here: a font is looked up by name, never written as given. */
export const FONTS = {
  'system-ui': SANS,
  'sans-serif': SANS,
  inter: `'Inter', ${SANS}`,
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
export type Chosen = Pick<Theme, 'fontHeading' | 'radius'> & { colors: Pick<Theme['colors'], 'brand'> }

const OWN_BRAND = '#2f54d6'
const OWN: Chosen = { colors: { brand: OWN_BRAND }, fontHeading: 'inter', radius: 10 }

/** How pages and mails of an event look. Whatever a document holds, only a colour, a font of the list and a number come out. */
export function lookOf({ colors, fontHeading, radius }: Chosen = OWN): Look {
  const brand = /^#[0-9a-f]{6}$/i.test(colors.brand) ? colors.brand.toLowerCase() : OWN_BRAND
  const font = fontHeading.trim().toLowerCase().replace(/\s+/g, '-')
  return {
    brand,
    font: isFont(font) ? font : 'inter',
    radius: Number.isInteger(radius) && radius >= 0 && radius <= 32 ? radius : OWN.radius,
    light: onLight(brand),
    dark: onDark(brand),
  }
}

const groundsOf = ({ surface, surface2, surface3 }: (typeof BASE)['light' | 'dark']) => [surface, surface2, surface3]

function onLight(brand: string): Accent {
  const soft = mix(brand, BASE.light.surface, 0.9)
  const accent = readableTowards(brand, '#000000', [...groundsOf(BASE.light), soft])
  return { accent, strong: mix(accent, '#000000', 0.18), text: BASE.light.surface, soft }
}

function onDark(brand: string): Accent {
  const soft = mix(brand, BASE.dark.surface, 0.82)
  const accent = readableTowards(brand, '#ffffff', [...groundsOf(BASE.dark), soft])
  return { accent, strong: mix(accent, '#ffffff', 0.25), text: BASE.dark.surface2, soft }
}
