import { parseDecimal } from '../../../kernel/money.ts'
import { addDays } from '../../../kernel/time.ts'
import type { EventConfig, Flow } from '../schema/event-config.ts'
import type { Widget, WidgetOf } from '../schema/widgets.ts'
import { indexOf, productBinding } from './collects.ts'
import { ADDRESSES, EMAIL_DOMAIN, NAMES, type SampleAddress, type SampleName, TEXTS } from './corpus.ts'
import { typedValues } from './typed-values.ts'
import { checkAnswer, rulesOf } from './values.ts'
import { isUnset, type Missing, type Walk, walkFlow, type WalkInput } from './walk.ts'

export interface PersonSeed {
  seed: number
  index: number
  /** Decided before: answers, and products that are not to be bought. */
  answers: Readonly<Record<string, unknown>>
  avoid?: ReadonlySet<string>
  tags: readonly string[]
  /** What exists outside the document and can be answered with: rooms and codes by binding, under `@session.` answers for sessions. */
  known?: Readonly<Record<string, unknown>>
}

export interface FilledPerson {
  answers: Record<string, unknown>
  walk: Walk
  /** Questions that no answer could be found for. */
  unfilled: string[]
  /** Sum of what was chosen, at list prices without discounts and taxes. */
  total: string
}

type Where = Pick<WalkInput, 'timezone' | 'now' | 'connections'>

/** A test person who answers all that is required on what they see. Seed and index decide every answer. */
export function fillPerson(config: EventConfig, flow: Flow, person: PersonSeed, where: Where): FilledPerson {
  const sample = sampleOf(config, flow, person)
  const widgets = new Map(flow.pages.flatMap((page) => page.widgets).map((widget) => [widget.id, widget]))
  const answers: Record<string, unknown> = { ...person.answers }
  const tries = new Map<string, number>()
  const unfilled = new Set<string>()
  const walk = () => walkFlow(config, flow, { answers, tags: person.tags, ...where })
  for (let now = walk(); ; now = walk()) {
    const open = now.missing.filter(({ binding, why }) => why !== 'lookupFailed' && !unfilled.has(binding))
    if (open.length === 0) return { answers: countedOnly(now, answers), walk: now, unfilled: [...unfilled], total: totalOf(now) }
    // More may be missing when what follows from these answers is known.
    for (const missing of open) {
      const again = (tries.get(missing.binding) ?? 0) + 1
      tries.set(missing.binding, again)
      if (again > MAX_TRIES || !fillIn(answers, missing, widgets.get(missing.widget)!, now, sample)) unfilled.add(missing.binding)
    }
  }
}

/** An offer may change with the answers to other questions, and then has to be chosen from again. */
const MAX_TRIES = 3

/** Without answers to questions that the person never saw. */
const countedOnly = (walk: Walk, answers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => walk.answer(binding) !== undefined))

function totalOf(walk: Walk): string {
  const chosen = walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products)).filter(({ quantity }) => quantity > 0)
  const once = new Map(chosen.map((product) => [product.code, product])).values()
  const parts = [...once].map(({ amount, quantity }) => {
    const price = parseDecimal(amount ?? String(quantity))
    return price
      ? { units: price.units * (amount === null ? 1n : BigInt(Math.round(quantity))), digits: price.digits }
      : { units: 0n, digits: 0 }
  })
  const digits = Math.max(2, ...parts.map((part) => part.digits))
  const sum = parts.reduce((total, part) => total + part.units * 10n ** BigInt(digits - part.digits), 0n)
  const text = String(sum).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

interface Sample {
  config: EventConfig
  person: PersonSeed
  name: SampleName
  address: SampleAddress
  fields: ReadonlyMap<string, readonly WidgetOf<'field'>[]>
  pick: <T>(list: readonly T[]) => T | undefined
}

function sampleOf(config: EventConfig, flow: Flow, person: PersonSeed): Sample {
  const random = generator(person.seed, person.index)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]
  // By turns, so that a few people already have names of every kind.
  const turn = person.index + Math.abs(Math.trunc(person.seed))
  const fields = Map.groupBy(
    flow.pages.flatMap((page) => page.widgets).filter((widget) => widget.type === 'field'),
    ({ binding }) => binding,
  )
  return { config, person, name: NAMES[turn % NAMES.length]!, address: ADDRESSES[turn % ADDRESSES.length]!, fields, pick }
}

