import { plainText } from '../configuration/rich-text.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import { wordsOf } from './text/tokens.ts'
import { type Corpus, corpusOf, countTerms, type Vector, vectorOf } from './vectors.ts'

interface ProductTexts {
  /** All products of the event. */
  corpus: Corpus
  vectorOf: (product: Product) => Vector
  /** A word of the product's own text for a term. */
  wordFor: (product: Product, term: string) => string
}

const known = new WeakMap<EventConfig, { locale: string; texts: ProductTexts }>()

/** What products say of themselves; found once per configuration, as the same one is asked about by everybody. */
export function productTextsOf(config: EventConfig, locale: string): ProductTexts {
  const kept = known.get(config)
  if (kept?.locale === locale) return kept.texts
  const tags = new Map(config.tags.map(({ code, name }) => [code, name]))
  const words = new Map(config.products.map((product) => [product.code, wordsOf(textOf(product, tags), locale)]))
  const terms = new Map([...words].map(([code, list]) => [code, countTerms(list.map(({ term }) => term))]))
  const corpus = corpusOf([...terms.values()])
  const vectors = new Map([...terms].map(([code, counted]) => [code, vectorOf(counted, corpus)]))
  const texts: ProductTexts = {
    corpus,
    vectorOf: ({ code }) => vectors.get(code)!,
    wordFor: ({ code }, term) => words.get(code)!.find((one) => one.term === term)!.word,
  }
  known.set(config, { locale, texts })
  return texts
}

const textOf = ({ name, description, addsTags }: Product, tags: ReadonlyMap<string, string>) =>
  [name, plainText(description ?? ''), ...addsTags.map((tag) => tags.get(tag) ?? tag)].join('\n')
