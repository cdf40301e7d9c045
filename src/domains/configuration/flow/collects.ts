import { visibleFor } from '../../../kernel/conditions.ts'
import { HOUSING_PROPERTIES } from '../data-fields.ts'
import type { EventConfig, Flow, FlowPage, Product } from '../schema/event-config.ts'
import { ADDRESS_PARTS, type Widget, type WidgetOf } from '../schema/widgets.ts'

/** What a widget asks for. A binding that ends in a dot stands for all that begin with it (`@session.`, `@guest.`). */
export interface Collected {
  binding: string
  required: boolean
}

export const LOOKUP_OUTCOMES = ['found', 'notFound', 'many', 'error'] as const
export type LookupOutcome = (typeof LOOKUP_OUTCOMES)[number]

/** Given to people whom a directory could not be asked about. */
export const UNVERIFIED_TAG = 'directory-unverified'

/** How a lookup widget ended is kept like an answer, so that one function can say who sees what. */
export const lookupBinding = (widgetId: string) => `@lookup.${widgetId}`
/** The same for the lookup by email that a flow makes by itself. */
export const directoryBinding = (connection: string) => `@directory.${connection}`
export const productBinding = (code: string) => `@product.${code}`

const participant = (names: readonly string[], isRequired: (name: string) => boolean): Collected[] =>
  names.map((name) => ({ binding: `@participant.${name}`, required: isRequired(name) }))
const custom = (codes: readonly string[]): Collected[] => codes.map((code) => ({ binding: `@custom.${code}`, required: false }))

/**
 * The answers a widget asks for and which of them it requires while it is shown. Whether enough products, guests or sessions were chosen
 * depends on the answers and is the walk's to say. What is asked but is no data field (sharing, payment) is not here.
 */
export function collectedBy(config: EventConfig, widget: Widget): Collected[] {
  switch (widget.type) {
    case 'field':
      return [{ binding: widget.binding, required: widget.required }]
    case 'name':
      return participant(widget.parts, (part) => part === 'firstName' || part === 'lastName')
    case 'address':
      return participant(ADDRESS_PARTS, (part) => (widget.requiredParts as readonly string[]).includes(part))
    case 'headshot':
      return participant(['headshot'], () => widget.required)
    case 'membershipLookup':
      return [{ binding: lookupBinding(widget.id), required: widget.required }]
    case 'inviteCode':
      return [{ binding: '@invite.code', required: widget.required }]
    case 'products':
      return productsOf(config, widget).map(({ code }) => ({ binding: productBinding(code), required: false }))
    case 'donation':
      return [{ binding: productBinding(widget.product), required: false }]
    case 'sessions':
      return [{ binding: '@session.', required: false }]
    case 'guests':
      return [{ binding: '@guest.', required: false }]
    case 'housing':
      return HOUSING_PROPERTIES.map((part) => ({ binding: `@housing.${part}`, required: widget.required && HOUSING_NEEDED.has(part) }))
    case 'group':
      return groupAnswers(widget)
    case 'companyProfile':
    case 'submission':
      return custom(widget.fields)
    case 'policy':
      return [{ binding: `@policy.${widget.policy}`, required: indexOf(config).policies.get(widget.policy)?.required ?? false }]
    case 'discountCode':
      return [{ binding: '@discount.code', required: false }]
    default:
      return []
  }
}

const HOUSING_NEEDED: ReadonlySet<string> = new Set(['hotelId', 'roomTypeCode', 'checkIn', 'checkOut'])

/** A group that is made needs a name, one that is joined its code; where both are possible the walk wants one of them. */
function groupAnswers({ mode, codeRequired }: WidgetOf<'group'>): Collected[] {
  const code = { binding: '@group.code', required: mode === 'join' && codeRequired }
  const name = { binding: '@group.name', required: mode === 'create' }
  return mode === 'join' ? [code] : mode === 'create' ? [name] : [code, name]
}

export interface ConfigIndex {
  products: ReadonlyMap<string, Product>
  categories: ReadonlyMap<string, readonly Product[]>
  fields: ReadonlyMap<string, EventConfig['customFields'][number]>
  policies: ReadonlyMap<string, EventConfig['policies'][number]>
}

const indexes = new WeakMap<EventConfig, ConfigIndex>()

