import { listParticipantDataFields } from '../data-fields.ts'
import {
  type CollectedAnswer,
  listCollectedAnswers,
  type DirectoryFactsByConnection,
  indexConfigByCode,
  listSoldProducts,
} from '../flow/collected-answers.ts'
import { toPagePointer, toWidgetPointer } from '../flow/goals.ts'
import type { ConfigOperation } from '../operations.ts'
import { toPointer } from '../pointers.ts'
import type { Configuration } from '../read.ts'
import type { EventConfig, Flow, FlowPage, Product } from '../schema/event-config.ts'
import type { Widget } from '../schema/widgets.ts'
import type { ExternalRecords } from '../validate/external-records.ts'

/** Codes of all flow review checks, F01 to F36. */
export const REVIEW_CHECK_CODES = Array.from({ length: 36 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`) as [
  string,
  ...string[],
]

export const FINDING_LEVELS = ['error', 'warning', 'info'] as const
export type FindingLevel = (typeof FINDING_LEVELS)[number]

/** A problem of a flow, with the edit that fixes it if there is one. */
export interface FlowFinding {
  code: string
  level: FindingLevel
  path: string
  message: string
  suggestion?: { operations: ConfigOperation[] }
}

/** The tags and answers that a connection to a member directory provides for a participant who is found there. */
export interface DirectoryProvidedData {
  tags: readonly string[]
  /** Bindings (data fields) that the directory record fills in. */
  fills: readonly string[]
}

/** The configuration and event data that a flow review reads. */
export interface ReviewContext extends Pick<Configuration, 'document' | 'config' | 'facts'> {
  externalRecords: ExternalRecords
  directoryOutputs: ReadonlyMap<string, DirectoryProvidedData>
  /** Codes of products that are sold out. */
  soldOut: ReadonlySet<string>
  /** Slugs of the flows with an invite list. */
  inviteLists: ReadonlySet<string>
}

/** A page and its position in the flow. */
export interface PageInFlow {
  page: FlowPage
  index: number
  path: string
}

/** A widget and its position in the flow. */
export interface WidgetInFlow {
  page: FlowPage
  pageIndex: number
  pagePath: string
  widget: Widget
  /** The index of the widget among all widgets of the flow. */
  order: number
  path: string
  collected: readonly CollectedAnswer[]
  /** The products that the widget can offer. */
  sold: readonly Product[]
}

/** A registration flow with precomputed data that several review checks use. */
export interface FlowReviewContext {
  context: ReviewContext
  config: EventConfig
  flow: Flow
  path: string
  pages: readonly PageInFlow[]
  widgetElements: readonly WidgetInFlow[]
  /** Widget ids of the flow, including new ids that suggestions of this review use. */
  ids: Set<string>
}

export function buildFlowReviewContext(context: ReviewContext, flow: Flow): FlowReviewContext {
  const { config } = context
  const pages = flow.pages.map((page, index) => ({ page, index, path: toPagePointer(flow, page.code) }))
  const widgetElements: WidgetInFlow[] = []
  for (const { page, index, path } of pages) {
    for (const widget of page.widgets) {
      const [collected, sold] = [listCollectedAnswers(config, widget), listSoldProducts(config, widget)]
      widgetElements.push({
        page,
        pageIndex: index,
        pagePath: path,
        widget,
        order: widgetElements.length,
        path: toWidgetPointer(flow, page.code, widget.id),
        collected,
        sold,
      })
    }
  }
  return {
    context,
    config,
    flow,
    path: toPointer(['flows', flow.slug]),
    pages,
    widgetElements,
    ids: new Set(widgetElements.map(({ widget }) => widget.id)),
  }
}

export function isAnswerCollected(binding: string, collected: ReadonlySet<string>): boolean {
  if (collected.has(binding)) return true
  for (let dot = binding.indexOf('.'); dot >= 0; dot = binding.indexOf('.', dot + 1))
    if (collected.has(binding.slice(0, dot + 1))) return true
  return false
}

/** Lists the directory connections that a flow uses: its own and those of its lookup widgets. */
export const listFlowDirectoryConnections = (flow: Flow): string[] => [
  ...new Set([
    ...(flow.directory === null ? [] : [flow.directory]),
    ...flow.pages.flatMap((page) => page.widgets.flatMap((widget) => (widget.type === 'membershipLookup' ? [widget.connection] : []))),
  ]),
]

/** Lists the answers, by binding (field name), that the member directories of a flow fill in without asking the participant. */
export const listFieldsFilledByDirectories = ({ directoryOutputs }: ReviewContext, flow: Flow): Set<string> =>
  new Set(listFlowDirectoryConnections(flow).flatMap((connection) => directoryOutputs.get(connection)?.fills ?? []))

/** Returns, by directory connection, what happens if its lookup fails and which tags it can give to participants. */
export const getDirectoryConnectionFacts = cachePerReview(({ externalRecords, directoryOutputs }): DirectoryFactsByConnection =>
  Object.fromEntries(
    [...externalRecords.connections].map(([code, { onFailure }]) => [code, { onFailure, tags: directoryOutputs.get(code)?.tags ?? [] }]),
  ),
)

/** Caches the result of a function for all flows of a review. */
export function cachePerReview<T>(work: (context: ReviewContext) => T): (context: ReviewContext) => T {
  const known = new WeakMap<ReviewContext, T>()
  return (context) => {
    if (!known.has(context)) known.set(context, work(context))
    return known.get(context)!
  }
}

/** Whether the widget requires an answer or a choice while it is visible. */
export function isWidgetInputRequired({ widget, collected }: WidgetInFlow): boolean {
  if (collected.some(({ required }) => required)) return true
  if (widget.type === 'products' || widget.type === 'guests') return widget.min > 0
  if (widget.type === 'sessions') return widget.required
  return widget.type === 'group' && widget.codeRequired
}

export const hasVisibilityRule = ({ showWhen, visibleForTags }: Pick<FlowPage, 'showWhen' | 'visibleForTags'>) =>
  showWhen !== null || visibleForTags !== null

const fieldNames = cachePerReview(({ config }) => new Map(listParticipantDataFields(config).map(({ binding, label }) => [binding, label])))

/** Describes what a binding stands for in words that organizers know, such as `the product "Workshop"` or `the hotel room`. */
export function formatAnswerName(context: ReviewContext, binding: string): string {
  const { config } = context
  const [entity, name = ''] = binding.slice(1).split('.')
  if (entity === 'product') return `the product "${indexConfigByCode(config).products.get(name)?.name ?? name}"`
  if (entity === 'policy') return `the policy "${indexConfigByCode(config).policies.get(name)?.title ?? name}"`
  if (entity === 'housing') return name === '' ? 'the hotel room' : `the hotel room (${name})`
  if (entity === 'session') return 'a session'
  if (entity === 'guest') return 'a guest'
  if (binding === '@invite.code') return 'the invitation code'
  if (binding === '@discount.code') return 'the discount code'
  if (entity === 'group') return 'the group'
  return `"${fieldNames(context).get(binding) ?? binding}"`
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
  answersReview: 'the summary of answers',
  confirmation: 'the confirmation',
  redirect: 'the redirect',
}

export const describePage = ({ title, code }: Pick<FlowPage, 'title' | 'code'>) => `page "${title ?? code}"`

/** Describes a widget, for example `"Diet"` or `the payment (w3)`. The id is left out if the name is unique. */
export function describeWidget(context: ReviewContext, widget: Widget): string {
  if (widget.type === 'field') return widget.label === null ? formatAnswerName(context, widget.binding) : `"${widget.label}"`
  if (widget.type === 'policy') return formatAnswerName(context, `@policy.${widget.policy}`)
  return `${TYPE_NAMES[widget.type] ?? `the ${widget.type}`} (${widget.id})`
}

export const describeWidgetAndPage = ({ context }: FlowReviewContext, { widget, page }: Pick<WidgetInFlow, 'widget' | 'page'>) =>
  `${describeWidget(context, widget)} on ${describePage(page)}`

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Joins items as in `a, b and c`. */
export const joinWithAnd = (items: readonly string[]) =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

/** Joins items as in `a, b and c`, and shortens long lists. */
export const joinFirstItems = (items: readonly string[], most = 5) =>
  items.length <= most ? joinWithAnd(items) : `${items.slice(0, most).join(', ')} and ${items.length - most} more`

const finding =
  (level: FindingLevel) =>
  (code: string, path: string, message: string, operations?: readonly ConfigOperation[] | null): FlowFinding => ({
    code,
    level,
    path,
    message,
    ...(operations && operations.length > 0 ? { suggestion: { operations: [...operations] } } : {}),
  })

export const createErrorFinding = finding('error')
export const createWarningFinding = finding('warning')
export const createInfoFinding = finding('info')
