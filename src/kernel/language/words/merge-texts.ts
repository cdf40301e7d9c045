import type { Catalogue } from '../translator.ts'

/**
 * Joins the parts of the English catalogue. One literal with spread parts would cost V8 a new hidden class for each of the many keys, about
 * twenty times as much of the start; an object without a prototype is a hash table from the beginning.
 */
export const mergeTexts = <A, B, C, D, const E>(a: A, b: B, c: C, d: D, e: E): A & B & C & D & E =>
  Object.assign(Object.create(null), a, b, c, d, e)

/** Joins the parts of another language, whose keys must exist in English. */
export const mergeCatalogue = (...parts: Catalogue[]): Catalogue => Object.assign(Object.create(null), ...parts)
