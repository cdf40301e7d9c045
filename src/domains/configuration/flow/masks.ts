/** The truth values that a condition can still have while some answers are undecided, as bits: 1 true, 2 false, 3 either. */
export type TruthMask = number

export const TRUE: TruthMask = 1
export const FALSE: TruthMask = 2
export const EITHER: TruthMask = 3

export const toAnswerMask = (value: boolean): TruthMask => (value ? TRUE : FALSE)
export const and = (a: TruthMask, b: TruthMask): TruthMask => (a & b & TRUE) | ((a | b) & FALSE)
export const or = (a: TruthMask, b: TruthMask): TruthMask => ((a | b) & TRUE) | (a & b & FALSE)
export const not = (a: TruthMask): TruthMask => ((a & TRUE) << 1) | ((a & FALSE) >> 1)
export const canBe = (mask: TruthMask, value: boolean) => (mask & toAnswerMask(value)) !== 0
