import { findAuditActionSentence, listAuditActions } from './actions.ts'
import { getRecordKindSearchWords, RECORD_KIND_NAMES, splitIntoWords } from './kinds.ts'

/** Finds the kinds of records that match a filter value: the kind with exactly this name, otherwise all kinds whose words match. */
export const findRecordKindsByWords = (text: string): string[] => findNames(text, RECORD_KIND_NAMES, [getRecordKindSearchWords])

/** Finds the tools and other actions that match a filter value by the words of their names, otherwise by the words of their sentences. */
export const findActionsByWords = (text: string): string[] => findNames(text, listAuditActions(), [splitIntoWords, getSentenceWords])

const getSentenceWords = (action: string) => splitIntoWords((findAuditActionSentence(action) ?? '').replace(/\{[^}]*\}/g, ' '))

/** Functions that return the words of an action or record kind. Each is used only if the search with those before it found nothing. */
type WordLists = readonly ((name: string) => readonly string[])[]

function findNames(text: string, names: readonly string[], wordLists: WordLists): string[] {
  const wanted = splitIntoWords(text)
  if (wanted.length === 0) return []
  const exact = names.find((name) => name === text) ?? names.find((name) => splitIntoWords(name).join(' ') === wanted.join(' '))
  if (exact !== undefined) return [exact]
  const found = wordLists.map((wordsOf) => names.filter((name) => hasAllWords(wordsOf(name), wanted)))
  return found.find((matching) => matching.length > 0) ?? []
}

/** Whether every search word is the beginning, or the plural, of one of the given words. */
const hasAllWords = (words: readonly string[], wanted: readonly string[]) =>
  wanted.every((word) => words.some((known) => known.startsWith(word) || word === `${known}s` || word === `${known}es`))
