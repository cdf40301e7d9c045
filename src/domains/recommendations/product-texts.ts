import { htmlToPlainText } from '../configuration/rich-text.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import { tokenize } from './text/tokens.ts'
import { type CorpusTermStatistics, buildCorpusTermStatistics, countTerms, type TfIdfVector, toTfIdfVector } from './vectors.ts'

interface ProductTexts {
  /** The term statistics of the texts of all products of the event. */
  corpus: CorpusTermStatistics
  vectorOf: (product: Product) => TfIdfVector
  /** Returns a word of the product's text that has this stem, to show to users. */
  wordFor: (product: Product, term: string) => string
}

const textsCache = new WeakMap<EventConfig, { locale: string; texts: ProductTexts }>()

/** Returns the text vectors of products, cached per configuration. */
export function readProductTexts(config: EventConfig, locale: string): ProductTexts {
  const kept = textsCache.get(config)
  if (kept?.locale === locale) return kept.texts
  const tags = new Map(config.tags.map(({ code, name }) => [code, name]))
  const words = new Map(config.products.map((product) => [product.code, tokenize(textOf(product, tags), locale)]))
  const terms = new Map([...words].map(([code, list]) => [code, countTerms(list.map(({ term }) => term))]))
  const corpus = buildCorpusTermStatistics([...terms.values()])
  const vectors = new Map([...terms].map(([code, counted]) => [code, toTfIdfVector(counted, corpus)]))
  const texts: ProductTexts = {
    corpus,
    vectorOf: ({ code }) => vectors.get(code)!,
    wordFor: ({ code }, term) => words.get(code)!.find((one) => one.term === term)!.word,
  }
  textsCache.set(config, { locale, texts })
  return texts
}

const textOf = ({ name, description, addsTags }: Product, tags: ReadonlyMap<string, string>) =>
  [name, htmlToPlainText(description ?? ''), ...addsTags.map((tag) => tags.get(tag) ?? tag)].join('\n')
