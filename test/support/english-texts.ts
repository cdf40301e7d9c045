import { MESSAGE_CATALOGUES, type MessageKey } from '../../src/kernel/language/translator.ts'
import type { VisitedPage } from './visitor.ts'

/**
 * English interface texts that differ from those of the given language, split at their placeholders. Texts that could be mistaken for names
 * are excluded.
 */
export function listEnglishTexts(language: string): string[] {
  const own = JSON.stringify(MESSAGE_CATALOGUES[language])
  return Object.keys(MESSAGE_CATALOGUES.en).flatMap((key) => {
    const message = MESSAGE_CATALOGUES.en[key as MessageKey]
    const texts: string[] = typeof message === 'string' ? [message] : Object.values(message)
    return texts
      .flatMap((text) => text.split(/\{\w+\}/))
      .map((part) => part.trim())
      .filter((part) => /\p{L} \p{L}/u.test(part) && part.length >= 8 && !own.includes(part))
  })
}

/** English words that exist in none of the other languages of the interface. */
const ENGLISH_WORDS = /(?<![\p{L}-])(?:the|your|you|please|choose|enter|required|email)(?![\p{L}])/iu
const ADDRESSES = /\S+@\S+|https?:\S+/g

/** Returns English texts and words that occur in a text that should be in another language. */
export function findEnglish(language: string, text: string): string[] {
  const words = text.replaceAll(ADDRESSES, '').replaceAll(/\s+/g, ' ')
  const word = ENGLISH_WORDS.exec(words)
  return [
    ...listEnglishTexts(language).filter((part) => words.includes(part)),
    ...(word ? [words.slice(Math.max(0, word.index - 40), word.index + 40)] : []),
  ]
}

const ATTRIBUTES = / (?:aria-label|title|alt|placeholder|value)="([^"]*)"/g

/** All text of a page that is displayed or read by a screen reader. */
export function readVisibleText({ html, text }: VisitedPage): string {
  const said = [...html.replaceAll(/<input[^>]*type="(?:hidden|radio|checkbox)"[^>]*>/g, '').matchAll(ATTRIBUTES)].map(([, value]) => value)
  // Values without spaces are machine-readable names of buttons and options.
  return [text, ...said.filter((value) => !/^[\w:.-]*$/.test(value!))].join(' | ')
}
