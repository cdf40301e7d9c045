/** What is still possible while not everything is decided: 1 true, 2 false, 3 either. */
export type Mask = number

export const TRUE: Mask = 1
export const FALSE: Mask = 2
export const EITHER: Mask = 3

export const maskOf = (value: boolean): Mask => (value ? TRUE : FALSE)
export const and = (a: Mask, b: Mask): Mask => (a & b & TRUE) | ((a | b) & FALSE)
export const or = (a: Mask, b: Mask): Mask => ((a | b) & TRUE) | (a & b & FALSE)
export const not = (a: Mask): Mask => ((a & TRUE) << 1) | ((a & FALSE) >> 1)
export const canBe = (mask: Mask, value: boolean) => (mask & maskOf(value)) !== 0
