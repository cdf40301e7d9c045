import type { ListedTool } from '../../../src/kernel/tool.ts'
import type { JsonSchema } from '../../../src/kernel/annotated-schema.ts'

/**
 * Ranks tools for a prompt with BM25 over the texts that clients see. Hosts with many tools select them for the model by a similar
 * search.
 */

const [K1, B, NAME_WEIGHT] = [1.2, 0.75, 2]

const STOP_WORDS = new Set(
  `a about again all also am an and any are aren as at be been being but by can could d did didn do does doesn doing don each for from had
   has hasn have haven having he her hers him his how i if in into is isn it its itself just let like ll m may me mine must my need no nor
   not now of off on once only or other our ours out per please re s shall she should so some such t than that the their theirs them then
   there these they this those to too until up us ve very via want was wasn we were what when where which while who whom why will with won
   would you your yours`.split(/\s+/),
)

/** Strips plurals, -ing, -ed, final e and y: enough for "tickets" to match "ticket". */
function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  const singular = withoutPlural(word)
  const [, base = '', ending] = /^(.*?)(ing|ed)$/.exec(singular) ?? []
  const bare =
    base.length > 2 && /[aeiouy]/.test(base) && !(ending === 'ed' && base.endsWith('e')) ? base.replace(/([bdfgmnprt])\1$/, '$1') : singular
  const short = bare.length > 4 && bare.endsWith('e') ? bare.slice(0, -1) : bare
  return short.length > 3 && short.endsWith('y') ? `${short.slice(0, -1)}i` : short
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(x|ch|sh|z|s)es$/.test(word)) return word.slice(0, /(us|is|[^s]s)es$/.test(word) ? -1 : -2)
  return word.endsWith('s') && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[’']s\b/g, '')
    .replaceAll(/[’']/g, ' ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word && !STOP_WORDS.has(word))
    .map(stem)

function textsOf(schema: JsonSchema): string[] {
  const parts = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => [name, String(part.description ?? ''), ...textsOf(part)])
  return schema.items ? [...parts, String(schema.items.description ?? ''), ...textsOf(schema.items)] : parts
}

type Shown = Pick<ListedTool, 'name' | 'title' | 'description' | 'inputSchema'>

interface Indexed {
  name: string
  counts: Map<string, number>
  length: number
}

function indexed({ name, title, description, inputSchema }: Shown): Indexed {
  const counts = new Map<string, number>()
  const put = (text: string, weight: number) => {
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + weight)
  }
  put(name.replaceAll('_', ' '), NAME_WEIGHT)
  for (const text of [title, description, ...textsOf(inputSchema)]) put(text, 1)
  return { name, counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) }
}

/**
 * The rank of a tool for a prompt, 1 is best. Ties count against the tool; a tool that shares no word with the prompt ranks at infinity.
 */
export function rankTools(tools: readonly Shown[]): (prompt: string, tool: string) => number {
  const all = tools.map(indexed)
  const mean = all.reduce((sum, { length }) => sum + length, 0) / all.length
  const holding = (word: string) => all.filter(({ counts }) => counts.has(word)).length
  const rarity = (word: string) => Math.log(1 + (all.length - holding(word) + 0.5) / (holding(word) + 0.5))
  const score = ({ counts, length }: Indexed, words: readonly string[]) =>
    words.reduce((sum, word) => {
      const count = counts.get(word) ?? 0
      return count ? sum + (rarity(word) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / mean)) : sum
    }, 0)
  return (prompt, tool) => {
    const words = [...new Set(wordsOf(prompt))]
    const own = score(
      all.find(({ name }) => name === tool)!,
      words,
    )
    return own > 0 ? all.filter((one) => score(one, words) >= own).length : Infinity
  }
}
