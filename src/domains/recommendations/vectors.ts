import { computeInterestRarity } from './interests.ts'

/** The term frequencies of a text. */
export type TermCounts = ReadonlyMap<string, number>

export function countTerms(terms: Iterable<string>): Map<string, number> {
  const counted = new Map<string, number>()
  for (const term of terms) counted.set(term, (counted.get(term) ?? 0) + 1)
  return counted
}

/** Term statistics of a set of texts: the number of texts, and the number of texts that contain a term. */
export interface CorpusTermStatistics {
  texts: number
  having: (term: string) => number
}

export function buildCorpusTermStatistics(texts: readonly TermCounts[]): CorpusTermStatistics {
  const having = countTerms(texts.flatMap((text) => [...text.keys()]))
  return { texts: texts.length, having: (term) => having.get(term) ?? 0 }
}

/** TF-IDF weights by term. Terms that the corpus does not contain are left out. */
export type TfIdfVector = ReadonlyMap<string, number>

export const toTfIdfVector = (terms: TermCounts, corpus: CorpusTermStatistics): TfIdfVector =>
  new Map(
    [...terms].flatMap(([term, count]) => {
      const weight = count * computeInterestRarity(corpus.texts, corpus.having(term))
      return weight > 0 ? [[term, weight] as const] : []
    }),
  )

const lengthOf = (vector: TfIdfVector) => Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0))

/** Lists the shared terms of two texts with their contribution to the cosine similarity, largest first. */
export function listSharedTerms(a: TfIdfVector, b: TfIdfVector): { term: string; share: number }[] {
  const [short, long] = a.size <= b.size ? [a, b] : [b, a]
  const lengths = lengthOf(a) * lengthOf(b)
  return [...short]
    .flatMap(([term, weight]) => {
      const other = long.get(term)
      return other === undefined ? [] : [{ term, share: (weight * other) / lengths }]
    })
    .toSorted((x, y) => y.share - x.share || (x.term < y.term ? -1 : 1))
}

/** Computes the cosine similarity of two TF-IDF vectors, from 0 to 1. */
export const computeTextSimilarity = (a: TfIdfVector, b: TfIdfVector): number =>
  Math.min(
    1,
    listSharedTerms(a, b).reduce((sum, { share }) => sum + share, 0),
  )