/** Mulberry32: small, and the same everywhere. */
function generator(seed: number, index: number): () => number {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Whether there was an answer. */
function fillIn(answers: Record<string, unknown>, missing: Missing, widget: Widget, walk: Walk, sample: Sample): boolean {
  const { binding, why } = missing
  if (widget.type === 'products' && why === 'tooFew') return buyEnough(answers, missing, widget.min, walk, sample)
  const known = sample.person.known?.[binding]
  const value =
    why === 'neededByProduct' ? Number(isOffered(walk, binding)) : isUnset(binding, known) ? sampleAnswer(sample, widget, binding) : known
  if (isUnset(binding, value)) return false
  if (binding === '@session.') Object.assign(answers, value)
  else answers[binding] = value
  return true
}

const isOffered = ({ pages }: Walk, binding: string) =>
  pages.some(({ widgets }) => widgets.some(({ products }) => products.some(({ code }) => productBinding(code) === binding)))

/** The cheapest way to please a widget that wants a number of products: first those that are not to be left out for another reason. */
function buyEnough(answers: Record<string, unknown>, missing: Missing, least: number, walk: Walk, { config, person }: Sample): boolean {
  const offers = walk.pages.flatMap(({ widgets }) => widgets).find(({ id }) => id === missing.widget)?.products ?? []
  const { products } = indexOf(config)
  const excludes = (one: string, other: string) =>
    products.get(one)?.excludes.includes(other) || products.get(other)?.excludes.includes(one)
  const chosen = [...products.keys()].filter((code) => !isUnset(productBinding(code), answers[productBinding(code)]))
  const avoided = (code: string) => Number(person.avoid?.has(productBinding(code)) ?? false)
  let wanted = least - offers.reduce((sum, { quantity }) => sum + quantity, 0)
  for (const { code, quantity } of offers.toSorted((a, b) => avoided(a.code) - avoided(b.code))) {
    const more = Math.min(wanted, (products.get(code)?.perPerson ?? 1) - quantity)
    if (more <= 0 || chosen.some((other) => excludes(code, other))) continue
    answers[productBinding(code)] = quantity + more
    chosen.push(code)
    wanted -= more
  }
  return wanted <= 0
}

function sampleAnswer(sample: Sample, widget: Widget, binding: string): unknown {
  const { config, person } = sample
  const [entity = '', ...rest] = binding.slice(1).split('.')
  const property = rest.at(-1) ?? ''
  if (widget.type === 'membershipLookup') return widget.onNotFound === 'block' ? 'found' : 'notFound'
  if (entity === 'policy') return true
  if (entity === 'guest')
    return property === 'type'
      ? config.flows.flatMap(({ guests }) => guests?.types ?? [])[0]?.code
      : guestAnswer(sample, rest[0] ?? '1', property)
  if (entity === 'housing') return housingAnswer(config, widget, property)
  if (entity === 'group' || entity === 'invite')
    return property === 'name' ? `Test group ${person.seed}-${person.index}` : `TEST-${person.seed}-${person.index}`
  if (entity !== 'participant' && entity !== 'custom') return undefined
  const rules = rulesOf(config, binding)
  if (!rules) return undefined
  const field = widget.type === 'field' ? widget : null
  if (field && field.default !== null) return field.default
  const own = entity === 'participant' ? [personal(sample, property)] : []
  const limited = widget.type === 'address' && property === 'country' ? widget.countries : null
  if (limited && limited.length > 0) return limited.includes(sample.address.country) ? sample.address.country : sample.pick(limited)
  const legal = [...own.filter((value) => value !== undefined && checkAnswer(rules, field, value) === null), ...typedValues(rules, field)]
  // Where a question is asked twice, the answer had better please both widgets.
  const pleasing = legal.filter((value) => (sample.fields.get(binding) ?? []).every((other) => checkAnswer(rules, other, value) === null))
  const [first] = pleasing.length > 0 ? pleasing : legal
  return first === own[0] && own.length > 0 ? first : sample.pick(pleasing.length > 0 ? pleasing : legal)
}

function personal(sample: Sample, property: string): unknown {
  const { person, name, address } = sample
  if (property === 'email') return `person-${person.seed}-${person.index}@${EMAIL_DOMAIN}`
  if (property in name) return name[property as keyof SampleName]
  if (property in address) return address[property as keyof SampleAddress]
  if (property.endsWith('Phone')) return address.phone
  if (property === 'website' || property === 'linkedin') return `https://${EMAIL_DOMAIN}/people/${person.seed}-${person.index}`
  return sample.pick(TEXTS[property] ?? [])
}

const guestAnswer = (sample: Sample, number: string, property: string): unknown => {
  const index = sample.person.index + Number(number)
  const guest = { ...sample, person: { ...sample.person, index }, name: NAMES[(index + 1) % NAMES.length]! }
  return property === 'email' ? `guest-${sample.person.seed}-${sample.person.index}-${number}@${EMAIL_DOMAIN}` : personal(guest, property)
}

function housingAnswer({ details }: EventConfig, widget: Widget, property: string): unknown {
  if (property === 'checkIn') return details.startsOn
  if (property === 'checkOut') return details.endsOn > details.startsOn ? details.endsOn : addDays(details.startsOn, 1)
  if (property === 'hotelId') return widget.type === 'housing' ? widget.hotels?.[0] : undefined
  return undefined
}
