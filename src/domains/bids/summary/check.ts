import { sql } from 'kysely'
import type { ResponseReadContext } from '../responses.ts'
import type { ResponseComparison } from '../compare.ts'
import { findNumberNotInComparison, listComparisonNumbers } from './figures.ts'
import type { ComparisonSummary } from './rules.ts'

/** Matches URLs and markup, which a summary must not contain. */
const FORBIDDEN = /https?:|www\.|[<>{}[\]`|\\]|\*\*/i

/**
 * Whether a text written by a language model may be shown: every number must occur in the comparison, every supplier one of its columns,
 * and the recommended response the one that the rules recommend.
 */
export async function isFaithfulSummary(
  ctx: ResponseReadContext,
  comparison: ResponseComparison,
  written: ComparisonSummary,
  recommended: string | null,
): Promise<boolean> {
  const ids = comparison.offers.map(({ id }) => id)
  if ((written.recommendation?.responseId ?? null) !== recommended) return false
  if (!written.bullets.every(({ refs }) => refs.every((ref) => ids.includes(ref)))) return false
  const texts = [written.summary, ...written.bullets.map(({ text }) => text), written.recommendation?.why ?? '']
  if (texts.some((text) => FORBIDDEN.test(text))) return false
  const names = comparison.offers.map(({ supplier }) => supplier.name)
  const plain = texts.map((text) => removeNames(text, names))
  const figures = listComparisonNumbers(comparison)
  if (plain.some((text) => findNumberNotInComparison(text, figures) !== null || hasUnknownName(text, comparison))) return false
  return !(await namesOtherSupplier(ctx, plain.join('\n')))
}

/** Removes the names of the compared suppliers from a text, longer names first, because one name may contain another. */
function removeNames(text: string, names: readonly string[]): string {
  return names
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, name) => rest.replaceAll(new RegExp(escapePattern(name), 'giu'), ' it '), text)
}

const escapePattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Matches words that can be the subject at the start of a sentence, where they are capitalized although they are not names. */
const SUBJECTS =
  /^(?:it|its|this|that|these|those|they|there|he|she|we|you|each|every|all|both|none|neither|either|one|which|what|another|nothing|price|prices|costs?|rooms|food|space|risks?|responses?|offers?)$/i
const VERB = /^(?:is|are|was|has|have|costs?|offers?|charges?|wins?|scores?|provides?|beats?|leads?)$/i

/**
 * Whether the text contains a capitalized word that the comparison does not contain, because such a word may be an invented name. The first
 * word of a sentence counts only if it is the subject of a verb.
 */
function hasUnknownName(text: string, { rows, rfp, currency }: ResponseComparison): boolean {
  const known = new Set(
    [...rows.map(({ item }) => item), rfp.number, rfp.title, currency, 'RFP Wi-Fi I EUR'].flatMap(
      (one) => one.toLowerCase().match(/\p{L}+/gu) ?? [],
    ),
  )
  const isKnown = (word: string) => known.has(word.toLowerCase())
  return text.split(/(?<=[.!?:;])\s+|\n+/u).some((sentence) => {
    const words = sentence.match(/\p{L}+/gu) ?? []
    const isName = (word: string | undefined) => word !== undefined && /^\p{Lu}/u.test(word) && !isKnown(word)
    const [first = '', second = ''] = words
    return words.slice(1).some((word) => isName(word)) || (isName(first) && VERB.test(second) && !SUBJECTS.test(first))
  })
}

/** Whether the text names a supplier of the client whose response is not compared. */
async function namesOtherSupplier({ db, tenantId, client }: ResponseReadContext, text: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from suppliers s where s.tenant_id = ${tenantId} and s.client_id = ${client.id}
        and length(s.name) > 3 and strpos(lower(${text}), lower(s.name)) > 0
    ) as found`.execute(db)
  return rows[0]!.found
}
