import type { EventConfig } from '../configuration/schema/event-config.ts'
import { folded } from './text/folded.ts'

/** Without the marks above letters. */
const plain = (text: string) => folded(text).normalize('NFKD').replaceAll(/\p{M}/gu, '')

type Question = Pick<EventConfig['customFields'][number], 'code' | 'name' | 'sensitive' | 'choices'>

/** What the question itself is about: what somebody eats, can or cannot do, suffers from or believes. Topics of a congress on health are none. */
const ASKS_FOR_IT = [
  /\b(diet|diets|dietary|allerg(y|ies|ic|ie|ien)|intolerances?|what do you eat|vegan|vegetarian|ernahrung(swunsch|sweise)?|was essen sie|unvertraglichkeit(en)?)\b/,
  /\b(accessibility|disabilit(y|ies)|wheelchair|special needs|barrierefreiheit|behinderung(en)?|rollstuhl)\b/,
  /\b(your health|health (condition|issue|problem)s?|medical (condition|need)s?|medication|pregnan(t|cy)|gesundheitlich\w*|medikamente?|schwanger\w*)\b/,
  /\b(religion|faith|denomination|konfession)\b/,
]

/** Answers that are given to no other question. */
const ANSWERS = new Set([
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
 * Whether answers to it are of a kind that nobody is compared by or presented with: because the event says so, or because it plainly asks for
 * that and whoever wrote it forgot to say so.
 */
export function isSpecial({ code, name, sensitive, choices }: Question): boolean {
  if (sensitive) return true
  const asked = [code.replaceAll(/[-_]/g, ' '), name].map(plain)
  return (
    ASKS_FOR_IT.some((pattern) => asked.some((text) => pattern.test(text))) || choices.some((choice) => ANSWERS.has(plain(choice.name)))
  )
}
