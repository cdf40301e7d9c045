/** The truth values that a condition can still have while some answers are undecided, as bits: 1 true, 2 false, 3 either. */
export type ConditionOutcome = number

export const CONDITION_TRUE: ConditionOutcome = 1
export const CONDITION_FALSE: ConditionOutcome = 2
export const CONDITION_UNDECIDED: ConditionOutcome = 3

export const toConditionOutcome = (value: boolean): ConditionOutcome => (value ? CONDITION_TRUE : CONDITION_FALSE)
export const andConditionOutcomes = (a: ConditionOutcome, b: ConditionOutcome): ConditionOutcome =>
  (a & b & CONDITION_TRUE) | ((a | b) & CONDITION_FALSE)
export const orConditionOutcomes = (a: ConditionOutcome, b: ConditionOutcome): ConditionOutcome =>
  ((a | b) & CONDITION_TRUE) | (a & b & CONDITION_FALSE)
export const negateConditionOutcome = (a: ConditionOutcome): ConditionOutcome => ((a & CONDITION_TRUE) << 1) | ((a & CONDITION_FALSE) >> 1)
export const isTruthValuePossible = (mask: ConditionOutcome, value: boolean) => (mask & toConditionOutcome(value)) !== 0
