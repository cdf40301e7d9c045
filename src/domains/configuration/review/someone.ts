import type { TagRule } from '../../../kernel/conditions.ts'
import { atOnce, type InParts } from '../../../kernel/turns.ts'
import { leavesOf } from '../flow/classes.ts'
import { indexOf, productBinding } from '../flow/collects.ts'
import { type Model, modelInParts } from '../flow/model.ts'
import { tagsOf } from '../flow/reach.ts'
import { type Solution, solve } from '../flow/search.ts'
import type { Literal } from '../flow/slices.ts'
import type { EventConfig, Flow, Product } from '../schema/event-config.ts'
import { Widget } from '../schema/widgets.ts'
import { connectionFacts, type Look, type PagePlace, perScene, type Place } from './scene.ts'

/** Whether there can be a person for whom something is so; null where that takes more tries than are made. */
type Verdict = boolean | null

export type Wanted = readonly [at: PagePlace | Place, outcome: 'shown' | 'hidden']

/**
 * Organizers may give anybody any tag by hand. Where a check says that nobody can see something, such people count; where it says that
 * somebody is left stranded, only those count whom the configuration itself lets in, with the tags it gives them.
 */
export interface Someone {
  sees: (...wanted: readonly Wanted[]) => Verdict
  /** The same for people whom the configuration itself lets in. */
  meets: (...wanted: readonly Wanted[]) => Verdict
  /** The same as if the first place had no rule about tags, which leaves its condition alone to decide. */
  seesByCondition: (...wanted: readonly [Wanted, ...Wanted[]]) => Verdict
  /** Somebody whom the configuration itself lets in sees the widget with nothing on offer; the tags they came with. */
  findsNothing: (place: Place) => { tags: readonly string[] } | boolean | null
  /** Somebody like that is offered the one product and would not be offered the other at the same place. */
  misses: (place: Place, product: Product, other: Product) => Verdict
}

/**
 * What a review wants of prices is whether there is one for these tags. Which of them holds today is another question, so that the answer
 * stays the same from day to day.
 */
const timeless = perScene(({ config }): EventConfig => ({
  ...config,
  products: config.products.map((product) => ({
    ...product,
    prices: product.prices.map((price) => ({ ...price, from: null, until: null })),
  })),
}))

const MAX_COMBINATIONS = 20_000
// Where one question is too big there are mostly many, and a review has to end.
const TRIES_AFTER_GIVING_UP = 500
/** Of one question, and of all flows together: nobody else is served during the one, and whoever asked waits for the other. */
const MAX_WORK = 60_000
const ALL_WORK = 2_000_000
const patience = perScene(() => ({ tries: MAX_COMBINATIONS, work: ALL_WORK }))

export function* someoneIn(look: Look): InParts<Someone> {
  const { scene, flow } = look
  const config = timeless(scene)
  const models = new Map<string, Model>()
  const idle = idleShops(look)
  const { timezone, now } = scene.facts
  const modelling = (variant: Flow, kept?: Place) => {
    const light = withoutShops(variant, new Set([...idle].filter((id) => id !== kept?.widget.id)))
    return modelInParts(config, light, { timezone, now, connections: connectionFacts(scene) })
  }
  const whole = yield* modelling(flow)
  const modelFor = (key: string, variant: () => Flow, kept?: Place): Model => {
    const model = models.get(key) ?? atOnce(modelling(variant(), kept))
    models.set(key, model)
    return model
  }
  const solved = (model: Model, literals: readonly Literal[], fixed?: ReadonlyMap<number, number>): Solution => {
    const left = patience(scene)
    if (left.work <= 0) return { status: 'undecided', work: 0 }
    const solution = solve(model, literals, { limit: left.tries, maxWork: MAX_WORK, ...(fixed ? { fixed } : {}) })
    left.work -= solution.work
    if (solution.status === 'undecided') left.tries = TRIES_AFTER_GIVING_UP
    return solution
  }
  const verdict = ({ status }: Solution): Verdict => (status === 'undecided' ? null : status === 'solved')
  const literalsOf = (wanted: readonly Wanted[]) =>
    wanted.map(([at, outcome]): Literal => ({ kind: 'visible', step: stepOf(flow, at), shown: outcome === 'shown' }))

  return {
    sees: (...wanted) => verdict(solved(whole, literalsOf(wanted))),
    meets: (...wanted) => verdict(solved(whole, literalsOf(wanted), entryTags(whole, flow.visibleForTags))),
    seesByCondition: (...wanted) => {
      const [[at]] = wanted
      const own = 'widget' in at ? at.widget : at.page
      const model = own.visibleForTags === null ? whole : withoutTagRule(whole, stepOf(flow, at))
      return verdict(solved(model, literalsOf(wanted)))
    },
    findsNothing: (place) => {
      // People who find too little stay where they are; here it matters that they find nothing.
      const model = modelFor(`${place.path} empty`, () => withoutLeast(flow), place)
      const solution = solved(model, [{ kind: 'offersNothing', step: stepOf(flow, place) }], entryTags(model, flow.visibleForTags))
      return solution.status === 'solved' ? { tags: tagsOf(model, solution.assignment) } : verdict(solution)
    },
    misses: (place, product, other) => {
      // Products with the same rules share an answer.
      const rules = JSON.stringify([product.visibleForTags, other.visibleForTags, other.prices.map(({ tags }) => tags)])
      const model = modelFor(`${place.path} ${rules}`, () => withOffer(flow, place, product, other))
      return verdict(solved(model, [{ kind: 'offersNothing', step: stepOf(flow, place) + 1 }], entryTags(model, flow.visibleForTags)))
    },
  }
}

