import { indexOf } from '../flow/collects.ts'
import type { Operation } from '../operations.ts'
import type { Product } from '../schema/event-config.ts'
import { TERMINAL_TYPES } from '../schema/widgets.ts'
import { notDecided } from './reachability.ts'
import { insertWidget, lastOpenPage, removal } from './repairs.ts'
import { capital, error, type Finding, hasRule, listed, type Look, type Place, placeName, someOf, warning } from './scene.ts'
import type { Someone } from './someone.ts'

/** F18 to F20, F23 and F24: what is sold, and paid. */
export const reviewProducts = (look: Look, someone: Someone): Finding[] => [
  ...emptyOffers(look, someone),
  ...unpaid(look),
  ...nothingToPay(look),
  ...notOfferedTogether(look, someone),
  ...soldOutNeeds(look),
]

function emptyOffers(look: Look, someone: Someone): Finding[] {
  const undecided: string[] = []
  const found = look.places.flatMap((place) => {
    if (place.widget.type !== 'products' || sellsToEverybody(place)) return []
    const nothing = someone.findsNothing(place)
    if (nothing === null) undecided.push(placeName(look, place))
    if (nothing === null || nothing === false) return []
    const tags = nothing === true ? [] : [...new Set([...nothing.tags, ...look.flow.addsTags])]
    const whom =
      tags.length > 0 ? `people with the ${tags.length === 1 ? 'tag' : 'tags'} ${someOf(tags)} and no other` : 'people without a tag'
    return [error('F18', place.path, `${capital(placeName(look, place))} has nothing to offer to ${whom}.`)]
  })
  return [...found, ...notDecided(look, 'F18', undecided)]
}

const sellsToEverybody = ({ sold }: Place) =>
  sold.some(({ visibleForTags, prices }) => visibleForTags === null && prices.some(({ tags }) => tags.length === 0))

const costs = (product: Product | undefined) =>
  product !== undefined && !product.retired && (product.category === 'donation' || product.prices.some(({ amount }) => Number(amount) > 0))

/** Products with a price that a widget can put into the order. */
function pricedAt({ config, flow }: Look, { widget, sold }: Place): Product[] {
  const { products } = indexOf(config)
  if (widget.type !== 'guests') return sold.filter(costs)
  const types = flow.guests?.enabled ? flow.guests.types : []
  return types.flatMap(({ productCode }) => products.get(productCode) ?? []).filter(costs)
}

function unpaid(look: Look): Finding[] {
  const lastPayment = look.places.findLast(({ widget }) => widget.type === 'payment')?.order ?? -1
  const sellers = look.places.filter((place) => place.order > lastPayment && pricedAt(look, place).length > 0)
  const last = sellers.at(-1)
  if (!last) return []
  const names = someOf([...new Set(sellers.flatMap((place) => pricedAt(look, place).map(({ name }) => `"${name}"`)))], 3)
  const after = lastPayment < 0 ? 'the flow has no payment' : 'no payment comes after that'
  return [
    error(
      'F19',
      last.path,
      `People can choose ${names} up to ${placeName(look, last)}, which costs money, but ${after}.`,
      addedPayment(look, last),
    ),
  ]
}

/** At the end of the last page that everybody sees before the flow ends, else of the page that sells. */
function addedPayment(look: Look, seller: Place): Operation[] | null {
  const later = lastOpenPage(look, ({ index }) => index > seller.pageIndex)
  const target = later ?? look.pages[seller.pageIndex]!
  const sold = target.page.widgets.indexOf(seller.widget)
  const end = target.page.widgets.find(({ type }, index) => index > sold && TERMINAL_TYPES.includes(type))
  const operation = insertWidget(look, target, { type: 'payment', methods: ['bank'] }, 'payment', end ? { before: end.id } : {})
  return operation && [operation]
}

function nothingToPay(look: Look): Finding[] {
  const { places, config } = look
  const sizes = (codes: readonly string[]) =>
    config.exhibitorConfig.boothSizes.filter(({ code }) => codes.length === 0 || codes.includes(code))
  const canCost = places.some((place) => {
    const { widget } = place
    if (widget.type === 'housing') return config.housing.guarantee !== 'none'
    if (widget.type === 'boothRequest')
      return sizes(widget.sizes).some(({ product }) => product !== null && costs(indexOf(config).products.get(product)))
    return pricedAt(look, place).length > 0
  })
  if (canCost) return []
  return places
    .filter(({ widget }) => widget.type === 'payment')
    .map((place) =>
      warning(
        'F20',
        place.path,
        `${capital(placeName(look, place))} asks to pay although nothing in this flow can cost money.`,
        removal(look, place),
      ),
    )
}

