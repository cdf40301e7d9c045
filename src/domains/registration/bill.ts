import { invalidArguments } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { NewLine } from '../orders/lines.ts'
import type { BillTo } from '../orders/tables.ts'
import { priceCart } from '../pricing/cart.ts'
import { refusedDiscount } from '../pricing/discounts.ts'
import type { Sale } from '../pricing/lines.ts'
import type { Answers } from './answers.ts'
import type { Guest } from './guests.ts'
import type { Scene } from './scene.ts'
import type { Chosen } from './selection.ts'

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Who is billed when nobody said otherwise: the person themselves. */
export function billToOf(answers: Answers): BillTo {
  const of = (name: string) => text(answers[`@participant.${name}`])
  const name = [of('firstName'), of('lastName')].filter(Boolean).join(' ')
  return {
    ...(name === '' ? {} : { name }),
    company: of('company'),
    address1: of('address1'),
    address2: of('address2'),
    city: of('city'),
    region: of('region'),
    postalCode: of('postalCode'),
    country: of('country'),
    email: of('email'),
  }
}

/** What a payment widget says when nobody chose: then the client's terms hold. */
const USUAL_DAYS = 30

/** Within how many days an invoice of this form is to be paid. */
export function dueDaysOf({ pages }: Flow, { paymentTermsDays }: Pick<Scene, 'paymentTermsDays'>): number {
  const days = pages.flatMap(({ widgets }) => widgets).find(({ type }) => type === 'payment')
  return days?.type === 'payment' && days.invoiceDueDays !== USUAL_DAYS ? days.invoiceDueDays : paymentTermsDays
}

export const saleOf = (scene: Scene, { country, region, taxIdStatus }: BillTo): Sale => ({
  config: scene.config,
  currency: scene.currency,
  timezone: scene.timezone,
  at: scene.at,
  establishedIn: scene.establishedIn,
  buyer: { country: country ?? null, region: region ?? null, taxIdStatus: taxIdStatus ?? 'unchecked' },
})

interface Billing {
  scene: Scene
  chosen: readonly Chosen[]
  guests: readonly Guest[]
  buyer: BillTo
  discountCode: string | null
  /** Tags that decide prices. */
  given: ReadonlySet<string>
}

/** A line before it is known for whom it is: the person, or the guest of that place in the list. */
export type BilledLine = Omit<NewLine, 'participantId'> & { guest: number | null }

/** What is bought, priced now, with the code as it is written in the configuration. */
export function linesFor({ scene, chosen, guests, buyer, discountCode, given }: Billing): {
  lines: BilledLine[]
  discountCode: string | null
} {
  const sale = saleOf(scene, buyer)
  const own = chosen.map(({ product, quantity, amount }) => ({
    productCode: product.code,
    quantity,
    ...(amount === null ? {} : { amount }),
    tags: given,
    guest: null,
  }))
  const theirs = guests.flatMap(({ productCode }, guest) =>
    productCode === null ? [] : [{ productCode, quantity: 1, tags: given, guest }],
  )
  const wanted = [...own, ...theirs]
  const refused = discountCode === null ? null : refusedDiscount(sale, discountCode, wanted, given)
  if (refused !== null) throw invalidArguments([{ path: '@discount.code', message: refused }])
  const code = discountCode === null ? null : codeOf(scene, discountCode)
  const names = new Map(scene.config.products.map((product) => [product.code, product.name]))
  const lines = priceCart(sale, wanted, code).map((line, index) => ({
    ...line,
    kind: 'sale' as const,
    description: names.get(line.productCode) ?? line.productCode,
    pricedAt: scene.at,
    guest: wanted[index]!.guest,
  }))
  return { lines, discountCode: code }
}

/** The code as it is written in the configuration, however it was typed. */
export const codeOf = ({ config }: Scene, typed: string) =>
  config.discounts.find(({ code }) => code.toLowerCase() === typed.trim().toLowerCase())?.code ?? null
