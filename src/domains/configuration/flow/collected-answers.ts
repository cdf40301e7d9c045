import { isTagRuleMet } from '../../../kernel/conditions.ts'
import { HOUSING_PROPERTY_NAMES } from '../data-fields.ts'
import type { EventConfig, Flow, FlowPage, Product } from '../schema/event-config.ts'
import { ADDRESS_PARTS, type Widget, type WidgetOfType } from '../schema/widgets.ts'

/**
 * An answer that a widget collects, with the binding (identifier) of its question. A binding that ends in a dot means all bindings with
 * that prefix (`@session.`, `@guest.`).
 */
export interface CollectedAnswer {
  binding: string
  required: boolean
}

export const LOOKUP_OUTCOMES = ['found', 'notFound', 'many', 'error'] as const
export type LookupOutcome = (typeof LOOKUP_OUTCOMES)[number]

/** Tag of participants whose membership could not be verified because the directory lookup failed. */
export const UNVERIFIED_MEMBERSHIP_TAG = 'directory-unverified'

/**
 * Returns the binding (key of an answer) under which the outcome of a lookup widget is stored. The outcome is stored like an answer, so
 * that visibility depends on answers alone.
 */
export const buildLookupOutcomeAnswerKey = (widgetId: string) => `@lookup.${widgetId}`
/** Returns the binding (key of an answer) under which the outcome of the flow's own directory lookup (by email address) is stored. */
export const buildDirectoryOutcomeAnswerKey = (connection: string) => `@directory.${connection}`
export const toProductAnswerKey = (code: string) => `@product.${code}`

const participant = (names: readonly string[], isRequired: (name: string) => boolean): CollectedAnswer[] =>
  names.map((name) => ({ binding: `@participant.${name}`, required: isRequired(name) }))
const custom = (codes: readonly string[]): CollectedAnswer[] => codes.map((code) => ({ binding: `@custom.${code}`, required: false }))

/**
 * Lists the answers that a widget collects, and which of them it requires while it is visible. The minimum number of products, guests or
 * sessions depends on other answers, so evaluateFlow checks it. Answers that are not data fields (sharing, payment) are not included.
 */
export function listCollectedAnswers(config: EventConfig, widget: Widget): CollectedAnswer[] {
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
      return [{ binding: buildLookupOutcomeAnswerKey(widget.id), required: widget.required }]
    case 'inviteCode':
      return [{ binding: '@invite.code', required: widget.required }]
    case 'products':
      return listWidgetProducts(config, widget).map(({ code }) => ({ binding: toProductAnswerKey(code), required: false }))
    case 'donation':
      return [{ binding: toProductAnswerKey(widget.product), required: false }]
    case 'sessions':
      return [{ binding: '@session.', required: false }]
    case 'guests':
      return [{ binding: '@guest.', required: false }]
    case 'housing':
      return HOUSING_PROPERTY_NAMES.map((part) => ({ binding: `@housing.${part}`, required: widget.required && HOUSING_NEEDED.has(part) }))
    case 'group':
      return groupAnswers(widget)
    case 'companyProfile':
    case 'submission':
      return custom(widget.fields)
    case 'policy':
      return [{ binding: `@policy.${widget.policy}`, required: indexConfigByCode(config).policies.get(widget.policy)?.required ?? false }]
    case 'discountCode':
      return [{ binding: '@discount.code', required: false }]
    default:
      return []
  }
}

const HOUSING_NEEDED: ReadonlySet<string> = new Set(['hotelId', 'roomTypeCode', 'checkIn', 'checkOut'])

/**
 * Lists the answers of a group widget. Creating a group requires a name, and joining a group requires its code. If the widget allows both,
 * evaluateFlow requires one of the two.
 */
