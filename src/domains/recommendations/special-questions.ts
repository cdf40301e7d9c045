import type { EventConfig } from '../configuration/schema/event-config.ts'
import { foldCase } from './text/folded.ts'

/** Case-folds a text and removes its diacritics. */
const plain = (text: string) => foldCase(text).normalize('NFKD').replaceAll(/\p{M}/gu, '')

type Question = Pick<EventConfig['customFields'][number], 'code' | 'name' | 'sensitive' | 'choices'>

/** Match questions about diet, accessibility, health or religion, but not the topics of a medical congress. */
const SPECIAL_QUESTION_PATTERNS = [
  /\b(diet|diets|dietary|allerg(y|ies|ic|ie|ien)|intolerances?|what do you eat|vegan|vegetarian|ernahrung(swunsch|sweise)?|was essen sie|unvertraglichkeit(en)?)\b/,
  /\b(accessibility|disabilit(y|ies)|wheelchair|special needs|barrierefreiheit|behinderung(en)?|rollstuhl)\b/,
  /\b(your health|health (condition|issue|problem)s?|medical (condition|need)s?|medication|pregnan(t|cy)|gesundheitlich\w*|medikamente?|schwanger\w*)\b/,
  /\b(religion|faith|denomination|konfession)\b/,
]

/** Answers that occur only in questions about diet, accessibility, health or religion. */
const SPECIAL_ANSWERS = new Set([
  'vegan',
  'vegetarian',
  'halal',
  'kosher',
  'gluten-free',
  'lactose-free',
  'vegetarisch',
  'koscher',
  'glutenfrei',
  'laktosefrei',
])

/**
 * Whether answers to a question are a special category of personal data, which is never compared or shown: the question is marked as
 * sensitive, or its text or choices indicate such data although the organizer did not mark it.
 */
export function isSpecialCategoryQuestion({ code, name, sensitive, choices }: Question): boolean {
  if (sensitive) return true
  const asked = [code.replaceAll(/[-_]/g, ' '), name].map(plain)
  return (
    SPECIAL_QUESTION_PATTERNS.some((pattern) => asked.some((text) => pattern.test(text))) ||
    choices.some((choice) => SPECIAL_ANSWERS.has(plain(choice.name)))
  )
}
