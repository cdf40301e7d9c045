import type { MessageCatalogue } from '../translator.ts'

type Joined<Parts extends readonly unknown[]> = Parts extends readonly [infer First, ...infer Rest] ? First & Joined<Rest> : unknown

/**
 * Joins the parts of the English catalogue. One literal with spread parts would cost V8 a new hidden class for each of the many keys, about
 * twenty times as much of the start; an object without a prototype is a hash table from the beginning.
 */
export const mergeTexts = <const Parts extends readonly object[]>(...parts: Parts): Joined<Parts> =>
  Object.assign(Object.create(null), ...parts)

/** Joins the text files of a language other than English. Each of their keys must exist in English too. */
export const mergeCatalogue = (...parts: MessageCatalogue[]): MessageCatalogue => Object.assign(Object.create(null), ...parts)
