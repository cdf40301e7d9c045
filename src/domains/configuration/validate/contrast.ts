/** WCAG contrast of two colours written #rrggbb, from 1 to 21. */
export function contrastOf(first: string, second: string): number {
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

export const ENOUGH = 4.5

/** `share` of `other` in `color`, from 0 to 1. */
export function mix(color: string, other: string, share: number): string {
  const [from, to] = [channelsOf(color), channelsOf(other)]
  const mixed = from.map((channel, at) => Math.round(channel + (to[at]! - channel) * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** The colour nearest to `color` that can be read on `on`: darker or lighter in small steps, whichever comes first. */
export function nearestReadable(color: string, on: string): string {
  for (let step = 1; step <= 100; step++) {
    for (const towards of ['#000000', '#ffffff']) {
      const candidate = mix(color, towards, step / 100)
      if (contrastOf(candidate, on) >= ENOUGH) return candidate
    }
  }
  return contrastOf('#000000', on) >= contrastOf('#ffffff', on) ? '#000000' : '#ffffff'
}

/** The same on several grounds at once, by steps in one direction; the colour itself where it can be read already. */
export function readableTowards(color: string, towards: string, grounds: readonly string[]): string {
  for (let step = 0; step < 100; step++) {
    const candidate = mix(color, towards, step / 100)
    if (grounds.every((ground) => contrastOf(candidate, ground) >= ENOUGH)) return candidate
  }
  return towards
}
