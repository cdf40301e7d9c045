import { PALETTES } from '../../../../domains/charts/theme.ts'

const pairs = (): [light: string, dark: string][] => {
  const { light, dark } = PALETTES
  return [
    ...light.series.map((colour, at): [string, string] => [colour, dark.series[at]!]),
    [light.others, dark.others],
    [light.text, dark.text],
    [light.muted, dark.muted],
    [light.grid, dark.grid],
    [light.axis, dark.axis],
    [light.background, 'transparent'],
  ]
}

const DARK_COLOURS = new Map(pairs())
const COLOUR = /(fill|stroke)="(#[0-9a-f]{6})"/g

/**
 * Adapts a chart drawn for light pages to dark pages too: each colour of the light palette becomes `light-dark()` with its dark
 * counterpart. A chart with other colours, such as those of a colour scale, stays unchanged and keeps its light background.
 */
export function addDarkChartColours(svg: string): string {
  const used = new Set([...svg.matchAll(COLOUR)].map(([, , colour]) => colour!))
  if ([...used].some((colour) => !DARK_COLOURS.has(colour))) return svg
  return svg.replaceAll(COLOUR, (_, property: string, colour: string) => {
    const dark = DARK_COLOURS.get(colour)!
    return dark === 'transparent' ? `${property}="transparent"` : `${property}="light-dark(${colour}, ${dark})"`
  })
}