function notOfferedTogether(look: Look, someone: Someone): Finding[] {
  const { places, config } = look
  const offers = new Map<string, Place[]>()
  for (const place of places) for (const { code } of place.sold) offers.set(code, [...(offers.get(code) ?? []), place])
  const needed = new Map<string, { place: Place; product: Product }>()
  for (const place of places) {
    for (const product of place.sold) {
      for (const code of product.requires) {
        if (!needed.has(code) && isWithout(look, someone, place, product, { code, at: offers.get(code) ?? [] }))
          needed.set(code, { place, product })
      }
    }
  }
  return [...needed].map(([code, { place, product }]) => {
    const other = indexOf(config).products.get(code)
    const where = offers.has(code) ? 'some people who see it are not offered that' : 'this flow does not offer that'
    const message = `"${product.name}" in ${placeName(look, place)} requires "${other?.name ?? code}", and ${where}.`
    return error('F23', place.path, message, offers.has(code) || !other || other.retired ? null : addedOffer(look, place, other))
  })
}

/** Whether somebody is offered a product and nowhere the one it requires. */
function isWithout(
  look: Look,
  someone: Someone,
  place: Place,
  product: Product,
  { code, at }: { code: string; at: readonly Place[] },
): boolean {
  if (at.length === 0) return true
  const open = (one: Place) => one === place || (!hasRule(one.widget) && !hasRule(look.pages[one.pageIndex]!.page))
  if (!at.some(open) && someone.meets([place, 'shown'], ...at.map((one) => [one, 'hidden'] as const)) === true) return true
  const other = indexOf(look.config).products.get(code)!
  const forAll = other.visibleForTags === null && other.prices.some(({ tags }) => tags.length === 0)
  // Rules of a widget and of its product cannot both be asked of the same place, and where both are there they mostly say the same.
  const twice = place.widget.visibleForTags !== null && product.visibleForTags !== null
  return !forAll && !twice && someone.misses(place, product, other) === true
}

function addedOffer(look: Look, place: Place, product: Product): Operation[] | null {
  const { widget } = place
  if (widget.type === 'products' && widget.category === null && widget.selection === 'multiple' && widget.max === null) {
    return [{ op: 'insert', path: `${place.path}/products`, valueJson: JSON.stringify(product.code), at: 0 }]
  }
  const rules = {
    ...(widget.showWhen === null ? {} : { showWhen: widget.showWhen }),
    ...(widget.visibleForTags === null ? {} : { visibleForTags: widget.visibleForTags }),
  }
  const operation = insertWidget(
    look,
    look.pages[place.pageIndex]!,
    { type: 'products', products: [product.code], ...rules },
    product.code,
    { before: widget.id },
  )
  return operation && [operation]
}

function soldOutNeeds(look: Look): Finding[] {
  const { config, scene, places } = look
  const { products } = indexOf(config)
  const gone = (product: Product | undefined): product is Product =>
    product !== undefined && (product.capacity === 0 || scene.soldOut.has(product.code))
  const sold = [...new Set(places.flatMap((place) => place.sold))]
  const required = new Map<Product, string[]>()
  for (const product of sold) {
    for (const other of product.requires.map((code) => products.get(code)).filter(gone))
      required.set(other, [...(required.get(other) ?? []), `"${product.name}"`])
  }
  const needed = [...required].map(([{ code, name, capacity }, by]) =>
    warning(
      'F24',
      `/products/${code}/capacity`,
      `"${name}", which ${someOf(by, 3)} requires, ${capacity === 0 ? 'has a capacity of 0' : 'is sold out'}.`,
    ),
  )
  const stuck = places.flatMap((place) => {
    const own = place.sold
    if (place.widget.type !== 'products' || place.widget.min === 0 || own.length === 0 || !own.every(gone)) return []
    return [
      warning(
        'F24',
        place.path,
        `${capital(placeName(look, place))} must be chosen from, but ${listed(own.slice(0, 3).map(({ name }) => `"${name}"`))} ${own.length === 1 ? 'is' : 'are all'} sold out.`,
      ),
    ]
  })
  return [...needed, ...stuck]
}
