import { listMostSimilarNames } from '../../kernel/nearest.ts'
import type { VisibleTools } from './views.ts'

/** Words that assistants use for the same thing or action in tool names. The first word stands for all of a group. */
const WORD_GROUPS: readonly (readonly string[])[] = [
  ['get', 'show', 'read', 'fetch', 'view', 'retrieve', 'describe', 'load', 'lookup'],
  ['list', 'all', 'browse', 'index', 'enumerate'],
  ['find', 'search', 'query', 'filter'],
  ['create', 'add', 'new', 'make', 'insert', 'start', 'register'],
  ['update', 'edit', 'change', 'modify', 'set', 'configure', 'patch', 'save'],
  ['delete', 'remove', 'destroy', 'drop'],
  ['cancel', 'withdraw', 'revoke', 'abort'],
  ['send', 'resend', 'mail', 'email', 'deliver', 'notify'],
  ['participant', 'attendee', 'registrant', 'person', 'people', 'visitor', 'delegate', 'user', 'registration'],
  ['event', 'conference', 'meeting'],
  ['flow', 'form', 'path'],
  ['config', 'configuration', 'setting', 'setup', 'document'],
  ['product', 'ticket', 'price', 'item'],
  ['invoice', 'bill', 'order', 'receipt'],
  ['payment', 'pay', 'charge', 'paid', 'refund'],
  ['balance', 'due', 'owe', 'debt', 'amount'],
  ['group', 'team', 'delegation', 'managed'],
  ['member', 'membership'],
  ['waitlist', 'waiting', 'queue'],
  ['staff', 'role', 'permission', 'colleague'],
  ['directory', 'crm', 'connection', 'connector', 'integration'],
  ['exhibitor', 'company', 'booth', 'sponsor', 'vendor'],
  ['appointment', 'slot', 'booking', 'book', 'availability'],
  ['hotel', 'room', 'accommodation', 'housing'],
  ['recommend', 'suggest', 'recommendation'],
  ['publish', 'release', 'launch'],
  ['version', 'revision', 'snapshot'],
  ['compare', 'diff', 'difference'],
  ['clone', 'copy', 'duplicate'],
  ['otp', 'code', 'login', 'signin', 'sign', 'auth', 'authenticate'],
  ['memory', 'note', 'remember'],
  ['feedback', 'issue', 'bug', 'ticket', 'report'],
  ['summary', 'stat', 'statistic', 'overview', 'report', 'dashboard', 'count'],
  ['tax', 'vat'],
  ['substitute', 'swap', 'replace', 'transfer'],
  ['profile', 'bio'],
  ['confirmation', 'confirm'],
  ['archive', 'close', 'end', 'delete'],
]

const STOP_WORDS = new Set([
  'the',
  'to',
  'of',
  'a',
  'an',
  'for',
  'by',
  'in',
  'on',
  'and',
  'with',
  'from',
  'tool',
  'agent',
  'has',
  'own',
  'my',
  'me',
])

const stem = (word: string) => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')

const words = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map(stem)

/** Returns the first word of each group of synonyms that contains the word, or the word itself if no group does. */
const meaningsOf = (word: string): readonly string[] => {
  const groups = WORD_GROUPS.filter((group) => group.includes(word)).map(([first]) => first!)
  return groups.length === 0 ? [word] : groups
}

const SPELLING_WEIGHT = 6
const WORD_WEIGHT = 3
const MEANING_WEIGHT = 2
const DESCRIPTION_WEIGHT = 1
/** Words for actions, such as list. They occur in many tool names, so they count less than the words for things. */
const ACTIONS = new Set(WORD_GROUPS.slice(0, 8).map(([first]) => first!))
const ACTION_SHARE = 0.5
const isAction = (word: string) => meaningsOf(word).some((meaning) => ACTIONS.has(meaning))

/** The tools that an unknown name most likely means, best first: those spelled alike, then those that share words or their meanings. */
export function findNearestTools({ list }: Pick<VisibleTools, 'list'>, name: string, count = 3): string[] {
  const asked = words(name)
  const spelled = listMostSimilarNames(
    name,
    list.map((tool) => tool.name),
    count,
  )
  let sharesThing = spelled.length > 0
  const scored = list.map((tool) => {
    const own = words(tool.name)
    const described = new Set(words(`${tool.title ?? ''} ${tool.description ?? ''}`))
    const ownMeanings = new Set(own.flatMap(meaningsOf))
    let score = spelled.includes(tool.name) ? SPELLING_WEIGHT - spelled.indexOf(tool.name) : 0
    for (const word of asked) {
      const share = isAction(word) ? ACTION_SHARE : 1
      const inName = own.includes(word) ? WORD_WEIGHT : meaningsOf(word).some((meaning) => ownMeanings.has(meaning)) ? MEANING_WEIGHT : 0
      const weight = inName > 0 ? inName * share : described.has(word) ? DESCRIPTION_WEIGHT : 0
      score += weight
      if (weight > 0 && !isAction(word)) sharesThing = true
    }
    // Of two tools that share the same words with the unknown name, the one with fewer other words is nearer.
    return { name: tool.name, score: score === 0 ? 0 : score - own.length / 100 }
  })
  // If the unknown name shares only a verb such as `list` with the tools, none of them is suggested.
  if (!sharesThing && asked.some((word) => !isAction(word))) return []
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, count)
    .map((tool) => tool.name)
}

/** Returns the last part of the error message for an unknown tool, such as ` — did you mean find_participants or list_my_events?`. */
export function formatNearestToolsHint(view: Pick<VisibleTools, 'list'>, name: string): string {
  const near = findNearestTools(view, name)
  const last = near.pop()
  if (last === undefined) return ''
  return ` — did you mean ${near.length === 0 ? last : `${near.join(', ')} or ${last}`}?`
}
