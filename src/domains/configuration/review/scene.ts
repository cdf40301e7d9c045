import { dataFieldsOf } from '../data-fields.ts'
import { type Collected, collectedBy, type Connections, indexOf, soldBy } from '../flow/collects.ts'
import { pagePath, widgetPath } from '../flow/goals.ts'
import type { Operation } from '../operations.ts'
import { pointerOf } from '../pointers.ts'
import type { Configuration } from '../read.ts'
import type { EventConfig, Flow, FlowPage, Product } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import type { Surroundings } from '../validate/surroundings.ts'

/** F01 to F36. */
export const CHECKS = Array.from({ length: 36 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`) as [string, ...string[]]

export const FINDING_LEVELS = ['error', 'warning', 'info'] as const
export type FindingLevel = (typeof FINDING_LEVELS)[number]

/** One thing about a flow that an organizer should look at, and where there is one the edit that mends it. */
export interface Finding {
  code: string
  level: FindingLevel
  path: string
  message: string
  suggestion?: { operations: Operation[] }
}

/** What a directory connection can bring about a person who is found. */
export interface Gives {
  tags: readonly string[]
  /** Bindings it fills in. */
  fills: readonly string[]
}

/** Everything a review looks at. */
export interface Scene extends Pick<Configuration, 'document' | 'config' | 'facts'> {
  around: Surroundings
  gives: ReadonlyMap<string, Gives>
  /** Codes of products of which none is left. */
  soldOut: ReadonlySet<string>
  /** Whether the event has lists of people who are invited. */
  inviteLists: boolean
}

/** A page as it stands in the flow. */
export interface PagePlace {
  page: FlowPage
  index: number
  path: string
}

/** A widget as it stands in the flow. */
export interface Place {
  page: FlowPage
  pageIndex: number
  pagePath: string
  widget: Widget
  /** Among all widgets of the flow. */
  order: number
  path: string
  collected: readonly Collected[]
  /** What it can put on offer. */
  sold: readonly Product[]
}

/** One flow with everything looked up that several checks need. */
export interface Look {
  scene: Scene
  config: EventConfig
  flow: Flow
  path: string
  pages: readonly PagePlace[]
  places: readonly Place[]
  /** Ids of widgets, with those that suggestions of this review have used up. */
  ids: Set<string>
}

export function lookAt(scene: Scene, flow: Flow): Look {
  const { config } = scene
  const pages = flow.pages.map((page, index) => ({ page, index, path: pagePath(flow, page.code) }))
  const places: Place[] = []
  for (const { page, index, path } of pages) {
    for (const widget of page.widgets) {
      const [collected, sold] = [collectedBy(config, widget), soldBy(config, widget)]
      places.push({
        page,
        pageIndex: index,
        pagePath: path,
        widget,
        order: places.length,
        path: widgetPath(flow, page.code, widget.id),
        collected,
        sold,
      })
    }
  }
  return { scene, config, flow, path: pointerOf(['flows', flow.slug]), pages, places, ids: new Set(places.map(({ widget }) => widget.id)) }
}

export function isCollected(binding: string, collected: ReadonlySet<string>): boolean {
  if (collected.has(binding)) return true
  for (let dot = binding.indexOf('.'); dot >= 0; dot = binding.indexOf('.', dot + 1))
    if (collected.has(binding.slice(0, dot + 1))) return true
  return false
}

/** Connections that the flow asks: its own and those of its lookup widgets. */
export const connectionsOf = (flow: Flow): string[] => [
  ...new Set([
    ...(flow.directory === null ? [] : [flow.directory]),
    ...flow.pages.flatMap((page) => page.widgets.flatMap((widget) => (widget.type === 'membershipLookup' ? [widget.connection] : []))),
  ]),
]

/** What the directories of a flow fill in without asking. */
export const filledIn = ({ gives }: Scene, flow: Flow): Set<string> =>
  new Set(connectionsOf(flow).flatMap((connection) => gives.get(connection)?.fills ?? []))

/** The connections as the walk and the solver want them. */
export const connectionFacts = perScene(({ around, gives }): Connections =>
  Object.fromEntries([...around.connections].map(([code, { onFailure }]) => [code, { onFailure, tags: gives.get(code)?.tags ?? [] }])),
)

/** Works something out once for all flows of a review. */
export function perScene<T>(work: (scene: Scene) => T): (scene: Scene) => T {
  const known = new WeakMap<Scene, T>()
  return (scene) => {
    if (!known.has(scene)) known.set(scene, work(scene))
    return known.get(scene)!
  }
}

/** Whether something has to be answered or chosen while the widget is shown. */
export function asksSomethingRequired({ widget, collected }: Place): boolean {
  if (collected.some(({ required }) => required)) return true
  if (widget.type === 'products' || widget.type === 'guests') return widget.min > 0
  if (widget.type === 'sessions') return widget.required
  return widget.type === 'group' && widget.codeRequired
}

export const hasRule = ({ showWhen, visibleForTags }: Pick<FlowPage, 'showWhen' | 'visibleForTags'>) =>
  showWhen !== null || visibleForTags !== null

const fieldNames = perScene(({ config }) => new Map(dataFieldsOf(config).map(({ binding, label }) => [binding, label])))

/** What organizers call the answer behind a binding. */
export function answerName(scene: Scene, binding: string): string {
  const { config } = scene
  const [entity, name = ''] = binding.slice(1).split('.')
  if (entity === 'product') return `the product "${indexOf(config).products.get(name)?.name ?? name}"`
  if (entity === 'policy') return `the policy "${indexOf(config).policies.get(name)?.title ?? name}"`
  if (entity === 'housing') return name === '' ? 'the hotel room' : `the hotel room (${name})`
  if (entity === 'session') return 'a session'
  if (entity === 'guest') return 'a guest'
  if (binding === '@invite.code') return 'the invitation code'
  if (binding === '@discount.code') return 'the discount code'
  if (entity === 'group') return 'the group'
  return `"${fieldNames(scene).get(binding) ?? binding}"`
}

const TYPE_NAMES: Partial<Record<Widget['type'], string>> = {
  name: 'the name',
  address: 'the address',
  headshot: 'the photo',
  membershipLookup: 'the member lookup',
  inviteCode: 'the invitation code',
  products: 'the product list',
  donation: 'the donation',
  sessions: 'the session list',
  guests: 'the guests',
  housing: 'the hotel rooms',
  group: 'the group',
  companyProfile: 'the company profile',
  boothRequest: 'the booth request',
  submission: 'the submission',
  sharing: 'the sharing choice',
  discountCode: 'the discount code',
  orderSummary: 'the order summary',
  payment: 'the payment',
  answersReview: 'the answers at a glance',
  confirmation: 'the confirmation',
  redirect: 'the redirect',
}

export const pageName = ({ title, code }: Pick<FlowPage, 'title' | 'code'>) => `page "${title ?? code}"`

/** `"Diet" (w3)`; without the id where the name says it all. */
export function widgetName(scene: Scene, widget: Widget): string {
  if (widget.type === 'field') return widget.label === null ? answerName(scene, widget.binding) : `"${widget.label}"`
  if (widget.type === 'policy') return answerName(scene, `@policy.${widget.policy}`)
  return `${TYPE_NAMES[widget.type] ?? `the ${widget.type}`} (${widget.id})`
}

export const placeName = ({ scene }: Look, { widget, page }: Pick<Place, 'widget' | 'page'>) =>
  `${widgetName(scene, widget)} on ${pageName(page)}`

/** Begins a sentence. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `a, b and c`. */
export const listed = (items: readonly string[]) =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

/** Like `listed`, cut where it gets long. */
export const someOf = (items: readonly string[], most = 5) =>
  items.length <= most ? listed(items) : `${items.slice(0, most).join(', ')} and ${items.length - most} more`

const finding =
  (level: FindingLevel) =>
  (code: string, path: string, message: string, operations?: readonly Operation[] | null): Finding => ({
    code,
    level,
    path,
    message,
    ...(operations && operations.length > 0 ? { suggestion: { operations: [...operations] } } : {}),
  })

export const error = finding('error')
export const warning = finding('warning')
export const info = finding('info')
