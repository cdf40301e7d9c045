import { z } from 'zod'
import { dayOrInstant } from '../schema/words.ts'
import { flag, list, money, object, oneOf, text } from '../../../kernel/args.ts'
import { type Condition, conditionHolds, type TagRule, visibleFor } from '../../../kernel/conditions.ts'
import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { isDay, startOfDay } from '../../../kernel/time.ts'
import { bindingTypes, dataFieldsOf } from '../data-fields.ts'
import { indexOf } from '../flow/collects.ts'
import { isInForce } from '../flow/prices.ts'
import { type Hidden, type OfferedProduct, type Walk, walkFlow } from '../flow/walk.ts'
import { conditionInWords, labelOf } from '../labels.ts'
import type { Flow, Product } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import { asksSomethingRequired, connectionFacts, listed, lookAt, type Scene, widgetName } from './scene.ts'

const Person = object({
  tags: list(text(63), 300).default([]),
  answers: z.record(z.string(), z.unknown()).default({}),
  asOf: dayOrInstant().optional(),
})
export type Person = z.output<typeof Person>

/** Somebody as an organizer describes them: what they were tagged with, what they answer, and when they come. */
export function readPerson({ config }: Scene, described: unknown): Person {
  const parsed = Person.safeParse(described)
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => ({ path: ['personJson', ...path.map(String)].join('/'), message }))
    throw invalidArguments(
      wrong.map((one) => ({ ...one, message: `${one.message}; write it like {"tags":["member"],"answers":{"@custom.diet":"vegan"}}` })),
    )
  }
  const { tags, answers, asOf } = parsed.data
  const given = Object.fromEntries(Object.entries(answers).map(([name, value]) => [name.startsWith('@') ? name : `@${name}`, value]))
  const typeOf = bindingTypes(config)
  const isKnown = (binding: string) => typeOf(binding) !== null || /^@(lookup|directory|group|invite)\./.test(binding)
  const wrong = [
    ...unknown(
      tags,
      config.tags.map(({ code }) => code),
      'tag',
      'personJson/tags',
    ),
    ...unknown(
      Object.keys(given).filter((binding) => !isKnown(binding)),
      dataFieldsOf(config).map(({ binding }) => binding),
      'data field',
      'personJson/answers',
    ),
  ]
  if (wrong.length > 0) throw invalidArguments(wrong)
  return { tags, answers: given, ...(asOf === undefined ? {} : { asOf }) }
}

const unknown = (names: readonly string[], known: readonly string[], what: string, path: string): FieldError[] =>
  names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known)
      return { path, message: `No ${what} ${JSON.stringify(name.slice(0, 80))}${near ? ` — did you mean ${near}?` : ''}` }
    })

export const Sees = object({
  pages: list(object({ slug: text(), widgets: list(object({ key: text(), label: z.string(), required: flag() })) })),
  products: list(object({ code: text(), name: z.string(), price: money().optional(), reason: z.string().optional() }), 2000),
  hidden: list(object({ kind: oneOf(['page', 'widget', 'product']), key: text(), because: z.string() }), 5000),
})
export type Sees = z.input<typeof Sees>

/** What one person is shown by a flow, at which prices, and what hides the rest from them. */
export function seenBy(scene: Scene, flow: Flow, { tags, answers, asOf }: Person): Sees {
  const { config, facts } = scene
  const { timezone } = facts
  const now = asOf === undefined ? facts.now : isDay(asOf) ? startOfDay(timezone, asOf) : new Date(asOf)
  const hidden: Sees['hidden'] = []
  const onHidden = (one: Hidden) => void hidden.push({ kind: one.kind, key: one.key, because: because(one, { at: now, timezone }) })
  const walk = walkFlow(config, flow, { answers, tags, timezone, now, connections: connectionFacts(scene), onHidden })
  if (!walk.open) {
    const why = ruleInWords(flow.visibleForTags!)
    return { pages: [], products: [], hidden: flow.pages.map(({ code }) => ({ kind: 'page', key: code, because: `the flow is ${why}` })) }
  }
  const shown = new Set(walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products.map(({ code }) => code))))
  return {
    pages: pagesIn(scene, flow, walk),
    products: productsIn(scene, walk),
    // One of several lists may offer what another one does not.
    hidden: hidden.filter(({ kind, key }) => kind !== 'product' || !shown.has(key)),
  }
}

function pagesIn(scene: Scene, flow: Flow, { pages }: Walk): Sees['pages'] {
  const places = new Map(lookAt(scene, flow).places.map((place) => [place.widget.id, place]))
  return pages
    .filter(({ visible }) => visible)
    .map(({ code, widgets }) => ({
      slug: code,
      widgets: widgets
        .filter(({ visible }) => visible)
        .map(({ id, required }) => {
          const place = places.get(id)!
          return { key: id, label: labelIn(scene, place.widget), required: required.length > 0 || asksSomethingRequired(place) }
        }),
    }))
}

function labelIn(scene: Scene, widget: Widget): string {
  if (widget.type === 'field' || widget.type === 'policy') return widgetName(scene, widget).replaceAll('"', '')
  const label = labelOf(widget)
  return label === null || label === widget.id ? widgetName(scene, widget) : label
}

function productsIn({ config, facts }: Scene, { pages }: Walk): Sees['products'] {
  const offers = pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products))
  const once = new Map(offers.map((offer) => [offer.code, offer]))
  return [...once.values()].map((offer) => {
    const product = indexOf(config).products.get(offer.code)!
    const reason = reasonOf(product, offer)
    return {
      code: offer.code,
      name: product.name,
      ...(offer.amount === null ? {} : { price: { amount: offer.amount, currency: facts.currency } }),
      ...(reason === null ? {} : { reason }),
    }
  })
}

/** Why this price and not another one of the product. */
function reasonOf({ prices }: Product, { row }: OfferedProduct): string | null {
  if (row === null) return 'the amount is chosen'
  const { tags, from, until } = prices[row]!
  if (prices.length === 1) return null
  const says = [
    ...(tags.length > 0 ? [`for ${tags.join(', ')}`] : []),
    ...(from ? [`from ${from}`] : []),
    ...(until ? [`until ${until}`] : []),
  ]
  return [`row ${row + 1}`, ...says].join(' ')
}

interface Moment {
  at: Date
  timezone: string
}

/** By what somebody was not shown something, in words. */
export function because({ rule, condition, product, tags, answer }: Hidden, { at, timezone }: Moment): string {
  if (rule && !visibleFor(rule, tags)) return ruleInWords(rule)
  const failing = condition && failingIn(condition, answer, timezone)
  if (failing) return `${conditionInWords(failing)} does not hold`
  const inForce = product?.prices.filter((price) => isInForce(price, at, timezone)) ?? []
  if (inForce.length === 0) return 'it has no price at that time'
  return `its prices are only for people with ${listed([...new Set(inForce.flatMap((price) => price.tags))])}`
}

/** The smallest part that is to blame: of several that must all hold the first that does not, of alternatives all of them. */
function failingIn(condition: Condition, answer: (binding: string) => unknown, timezone: string): Condition | null {
  if (conditionHolds(condition, answer, timezone)) return null
  if (!('all' in condition)) return condition
  for (const inner of condition.all) {
    const failing = failingIn(inner, answer, timezone)
    if (failing) return failing
  }
  return condition
}

const RULES: Record<TagRule['type'], string> = {
  all: 'only for people with the tags',
  any: 'only for people with one of the tags',
  none: 'not for people with the tags',
}

const ruleInWords = ({ type, required }: TagRule) => `${RULES[type]} ${required.join(', ')}`