function groupAnswers({ mode, codeRequired }: WidgetOfType<'group'>): CollectedAnswer[] {
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

/** Indexes the products, fields and other items of a configuration by code. Configuration objects are immutable, so the index is cached. */
export function indexConfigByCode(config: EventConfig): ConfigIndex {
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

/** The products that a widget can offer, in display order: as listed, or the category sorted by `order`. Retired products are left out. */
export function listWidgetProducts(config: EventConfig, widget: WidgetOfType<'products'>): Product[] {
  const { products, categories } = indexConfigByCode(config)
  const all =
    widget.category === null ? widget.products.flatMap((code) => products.get(code) ?? []) : (categories.get(widget.category) ?? [])
  return all.filter(({ retired }) => !retired)
}

/** Lists the products that any kind of widget can offer. */
export function listSoldProducts(config: EventConfig, widget: Widget): Product[] {
  if (widget.type === 'products') return listWidgetProducts(config, widget)
  if (widget.type !== 'donation') return []
  const product = indexConfigByCode(config).products.get(widget.product)
  return product && !product.retired ? [product] : []
}

/** Facts about the connection to a member directory. They are stored outside of the configuration document. */
export interface DirectoryConnectionFacts {
  /** Tags that the connection's rules can give to a participant found in the directory. */
  tags?: readonly string[]
  onFailure?: 'allow' | 'block' | 'queue'
}
export type DirectoryFactsByConnection = Readonly<Record<string, DirectoryConnectionFacts>>

/** Returns the tags that a directory lookup gives to the participant, depending on its outcome. */
export function getLookupTags(
  memberTags: readonly string[],
  facts: DirectoryConnectionFacts | undefined,
  outcome: unknown,
): readonly string[] {
  if (outcome === 'found') return [...memberTags, ...(facts?.tags ?? [])]
  return outcome === 'error' && (facts?.onFailure ?? 'allow') === 'allow' ? [UNVERIFIED_MEMBERSHIP_TAG] : []
}

/** Whether the outcome of the directory lookup prevents the participant from leaving the page. */
export function isBlockedByDirectoryLookup(
  widget: WidgetOfType<'membershipLookup'>,
  facts: DirectoryConnectionFacts | undefined,
  outcome: unknown,
): boolean {
  if (outcome === 'error') return facts?.onFailure === 'block'
  return widget.onNotFound === 'block' && (outcome === 'notFound' || outcome === 'many')
}

export interface TagSource {
  tag: string
  /**
   * The moment when the tag takes effect: `lookup` tags from the next widget, `product` tags from the next page, other tags from the start
   * of the flow.
   */
  from: 'flow' | 'lookup' | 'directory' | 'product'
  page?: string
  widget?: string
  product?: string
}

/** Lists every way in which the flow itself gives tags. Organizers, groups and invite lists may give any tag before the flow starts. */
export function listParticipantTagSources(config: EventConfig, flow: Flow, connections: DirectoryFactsByConnection = {}): TagSource[] {
  const directory = flow.directory === null ? [] : getLookupTags([], connections[flow.directory], 'found')
  return [
    ...flow.addsTags.map((tag) => ({ tag, from: 'flow' as const })),
    ...directory.map((tag) => ({ tag, from: 'directory' as const })),
    ...flow.pages.flatMap((page) => page.widgets.flatMap((widget) => widgetTags(config, page, widget, connections))),
  ]
}

function widgetTags(config: EventConfig, page: FlowPage, widget: Widget, connections: DirectoryFactsByConnection): TagSource[] {
  const at = { page: page.code, widget: widget.id }
  if (widget.type === 'membershipLookup') {
    const facts = connections[widget.connection]
    const tags = new Set((['found', 'error'] as const).flatMap((outcome) => getLookupTags(widget.memberTags, facts, outcome)))
    return [...tags].map((tag) => ({ tag, from: 'lookup' as const, ...at }))
  }
  return listSoldProducts(config, widget).flatMap(({ code, addsTags }) =>
    addsTags.map((tag) => ({ tag, from: 'product' as const, ...at, product: code })),
  )
}

/** Kinds of flow in which participants register themselves. Groups and guests are registered by other people. */
export const SELF_REGISTRATION_FLOW_KINDS: ReadonlySet<Flow['kind']> = new Set(['attendee', 'exhibitor', 'speaker', 'staff'])

/** Whether the flow is within its opening times. Does not check whether it is retired. */
export const isFlowOpen = ({ opensAt, closesAt }: Flow, now: Date) =>
  (opensAt === null || Date.parse(opensAt) <= now.getTime()) && (closesAt === null || Date.parse(closesAt) > now.getTime())

/** Whether participants with these tags may enter the flow. The tags that the flow itself gives do not count. */
export const canEnterFlowWithTags = (flow: Flow, tags: Iterable<string>) => isTagRuleMet(flow.visibleForTags, tags)
