import { parseDecimal } from '../../../kernel/money.ts'
import { addDays } from '../../../kernel/time.ts'
import type { EventConfig, Flow } from '../schema/event-config.ts'
import type { Widget, WidgetOfType } from '../schema/widgets.ts'
import { indexConfigByCode, toProductAnswerKey } from './collected-answers.ts'
import { SAMPLE_ADDRESSES, SAMPLE_EMAIL_DOMAIN, SAMPLE_NAMES, type SampleAddress, type SampleName, SAMPLE_TEXTS } from './sample-data.ts'
import { listValidAnswers } from './legal-answers.ts'
import { findAnswerErrorMessage, findQuestionRules } from './answer-rules.ts'
import { isAnswerUnset, type MissingAnswer, type FlowEvaluation, evaluateFlow, type FlowEvaluationInput } from './walk.ts'

export interface TestParticipantSeed {
  seed: number
  index: number
  /** Answers that the test run plan prescribes. `avoid` lists products that should not be bought. */
  answers: Readonly<Record<string, unknown>>
  avoid?: ReadonlySet<string>
  tags: readonly string[]
  /**
   * Valid answers that exist outside the configuration document, by binding (identifier of the question): rooms and codes; under
   * `@session.` an object of session answers.
   */
  known?: Readonly<Record<string, unknown>>
}

export interface FilledInTestParticipant {
  answers: Record<string, unknown>
  walk: FlowEvaluation
  /** The bindings (identifiers) of the questions for which no valid answer was found. */
  unfilled: string[]
  /** Total of the chosen products at list prices, without discounts and taxes. */
  total: string
}

type WalkContext = Pick<FlowEvaluationInput, 'timezone' | 'now' | 'connections'>

/** Builds a test participant who answers every required question that is visible. Seed and index determine every answer. */
export function fillInTestParticipant(
  config: EventConfig,
  flow: Flow,
  person: TestParticipantSeed,
  where: WalkContext,
): FilledInTestParticipant {
  const sample = sampleOf(config, flow, person)
  const widgets = new Map(flow.pages.flatMap((page) => page.widgets).map((widget) => [widget.id, widget]))
  const answers: Record<string, unknown> = { ...person.answers }
  const tries = new Map<string, number>()
  const unfilled = new Set<string>()
  const walk = () => evaluateFlow(config, flow, { answers, tags: person.tags, ...where })
  for (let now = walk(); ; now = walk()) {
    const open = now.missing.filter(({ binding, why }) => why !== 'lookupFailed' && !unfilled.has(binding))
    if (open.length === 0) return { answers: keepCountedAnswers(now, answers), walk: now, unfilled: [...unfilled], total: totalOf(now) }
    // New answers may make further questions visible, so the loop walks the flow again.
    for (const missing of open) {
      const again = (tries.get(missing.binding) ?? 0) + 1
      tries.set(missing.binding, again)
      if (again > MAX_TRIES || !fillIn(answers, missing, widgets.get(missing.widget)!, now, sample)) unfilled.add(missing.binding)
    }
  }
}

/**
 * The maximum number of attempts per question. Later answers may change which products are offered, so that products must be chosen again.
 */
const MAX_TRIES = 3

/** Drops answers to questions that were never visible. */
const keepCountedAnswers = (walk: FlowEvaluation, answers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(answers).filter(([binding]) => walk.answer(binding) !== undefined))

function totalOf(walk: FlowEvaluation): string {
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
  person: TestParticipantSeed
  name: SampleName
  address: SampleAddress
  fields: ReadonlyMap<string, readonly WidgetOfType<'field'>[]>
  pick: <T>(list: readonly T[]) => T | undefined
}

function sampleOf(config: EventConfig, flow: Flow, person: TestParticipantSeed): Sample {
  const random = generator(person.seed, person.index)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]
  // Names are assigned in rotation, so that even a few test participants cover every kind of name.
  const turn = person.index + Math.abs(Math.trunc(person.seed))
  const fields = Map.groupBy(
    flow.pages.flatMap((page) => page.widgets).filter((widget) => widget.type === 'field'),
    ({ binding }) => binding,
  )
  return {
    config,
    person,
    name: SAMPLE_NAMES[turn % SAMPLE_NAMES.length]!,
    address: SAMPLE_ADDRESSES[turn % SAMPLE_ADDRESSES.length]!,
    fields,
    pick,
  }
}