/** Items of a configuration by code; a configuration that is in use is never edited. */
export function indexOf(config: EventConfig): ConfigIndex {
  let index = indexes.get(config)
  if (!index) {
    const ordered = config.products.toSorted((a, b) => a.order - b.order)
    index = {
      products: new Map(config.products.map((product) => [product.code, product])),
      categories: Map.groupBy(ordered, ({ category }) => category),
      fields: new Map(config.customFields.map((field) => [field.code, field])),
      policies: new Map(config.policies.filter(({ retired }) => !retired).map((policy) => [policy.code, policy])),
    }
    indexes.set(config, index)
  }
  return index
}

/** The products a widget can offer at all, in the order they are shown: as named, or the category by `order`. Retired ones are not offered. */
export function productsOf(config: EventConfig, widget: WidgetOf<'products'>): Product[] {
  const { products, categories } = indexOf(config)
  const all =
    widget.category === null ? widget.products.flatMap((code) => products.get(code) ?? []) : (categories.get(widget.category) ?? [])
  return all.filter(({ retired }) => !retired)
}

/** The same for any widget that sells. */
export function soldBy(config: EventConfig, widget: Widget): Product[] {
  if (widget.type === 'products') return productsOf(config, widget)
  if (widget.type !== 'donation') return []
  const product = indexOf(config).products.get(widget.product)
  return product && !product.retired ? [product] : []
}

/** What is known of a directory connection, which lives outside the document. */
export interface ConnectionFacts {
  /** Tags that its rules can give to a person who was found. */
  tags?: readonly string[]
  onFailure?: 'allow' | 'block' | 'queue'
}
export type Connections = Readonly<Record<string, ConnectionFacts>>

/** What a lookup gives to the person it was made for. */
export function lookupTags(memberTags: readonly string[], facts: ConnectionFacts | undefined, outcome: unknown): readonly string[] {
  if (outcome === 'found') return [...memberTags, ...(facts?.tags ?? [])]
  return outcome === 'error' && (facts?.onFailure ?? 'allow') === 'allow' ? [UNVERIFIED_TAG] : []
}

/** Whether a lookup that ended like this keeps the person on the page. */
export function lookupBlocks(widget: WidgetOf<'membershipLookup'>, facts: ConnectionFacts | undefined, outcome: unknown): boolean {
  if (outcome === 'error') return facts?.onFailure === 'block'
  return widget.onNotFound === 'block' && (outcome === 'notFound' || outcome === 'many')
}

export interface TagSource {
  tag: string
  /** `lookup` counts from the next widget, `product` from the next page; the others from the start. */
  from: 'flow' | 'lookup' | 'directory' | 'product'
  page?: string
  widget?: string
  product?: string
}

/** Every way in which a flow itself gives tags. Organizers, groups and invite lists may give any tag besides, before it starts. */
export function tagSourcesOf(config: EventConfig, flow: Flow, connections: Connections = {}): TagSource[] {
  const directory = flow.directory === null ? [] : lookupTags([], connections[flow.directory], 'found')
  return [
    ...flow.addsTags.map((tag) => ({ tag, from: 'flow' as const })),
    ...directory.map((tag) => ({ tag, from: 'directory' as const })),
    ...flow.pages.flatMap((page) => page.widgets.flatMap((widget) => widgetTags(config, page, widget, connections))),
  ]
}

function widgetTags(config: EventConfig, page: FlowPage, widget: Widget, connections: Connections): TagSource[] {
  const at = { page: page.code, widget: widget.id }
  if (widget.type === 'membershipLookup') {
    const facts = connections[widget.connection]
    const tags = new Set((['found', 'error'] as const).flatMap((outcome) => lookupTags(widget.memberTags, facts, outcome)))
    return [...tags].map((tag) => ({ tag, from: 'lookup' as const, ...at }))
  }
  return soldBy(config, widget).flatMap(({ code, addsTags }) =>
    addsTags.map((tag) => ({ tag, from: 'product' as const, ...at, product: code })),
  )
}

/** By these people register themselves; groups and guests come by those who bring them. */
export const OWN_KINDS: ReadonlySet<Flow['kind']> = new Set(['attendee', 'exhibitor', 'speaker', 'staff'])

/** Whether people can register by the flow at this moment, unless it is retired. */
export const isFlowOpen = ({ opensAt, closesAt }: Flow, now: Date) =>
  (opensAt === null || Date.parse(opensAt) <= now.getTime()) && (closesAt === null || Date.parse(closesAt) > now.getTime())

/** Whether the flow is for people who hold these tags before they start; what it gives itself cannot open it. */
export const isFlowFor = (flow: Flow, tags: Iterable<string>) => visibleFor(flow.visibleForTags, tags)
