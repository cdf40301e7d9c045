import { rarity } from './interests.ts'

/** How often each term stands in a text. */
export type Terms = ReadonlyMap<string, number>

export function countTerms(terms: Iterable<string>): Map<string, number> {
  const counted = new Map<string, number>()
  for (const term of terms) counted.set(term, (counted.get(term) ?? 0) + 1)
  return counted
}

/** The texts that something is found among: how many they are, and in how many of them a term stands. */
export interface Corpus {
  texts: number
  having: (term: string) => number
}

export function corpusOf(texts: readonly Terms[]): Corpus {
  const having = countTerms(texts.flatMap((text) => [...text.keys()]))
  return { texts: texts.length, having: (term) => having.get(term) ?? 0 }
}

/** Terms by weight: often here and rare elsewhere weighs most. Terms that no text of the corpus has are left out. */
export type Vector = ReadonlyMap<string, number>

export const vectorOf = (terms: Terms, corpus: Corpus): Vector =>
  new Map(
    [...terms].flatMap(([term, count]) => {
      const weight = count * rarity(corpus.texts, corpus.having(term))
      return weight > 0 ? [[term, weight] as const] : []
    }),
  )

const lengthOf = (vector: Vector) => Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0))

/** The terms that two texts share, with what each adds to their likeness. Heaviest first. */
export function sharedTerms(a: Vector, b: Vector): { term: string; share: number }[] {
  const [short, long] = a.size <= b.size ? [a, b] : [b, a]
  const lengths = lengthOf(a) * lengthOf(b)
  return [...short]
    .flatMap(([term, weight]) => {
      const other = long.get(term)
      return other === undefined ? [] : [{ term, share: (weight * other) / lengths }]
    })
    .toSorted((x, y) => y.share - x.share || (x.term < y.term ? -1 : 1))
}

/** Cosine of two TF-IDF vectors: 0 for texts without a common term, 1 for the same words in the same measure. */
export const textLikeness = (a: Vector, b: Vector): number =>
  Math.min(
    1,
    sharedTerms(a, b).reduce((sum, { share }) => sum + share, 0),
  )