/** Returns a Mulberry32 generator: small, and with the same random numbers on every platform. */
function generator(seed: number, index: number): () => number {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Adds an answer for one missing question. Returns whether a valid answer was found. */
function fillIn(answers: Record<string, unknown>, missing: MissingAnswer, widget: Widget, walk: FlowEvaluation, sample: Sample): boolean {
  const { binding, why } = missing
  if (widget.type === 'products' && why === 'tooFew') return chooseProducts(answers, missing, widget.min, walk, sample)
  const known = sample.person.known?.[binding]
  const value =
    why === 'neededByProduct'
      ? Number(isOffered(walk, binding))
      : isAnswerUnset(binding, known)
        ? sampleAnswer(sample, widget, binding)
        : known
  if (isAnswerUnset(binding, value)) return false
  if (binding === '@session.') Object.assign(answers, value)
  else answers[binding] = value
  return true
}

const isOffered = ({ pages }: FlowEvaluation, binding: string) =>
  pages.some(({ widgets }) => widgets.some(({ products }) => products.some(({ code }) => toProductAnswerKey(code) === binding)))

/** Chooses enough products to meet the widget's minimum. Products outside `avoid` are chosen first. */
function chooseProducts(
  answers: Record<string, unknown>,
  missing: MissingAnswer,
  least: number,
  walk: FlowEvaluation,
  { config, person }: Sample,
): boolean {
  const offers = walk.pages.flatMap(({ widgets }) => widgets).find(({ id }) => id === missing.widget)?.products ?? []
  const { products } = indexConfigByCode(config)
  const excludes = (one: string, other: string) =>
    products.get(one)?.excludes.includes(other) || products.get(other)?.excludes.includes(one)
  const chosen = [...products.keys()].filter((code) => !isAnswerUnset(toProductAnswerKey(code), answers[toProductAnswerKey(code)]))
  const avoided = (code: string) => Number(person.avoid?.has(toProductAnswerKey(code)) ?? false)
  let wanted = least - offers.reduce((sum, { quantity }) => sum + quantity, 0)
  for (const { code, quantity } of offers.toSorted((a, b) => avoided(a.code) - avoided(b.code))) {
    const more = Math.min(wanted, (products.get(code)?.perPerson ?? 1) - quantity)
    if (more <= 0 || chosen.some((other) => excludes(code, other))) continue
    answers[toProductAnswerKey(code)] = quantity + more
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
  const rules = findQuestionRules(config, binding)
  if (!rules) return undefined
  const field = widget.type === 'field' ? widget : null
  if (field && field.default !== null) return field.default
  const own = entity === 'participant' ? [samplePersonalAnswer(sample, property)] : []
  const limited = widget.type === 'address' && property === 'country' ? widget.countries : null
  if (limited && limited.length > 0) return limited.includes(sample.address.country) ? sample.address.country : sample.pick(limited)
  const legal = [
    ...own.filter((value) => value !== undefined && findAnswerErrorMessage(rules, field, value) === null),
    ...listValidAnswers(rules, field),
  ]
  // If several widgets ask the same question, prefer an answer that all of them accept.
  const pleasing = legal.filter((value) =>
    (sample.fields.get(binding) ?? []).every((other) => findAnswerErrorMessage(rules, other, value) === null),
  )
  const [first] = pleasing.length > 0 ? pleasing : legal
  return first === own[0] && own.length > 0 ? first : sample.pick(pleasing.length > 0 ? pleasing : legal)
}

function samplePersonalAnswer(sample: Sample, property: string): unknown {
  const { person, name, address } = sample
  if (property === 'email') return `person-${person.seed}-${person.index}@${SAMPLE_EMAIL_DOMAIN}`
  if (property in name) return name[property as keyof SampleName]
  if (property in address) return address[property as keyof SampleAddress]
  if (property.endsWith('Phone')) return address.phone
  if (property === 'website' || property === 'linkedin') return `https://${SAMPLE_EMAIL_DOMAIN}/people/${person.seed}-${person.index}`
  return sample.pick(SAMPLE_TEXTS[property] ?? [])
}

const guestAnswer = (sample: Sample, number: string, property: string): unknown => {
  const index = sample.person.index + Number(number)
  const guest = { ...sample, person: { ...sample.person, index }, name: SAMPLE_NAMES[(index + 1) % SAMPLE_NAMES.length]! }
  return property === 'email'
    ? `guest-${sample.person.seed}-${sample.person.index}-${number}@${SAMPLE_EMAIL_DOMAIN}`
    : samplePersonalAnswer(guest, property)
}

function housingAnswer({ details }: EventConfig, widget: Widget, property: string): unknown {
  if (property === 'checkIn') return details.startsOn
  if (property === 'checkOut') return details.endsOn > details.startsOn ? details.endsOn : addDays(details.startsOn, 1)
  if (property === 'hotelId') return widget.type === 'housing' ? widget.hotels?.[0] : undefined
  return undefined
}
