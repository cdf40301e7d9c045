import { toInstant } from '../../kernel/time.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { indexOf } from '../configuration/flow/collects.ts'
import { holdingsOf, quantitiesOf } from '../registration/holdings.ts'
import { getParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { eventPaths } from '../tenancy/public-pages.ts'
import { configurationOf } from './configuration.ts'
import { COUNTED, countsOf } from './counts.ts'
import { heardBy } from '../sessions/enrolments.ts'
import { factsOf } from './facts.ts'
import { type Offer, offersTo } from './offers.ts'
import { popularity } from './popularity.ts'
import { productTextsOf } from './product-texts.ts'
import { type Part, ranked, reasonsOf, scoreOf } from './scores.ts'
import { sharedTerms, vectorOf } from './vectors.ts'

/** How often two products are held together, against how often each is. Ten keep a few takers from counting for much. */
export const together = (both: number, one: number, other: number): number => both / (Math.sqrt(one * other) + 10)

/** Few left, or dearer soon. */
export const isUrgent = ({ capacity, left, risesAt }: Pick<Offer, 'capacity' | 'left' | 'risesAt'>): boolean =>
  risesAt !== null || (capacity !== null && left !== null && left * 10 <= capacity)

/** Parts of a product's score. */
export const productParts = (
  given: { companions: number; text: number; urgent: boolean },
  reasons: Partial<Record<'companions' | 'text' | 'urgent', string>> = {},
): Part[] => [
  { weight: 0.5, value: given.companions, reason: reasons.companions ?? null },
  { weight: 0.3, value: given.text, reason: reasons.text ?? null },
  { weight: 0.2, value: given.urgent ? 1 : 0, reason: reasons.urgent ?? null },
]

/** What somebody may want to add to what they hold. */
export async function recommendProducts(ctx: AtEvent, participantId: string, limit: number) {
  const row = await getParticipant(ctx, participantId)
  const configuration = await configurationOf(ctx)
  const { config, facts } = configuration
  const held = quantitiesOf(await holdingsOf(ctx, [row.id]))
  const offers = await offersTo(ctx, configuration, row, held)
  const companions = await companionsOf(ctx, [...held.keys()], offers)
  const { products } = indexOf(config)
  const texts = productTextsOf(config, facts.locale)
  const mine = vectorOf(
    new Map(
      Object.entries(factsOf(config, facts.locale, row, { held: held.keys(), heard: (await heardBy(ctx, [row.id])).get(row.id) }).terms),
    ),
    texts.corpus,
  )
  const scored = offers.map((offer) => {
    const { product } = offer
    const shared = sharedTerms(mine, texts.vectorOf(product))
    const { value, beside } = companions(product.code)
    const words = shared.slice(0, 3).map(({ term }) => texts.wordFor(product, term))
    const parts = productParts(
      { companions: value, text: shared.reduce((sum, { share }) => sum + share, 0), urgent: isUrgent(offer) },
      {
        companions: beside === null ? 'popular at this event' : `often taken together with ${products.get(beside)?.name ?? beside}`,
        text: `fits the registration: ${words.join(', ')}`,
        urgent: urgencyOf(offer),
      },
    )
    return { offer, id: product.code, name: product.name, score: scoreOf(parts), reasons: reasonsOf(parts) }
  })
  return ranked(scored, limit).map(({ offer: { product, amount, page }, name, score, reasons }) => ({
    productCode: product.code,
    name,
    ...(amount === null ? {} : { price: priceOf(amount, ctx.event.currency) }),
    category: product.category,
    reasons,
    score,
    addUrl: eventPaths(ctx).edit(page),
  }))
}

const priceOf = (amount: string, currency: string): Money => toMoney(toMinor(amount, currency), currency)

const urgencyOf = ({ capacity, left, risesAt }: Offer): string =>
  risesAt === null ? `${left} of ${capacity} left` : `the price rises at ${toInstant(risesAt)}`

/** How a product goes with what somebody holds, and beside which of it most; who holds nothing is told what others take. */
async function companionsOf(ctx: AtEvent, held: readonly string[], offers: readonly Offer[]) {
  const codes = offers.map(({ product }) => product.code)
  const counts = await countsOf(ctx, [
    ...[...held, ...codes].map(COUNTED.product),
    ...held.flatMap((one) => codes.map((code) => COUNTED.together(one, code))),
  ])
  const takers = (code: string) => counts(COUNTED.product(code))
  const most = Math.max(0, ...codes.map(takers))
  return (code: string): { value: number; beside: string | null } => {
    if (held.length === 0) return { value: popularity(takers(code), most), beside: null }
    const each = held.map((one) => ({ one, value: together(counts(COUNTED.together(one, code)), takers(one), takers(code)) }))
    const best = each.reduce((a, b) => (b.value > a.value ? b : a))
    return { value: each.reduce((sum, { value }) => sum + value, 0) / held.length, beside: best.one }
  }
}
