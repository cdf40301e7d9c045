/** WCAG contrast of two colours in the form #rrggbb, from 1 to 21. */
export function computeContrastRatio(first: string, second: string): number {
  const [light, dark] = [luminance(first), luminance(second)].toSorted((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [r, g, b] = channelsOf(color).map((channel) => {
    const c = channel / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const channelsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

export const MIN_CONTRAST = 4.5

/** Mixes two colours; `share` is the part of `other`, from 0 to 1. */
export function mixColors(color: string, other: string, share: number): string {
  const [from, to] = [channelsOf(color), channelsOf(other)]
  const mixed = from.map((channel, at) => Math.round(channel + (to[at]! - channel) * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Returns the colour closest to `color`, darker or lighter, that is readable on the background `on`. */
export function findReadableColor(color: string, on: string): string {
  for (let step = 1; step <= 100; step++) {
    for (const towards of ['#000000', '#ffffff']) {
      const candidate = mixColors(color, towards, step / 100)
      if (computeContrastRatio(candidate, on) >= MIN_CONTRAST) return candidate
    }
  }
  return computeContrastRatio('#000000', on) >= computeContrastRatio('#ffffff', on) ? '#000000' : '#ffffff'
}

/** Changes a colour step by step towards another until it is readable on all backgrounds; returns the colour itself if it already is. */
export function shiftColorUntilReadable(color: string, towards: string, grounds: readonly string[]): string {
  for (let step = 0; step < 100; step++) {
    const candidate = mixColors(color, towards, step / 100)
    if (grounds.every((ground) => computeContrastRatio(candidate, ground) >= MIN_CONTRAST)) return candidate
  }
  return towards
}
