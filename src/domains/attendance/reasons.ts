import { type MessageKey, type Translator, translatorFor } from '../../kernel/language/translator.ts'

/** The reasons for which a scan is refused, or accepted with a warning. */
const REASONS = [
  'duplicate',
  'unknown_badge',
  'ambiguous',
  'revoked',
  'test_data',
  'cancelled',
  'incomplete',
  'waitlisted',
  'unpaid',
  'not_allowed',
  'product_missing',
  'not_enrolled',
  'too_early',
  'too_late',
  'already_in',
  'not_in',
  'full',
  'invalid_time',
  'refused_offline',
] as const

const ENGLISH = translatorFor('en')

/** The sentence for each reason, as the person at the door reads it. */
export const listReasonTexts = ({ say }: Translator): Record<string, string> =>
  Object.fromEntries(REASONS.map((reason) => [reason, say(`door.why.${reason}` satisfies MessageKey)]))

const ENGLISH_TEXTS = listReasonTexts(ENGLISH)

export const describeReason = (reason: string, texts: Readonly<Record<string, string>> = ENGLISH_TEXTS): string => texts[reason] ?? reason

/** Describes the result of a scan in a sentence. */
export function describeResult(
  { result, reason, warnings }: { result: string; reason?: string | null; warnings: readonly string[] },
  words: Translator = ENGLISH,
): string {
  const texts = words === ENGLISH ? ENGLISH_TEXTS : listReasonTexts(words)
  if (result !== 'accepted') return describeReason(reason!, texts)
  if (reason) return `${words.say('door.overridden')} ${describeReason(reason, texts)}`
  return warnings.includes('unpaid') ? `${words.say('door.accepted')} ${describeReason('unpaid', texts)}` : words.say('door.accepted')
}
