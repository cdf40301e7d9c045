import { computeContrastRatio, mixColors } from '../../kernel/contrast.ts'
import type { ChartTheme } from './chart.ts'

interface Palette {
  background: string
  /** The colors of series, in order of use. Neighbouring colors are distinguishable with every kind of color blindness. */
  series: readonly string[]
  /** The color of the merged series Other. */
  others: string
  text: string
  /** The text color of axes and notes. */
  muted: string
  grid: string
  axis: string
  /** The lightest and the strongest color of a sequential scale. */
  sequence: readonly [low: string, high: string]
}

export const PALETTES: Readonly<Record<ChartTheme, Palette>> = {
  light: {
    background: '#ffffff',
    series: ['#0072b2', '#c84e00', '#008563', '#b0558a', '#8a6a00', '#7a3e9d'],
    others: '#5a5a5a',
    text: '#1b1f24',
    muted: '#57606a',
    grid: '#e6e9ed',
    axis: '#8c959f',
    sequence: ['#e3eff7', '#00507d'],
  },
  dark: {
    background: '#14171c',
    series: ['#56b4e9', '#e69f00', '#1fc99a', '#e08fc0', '#f0e442', '#ff8a5c'],
    others: '#b8bec6',
    text: '#eceff3',
    muted: '#aab2bd',
    grid: '#2b3038',
    axis: '#6b7480',
    sequence: ['#1d2b36', '#8fd0f7'],
  },
}

/** Dash patterns and point shapes of series, so that series never differ by color alone. */
export const SERIES_DASH_PATTERNS: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [12, 4, 2, 4, 2, 4]]
export const SERIES_POINT_SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down'] as const

export const MAX_SERIES = 6

/** Returns a color of the sequential scale; `share` is from 0 to 1. */
export const getSequentialColor = ({ sequence: [low, high] }: Palette, share: number): string =>
  mixColors(low, high, Math.max(0, Math.min(1, share)))

/** Returns black or white, whichever is more readable on a color. One of them always has a contrast of at least 4.5. */
export const chooseTextColor = (color: string): string =>
  computeContrastRatio('#000000', color) >= computeContrastRatio('#ffffff', color) ? '#000000' : '#ffffff'
