/** The truth values that a condition can still have while some answers are undecided, as bits: 1 true, 2 false, 3 either. */
export type TruthMask = number

export const MASK_OF_TRUE: TruthMask = 1
export const MASK_OF_FALSE: TruthMask = 2
export const TRUE_OR_FALSE: TruthMask = 3

export const toTruthMask = (value: boolean): TruthMask => (value ? MASK_OF_TRUE : MASK_OF_FALSE)
export const andMasks = (a: TruthMask, b: TruthMask): TruthMask => (a & b & MASK_OF_TRUE) | ((a | b) & MASK_OF_FALSE)
export const orMasks = (a: TruthMask, b: TruthMask): TruthMask => ((a | b) & MASK_OF_TRUE) | (a & b & MASK_OF_FALSE)
export const negateMask = (a: TruthMask): TruthMask => ((a & MASK_OF_TRUE) << 1) | ((a & MASK_OF_FALSE) >> 1)
export const canMaskHaveValue = (mask: TruthMask, value: boolean) => (mask & toTruthMask(value)) !== 0
