import { type MessageKey, type Translator, chooseTranslator } from '../../kernel/language/translator.ts'

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

const ENGLISH = chooseTranslator('en')

/** Returns the sentence that door staff read for each reason of a refusal or warning. */
export const listScanReasonTexts = ({ say }: Translator): Record<string, string> =>
  Object.fromEntries(REASONS.map((reason) => [reason, say(`door.why.${reason}` satisfies MessageKey)]))

const ENGLISH_TEXTS = listScanReasonTexts(ENGLISH)

export const describeScanReason = (reason: string, texts: Readonly<Record<string, string>> = ENGLISH_TEXTS): string =>
  texts[reason] ?? reason

/** Describes the result of a scan in a sentence. */
export function describeScanResult(
  { result, reason, warnings }: { result: string; reason?: string | null; warnings: readonly string[] },
  words: Translator = ENGLISH,
): string {
  const texts = words === ENGLISH ? ENGLISH_TEXTS : listScanReasonTexts(words)
  if (result !== 'accepted') return describeScanReason(reason!, texts)
  if (reason) return `${words.say('door.overridden')} ${describeScanReason(reason, texts)}`
  return warnings.includes('unpaid') ? `${words.say('door.accepted')} ${describeScanReason('unpaid', texts)}` : words.say('door.accepted')
}
