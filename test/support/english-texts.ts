import { CATALOGUES, type MessageKey } from '../../src/kernel/language/translator.ts'

/**
 * English interface texts that differ from those of the given language, split at their placeholders. Texts that could be mistaken for names
 * are excluded.
 */
export function listEnglishTexts(language: string): string[] {
  const own = JSON.stringify(CATALOGUES[language])
  return Object.keys(CATALOGUES.en).flatMap((key) => {
    const message = CATALOGUES.en[key as MessageKey]
    const texts: string[] = typeof message === 'string' ? [message] : Object.values(message)
    return texts
      .flatMap((text) => text.split(/\{\w+\}/))
      .map((part) => part.trim())
      .filter((part) => /\p{L} \p{L}/u.test(part) && part.length >= 8 && !own.includes(part))
  })
}