/**
 * Ids of widgets that sell nothing on which anything else depends: no tag, no condition, no product that is needed for those. Whether they
 * are seen can be asked without their products, of which there may be hundreds.
 */
function idleShops({ places, flow, config }: Look): Set<string> {
  const leaves = flow.pages.flatMap((page) => [page, ...page.widgets]).flatMap(({ showWhen }) => leavesOf(showWhen))
  const compared = new Set(leaves.map(({ binding }) => binding))
  const sold = new Set(places.flatMap((place) => place.sold))
  const decisive = new Set([...sold].filter(({ code, addsTags }) => addsTags.length > 0 || compared.has(productBinding(code))))
  for (const product of decisive) {
    for (const code of product.requires) {
      const needed = indexOf(config).products.get(code)
      if (needed) decisive.add(needed)
    }
  }
  const forEverybody = ({ visibleForTags, prices }: Product) => visibleForTags === null && prices.some(({ tags }) => tags.length === 0)
  const idle = places.filter(
    ({ widget, sold: own }) =>
      widget.type === 'products' && !own.some((product) => decisive.has(product)) && (widget.min === 0 || own.some(forEverybody)),
  )
  return new Set(idle.map(({ widget }) => widget.id))
}

const withoutShops = (flow: Flow, idle: ReadonlySet<string>): Flow => ({
  ...flow,
  pages: flow.pages.map((page) => ({
    ...page,
    widgets: page.widgets.map((widget): Widget => {
      const { id, showWhen, visibleForTags, width } = widget
      return idle.has(id) ? { id, type: 'divider', showWhen, visibleForTags, width } : widget
    }),
  })),
})

/** In the model pages and widgets stand in one row, each page before its widgets. */
function stepOf(flow: Flow, at: PagePlace | Place): number {
  if ('widget' in at) return at.order + at.pageIndex + 1
  return flow.pages.slice(0, at.index).reduce((sum, { widgets }) => sum + widgets.length + 1, 0)
}

/** A tag that nothing asks for any more stays a variable, and decides nothing. */
const withoutTagRule = (model: Model, step: number): Model => ({
  ...model,
  steps: model.steps.with(step, { ...model.steps[step]!, rule: null }),
})

const withoutLeast = (flow: Flow): Flow => ({
  ...flow,
  pages: flow.pages.map((page) => ({
    ...page,
    widgets: page.widgets.map((widget) => (widget.type === 'products' ? { ...widget, min: 0 } : widget)),
  })),
})

/** Right behind a widget another one, for those who are offered the product, with nothing but the other product. */
function withOffer(flow: Flow, { widget, page }: Place, product: Product, other: Product): Flow {
  const offer = Widget.parse({ id: 'offer', type: 'products', products: [other.code] })
  // No widget that people made has such an id.
  const shown = { ...offer, id: '+offer', showWhen: widget.showWhen, visibleForTags: product.visibleForTags ?? widget.visibleForTags }
  const widgets = page.widgets.toSpliced(page.widgets.indexOf(widget) + 1, 0, shown)
  return withoutLeast({ ...flow, pages: flow.pages.map((one) => (one === page ? { ...page, widgets } : one)) })
}

/** No more than it takes to enter. */
function entryTags({ variables }: Model, rule: TagRule | null): Map<number, number> {
  const needed = rule === null || rule.type === 'none' ? [] : rule.required
  const fixed = new Map<number, number>()
  variables.forEach(({ tag }, index) => {
    if (tag === null) return
    if (!needed.includes(tag)) fixed.set(index, 0)
    else if (rule?.type === 'all') fixed.set(index, 1)
  })
  return fixed
}

/** Bindings whose answers come from directories alone: what the solver takes for unanswered may be known there. */
export const unforeseen = ({ places }: Look, filled: ReadonlySet<string>): Set<string> => {
  const asked = new Set(places.flatMap(({ collected }) => collected.map(({ binding }) => binding)))
  return new Set([...filled].filter((binding) => !asked.has(binding)))
}
