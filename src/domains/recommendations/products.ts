import { formatInstant } from '../../kernel/time.ts'
import { type Money, toMinorUnits, toMoney } from '../../kernel/money.ts'
import { indexConfigByCode } from '../configuration/flow/collected-answers.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../registration/sale/holdings.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { buildEventPagePaths } from '../tenancy/public-pages.ts'
import { readRecommendationConfiguration } from './configuration.ts'
import { RECOMMENDATION_COUNT_KEYS, readRecommendationCounts } from './counts.ts'
import { listEnrolledSessions } from '../sessions/enrolments.ts'
import { buildParticipantMatchingFacts } from './facts.ts'
import { type RecommendableProduct, listRecommendableProducts } from './offers.ts'
import { computePopularity } from './popularity.ts'
import { readProductTexts } from './product-texts.ts'
import { type RecommendationScorePart, rankRecommendations, listRecommendationReasons, computeScore } from './scores.ts'
import { listSharedTerms, toTfIdfVector } from './vectors.ts'

/** Computes the cosine similarity of two products by common buyers. The constant 10 dampens products with few buyers. */
export const computeCoPurchaseSimilarity = (both: number, one: number, other: number): number => both / (Math.sqrt(one * other) + 10)

/** Whether few units of the product are left or its price rises soon. */
export const isScarceOrPriceRising = ({ capacity, left, risesAt }: Pick<RecommendableProduct, 'capacity' | 'left' | 'risesAt'>): boolean =>
  risesAt !== null || (capacity !== null && left !== null && left * 10 <= capacity)

/** Builds the weighted parts of a product's recommendation score. */
export const buildProductScoreParts = (
  given: { companions: number; text: number; urgent: boolean },
  reasons: Partial<Record<'companions' | 'text' | 'urgent', string>> = {},
): RecommendationScorePart[] => [
  { weight: 0.5, value: given.companions, reason: reasons.companions ?? null },
  { weight: 0.3, value: given.text, reason: reasons.text ?? null },
  { weight: 0.2, value: given.urgent ? 1 : 0, reason: reasons.urgent ?? null },
]

export async function recommendProducts(ctx: RegistrationContext, participantId: string, limit: number) {
  const row = await getParticipant(ctx, participantId)
  const configuration = await readRecommendationConfiguration(ctx)
  const { config, facts } = configuration
  const held = sumQuantitiesByProduct(await listSoldOrderLines(ctx, [row.id]))
  const offers = await listRecommendableProducts(ctx, configuration, row, held)
  const companions = await createCompanionScore(ctx, [...held.keys()], offers)
  const { products } = indexConfigByCode(config)
  const texts = readProductTexts(config, facts.locale)
  const mine = toTfIdfVector(
    new Map(
      Object.entries(
        buildParticipantMatchingFacts(config, facts.locale, row, {
          held: held.keys(),
          heard: (await listEnrolledSessions(ctx, [row.id])).get(row.id),
        }).terms,
      ),
    ),
    texts.corpus,
  )
  const scored = offers.map((offer) => {
    const { product } = offer
    const shared = listSharedTerms(mine, texts.vectorOf(product))
    const { value, beside } = companions(product.code)
    const words = shared.slice(0, 3).map(({ term }) => texts.wordFor(product, term))
    const parts = buildProductScoreParts(
      { companions: value, text: shared.reduce((sum, { share }) => sum + share, 0), urgent: isScarceOrPriceRising(offer) },
      {
        companions: beside === null ? 'popular at this event' : `often bought together with ${products.get(beside)?.name ?? beside}`,
        text: `matches the registration: ${words.join(', ')}`,
        urgent: describeUrgency(offer),
      },
    )
    return { offer, id: product.code, name: product.name, score: computeScore(parts), reasons: listRecommendationReasons(parts) }
  })
  return rankRecommendations(scored, limit).map(({ offer: { product, amount, page }, name, score, reasons }) => ({
    productCode: product.code,
    name,
    ...(amount === null ? {} : { price: priceOf(amount, ctx.event.currency) }),
    category: product.category,
    reasons,
    score,
    addUrl: buildEventPagePaths(ctx).edit(page),
  }))
}

const priceOf = (amount: string, currency: string): Money => toMoney(toMinorUnits(amount, currency), currency)

const describeUrgency = ({ capacity, left, risesAt }: RecommendableProduct): string =>
  risesAt === null ? `${left} of ${capacity} left` : `the price rises at ${formatInstant(risesAt)}`

/**
 * Returns a function that scores how well a product goes with the held products, and names the best match. For participants without
 * products the score is the overall popularity.
 */
async function createCompanionScore(ctx: RegistrationContext, held: readonly string[], offers: readonly RecommendableProduct[]) {
  const codes = offers.map(({ product }) => product.code)
  const counts = await readRecommendationCounts(ctx, [
    ...[...held, ...codes].map(RECOMMENDATION_COUNT_KEYS.product),
    ...held.flatMap((one) => codes.map((code) => RECOMMENDATION_COUNT_KEYS.together(one, code))),
  ])
  const takers = (code: string) => counts(RECOMMENDATION_COUNT_KEYS.product(code))
  const most = Math.max(0, ...codes.map(takers))
  return (code: string): { value: number; beside: string | null } => {
    if (held.length === 0) return { value: computePopularity(takers(code), most), beside: null }
    const each = held.map((one) => ({
      one,
      value: computeCoPurchaseSimilarity(counts(RECOMMENDATION_COUNT_KEYS.together(one, code)), takers(one), takers(code)),
    }))
    const best = each.reduce((a, b) => (b.value > a.value ? b : a))
    return { value: each.reduce((sum, { value }) => sum + value, 0) / held.length, beside: best.one }
  }
}
