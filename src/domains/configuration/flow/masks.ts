/** The truth values that a condition can still have while some answers are undecided, as bits: 1 true, 2 false, 3 either. */
export type TruthMask = number

export const TRUE_ONLY: TruthMask = 1
export const FALSE_ONLY: TruthMask = 2
export const TRUE_OR_FALSE: TruthMask = 3

export const toTruthMask = (value: boolean): TruthMask => (value ? TRUE_ONLY : FALSE_ONLY)
export const andMasks = (a: TruthMask, b: TruthMask): TruthMask => (a & b & TRUE_ONLY) | ((a | b) & FALSE_ONLY)
export const orMasks = (a: TruthMask, b: TruthMask): TruthMask => ((a | b) & TRUE_ONLY) | (a & b & FALSE_ONLY)
export const negateMask = (a: TruthMask): TruthMask => ((a & TRUE_ONLY) << 1) | ((a & FALSE_ONLY) >> 1)
export const canMaskHaveValue = (mask: TruthMask, value: boolean) => (mask & toTruthMask(value)) !== 0
