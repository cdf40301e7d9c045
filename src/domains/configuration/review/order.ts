import type { Condition } from '../../../kernel/conditions.ts'
import { bindingsOf } from '../../../kernel/conditions.ts'
import { collectedBy, soldBy } from '../flow/collects.ts'
import type { EventConfig, Flow, FlowPage } from '../schema/event-config.ts'
import { TERMINAL_TYPES, type Widget } from '../schema/widgets.ts'
import { filledIn, isCollected, type Look, type PagePlace, type Place } from './scene.ts'

/** What stands before what in a flow, as it is and as it would be after a move. */

/** Known before anything is asked. */
const KNOWN_FROM_THE_START: ReadonlySet<string> = new Set(['@participant.tags', '@flow.slug'])

export interface Conditioned {
  at: PagePlace | Place
  condition: Condition
  /** Bindings that are only asked for after the condition is looked at, and those that are not asked for at all. */
  late: readonly string[]
  never: readonly string[]
}

/** Every page and widget with a condition, and what it looks at too early. */
export function conditionedIn(look: Look): Conditioned[] {
  const { pages, places, config, flow, scene } = look
  const early = earlyLooks(config, flow, filledIn(scene, flow))
  const all: (PagePlace | Place)[] = pages.flatMap((page) => [page, ...places.filter((place) => place.pageIndex === page.index)])
  return all.flatMap((at) => {
    const own = 'widget' in at ? at.widget : at.page
    if (own.showWhen === null) return []
    return [{ at, condition: own.showWhen, ...(early.get(own) ?? { late: [], never: [] }) }]
  })
}

type Ruled = FlowPage | Widget

/** Conditions that look at what is not known yet. Widgets are taken in order: an answer counts from the widget on. */
function earlyLooks(config: EventConfig, flow: Flow, filled: ReadonlySet<string>): Map<Ruled, { late: string[]; never: string[] }> {
  const everything = new Set([
    ...KNOWN_FROM_THE_START,
    ...filled,
    ...flow.pages.flatMap((page) => page.widgets.flatMap((widget) => bindingsIn(config, widget))),
  ])
  const known = new Set([...KNOWN_FROM_THE_START, ...filled])
  const found = new Map<Ruled, { late: string[]; never: string[] }>()
  const look = (own: Ruled): void => {
    const unknown = bindingsOf(own.showWhen).filter((binding) => !isCollected(binding, known))
    if (unknown.length === 0) return
    found.set(own, {
      late: unknown.filter((binding) => isCollected(binding, everything)),
      never: unknown.filter((binding) => !isCollected(binding, everything)),
    })
  }
  for (const page of flow.pages) {
    look(page)
    for (const widget of page.widgets) {
      look(widget)
      for (const binding of bindingsIn(config, widget)) known.add(binding)
    }
  }
  return found
}

const bindingsIn = (config: EventConfig, widget: Widget) => collectedBy(config, widget).map(({ binding }) => binding)

/** How much of a flow is in the wrong order. A move that mends one thing must not break another. */
export function troublesOf(config: EventConfig, flow: Flow, filled: ReadonlySet<string>): number {
  const widgets = flow.pages.flatMap((page) => page.widgets)
  const payment = widgets.findIndex(({ type }) => type === 'payment')
  const lastPayment = widgets.findLastIndex(({ type }) => type === 'payment')
  const late = [...earlyLooks(config, flow, filled).values()].reduce((sum, own) => sum + own.late.length, 0)
  const unpaid = payment < 0 ? 0 : widgets.filter((widget, index) => index > lastPayment && soldBy(config, widget).length > 0).length
  const unagreed = payment < 0 ? 0 : widgets.filter(({ type }, index) => type === 'policy' && index > payment).length
  const lastPage = flow.pages.length - 1
  const astray = flow.pages.filter(
    (page, index) => index < lastPage && page.widgets.some(({ type }) => TERMINAL_TYPES.includes(type)),
  ).length
  return late + unpaid + unagreed + astray
}

/** The flow after a move. */
export const moved = {
  page: (flow: Flow, page: FlowPage, after: FlowPage): Flow => {
    const rest = flow.pages.filter((other) => other !== page)
    return { ...flow, pages: rest.toSpliced(rest.indexOf(after) + 1, 0, page) }
  },
  widget: (flow: Flow, widget: Widget, target: { after: Widget } | { before: Widget }): Flow => ({
    ...flow,
    pages: flow.pages.map((page) => {
      const rest = page.widgets.filter((other) => other !== widget)
      const anchor = rest.indexOf('after' in target ? target.after : target.before)
      return { ...page, widgets: anchor < 0 ? rest : rest.toSpliced('after' in target ? anchor + 1 : anchor, 0, widget) }
    }),
  }),
}
