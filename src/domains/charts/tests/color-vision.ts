type Rgb = readonly [number, number, number]
type Matrix = readonly [Rgb, Rgb, Rgb]

/** Matrices that simulate complete color blindness in linear RGB (Machado, Oliveira and Fernandes, 2009). */
export const COLOR_BLINDNESS: Readonly<Record<'protanopia' | 'deuteranopia' | 'tritanopia', Matrix>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const multiply = (matrix: Matrix, [x, y, z]: Rgb): Rgb => matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Rgb
const clamp = (value: number) => Math.max(0, Math.min(1, value))

const toLinear = (color: string): Rgb =>
  [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb

const RGB_TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
]
const WHITE: Rgb = [0.95047, 1, 1.08883]

/** Converts a color to CIELAB (L*, a*, b*) as it appears with normal vision, or to a color-blind person. */
export function toLab(color: string, blindness?: Matrix): Rgb {
  const linear = toLinear(color)
  const seen = blindness ? (multiply(blindness, linear).map(clamp) as unknown as Rgb) : linear
  const [x, y, z] = multiply(RGB_TO_XYZ, seen).map((value, index) => {
    const ratio = value / WHITE[index]!
    return ratio > 216 / 24389 ? Math.cbrt(ratio) : (841 / 108) * ratio + 4 / 29
  }) as unknown as Rgb
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const degrees = (radians: number) => ((radians * 180) / Math.PI + 360) % 360
const cosine = (angle: number) => Math.cos((angle * Math.PI) / 180)
const sine = (angle: number) => Math.sin((angle * Math.PI) / 180)

/** Returns the CIEDE2000 difference of two colors. */
export function deltaE2000([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const meanChroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2
  const g = 0.5 * (1 - Math.sqrt(meanChroma ** 7 / (meanChroma ** 7 + 25 ** 7)))
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)]
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)]
  const [h1, h2] = [c1 === 0 ? 0 : degrees(Math.atan2(b1, x1)), c2 === 0 ? 0 : degrees(Math.atan2(b2, x2))]
  const turn = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180
  const [deltaL, deltaC, deltaH] = [l2 - l1, c2 - c1, 2 * Math.sqrt(c1 * c2) * sine(turn / 2)]
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2]
  const h = c1 * c2 === 0 ? h1 + h2 : Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2
  const t = 1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) - 0.2 * cosine(4 * h - 63)
  const scaleL = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2)
  const [scaleC, scaleH] = [1 + 0.045 * c, 1 + 0.015 * c * t]
  const rotation = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * sine(60 * Math.exp(-(((h - 275) / 25) ** 2)))
  const [dl, dc, dh] = [deltaL / scaleL, deltaC / scaleC, deltaH / scaleH]
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh)
}
