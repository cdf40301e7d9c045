import { isUnset, type Walk, walkFlow } from '../configuration/flow/walk.ts'
import { type Connections, directoryBinding, lookupTags } from '../configuration/flow/collects.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { readAnswers } from '../registration/answers.ts'
import { missingFields } from '../registration/missing.ts'
import type { Scene } from '../registration/scene.ts'

export interface Visitor {
  flow: Flow
  tags: readonly string[]
  answers: Readonly<Record<string, unknown>>
}

export interface Fault {
  page: string
  binding: string
  message: string
}

export interface SeenPage {
  code: string
  widgets: readonly string[]
}

export interface Visit {
  /** Pages that were shown, in the order in which one followed the other. */
  pages: readonly SeenPage[]
  /** As they are kept. */
  answers: Readonly<Record<string, unknown>>
  /** How each page left what was answered so far. */
  after: readonly Readonly<Record<string, unknown>>[]
  walk: Walk
  /** Where it could not go on. */
  fault: Fault | null
}

/** Not typed by people: they say how a lookup ended. */
export const isOutcome = (binding: string) => binding.startsWith('@lookup.') || binding.startsWith('@directory.')

/** Goes through a flow page by page: on each answers what is asked there, has it read, and follows to the page that comes then. */
export function visitPages(scene: Scene, connections: Connections, { flow, tags, answers }: Visitor): Visit {
  const { config, timezone, at } = scene
  const walk = (entered: Record<string, unknown>) => walkFlow(config, flow, { answers: entered, tags, timezone, now: at, connections })
  const entered = Object.fromEntries(Object.entries(answers).filter(([binding]) => binding.startsWith('@directory.')))
  const pages: SeenPage[] = []
  const after: Record<string, unknown>[] = []
  let now = walk(entered)
  const end = (fault: Fault | null): Visit => ({ pages, answers: entered, after, walk: now, fault })
  for (let code = now.next(null); code !== null; code = now.next(code)) {
    const shown = () => now.pages.find((page) => page.code === code)!.widgets.filter(({ visible }) => visible)
    // An answer may show a further question on its own page: what is then asked there is answered too.
    for (let seen = '', ids = idsOf(shown()); ids !== seen; seen = ids, ids = idsOf(shown())) {
      const own = ofPage(
        answers,
        shown().flatMap(({ bindings }) => bindings),
      )
      const typed = Object.fromEntries(Object.entries(own).filter(([binding]) => !isOutcome(binding)))
      const read = readAnswers({ config, flow }, typed)
      const [error] = read.errors
      if (error) return end({ page: code, binding: error.path, message: error.message })
      Object.assign(entered, own, read.answers)
      now = walk(entered)
    }
    pages.push({ code, widgets: shown().map(({ id }) => id) })
    after.push({ ...entered })
    const missing = now.missing.find(({ page, why }) => page === code && why !== 'neededByProduct')
    if (missing) return end(faultOf(scene, now, missing))
  }
  const [missing] = now.missing
  return end(missing ? faultOf(scene, now, missing) : null)
}

const idsOf = (widgets: readonly { id: string }[]) => `${widgets.map(({ id }) => id).join(' ')} shown`

const faultOf = ({ config }: Scene, walk: Walk, missing: Walk['missing'][number]): Fault => ({
  page: missing.page,
  binding: missing.binding,
  message: missingFields(config, walk, { skipRequired: false })[walk.missing.indexOf(missing)]!.message,
})

const ofPage = (answers: Readonly<Record<string, unknown>>, bindings: readonly string[]) =>
  Object.fromEntries(
    Object.entries(answers).filter(
      ([binding, value]) =>
        !isUnset(binding, value) && bindings.some((asked) => asked === binding || (asked.endsWith('.') && binding.startsWith(asked))),
    ),
  )

/** What lookups gave to somebody: kept with them, as if a directory had answered. */
export function directoryTagsOf({ flow }: Visitor, { walk, answers }: Visit, connections: Connections): string[] {
  const visible = new Set(walk.pages.flatMap(({ widgets }) => widgets.filter((widget) => widget.visible).map(({ id }) => id)))
  const widgets = flow.pages
    .flatMap((page) => page.widgets)
    .filter((widget) => widget.type === 'membershipLookup')
    .filter(({ id }) => visible.has(id))
    .flatMap((widget) => lookupTags(widget.memberTags, connections[widget.connection], answers[`@lookup.${widget.id}`]))
  const own = flow.directory === null ? [] : lookupTags([], connections[flow.directory], answers[directoryBinding(flow.directory)])
  return [...new Set([...own, ...widgets])]
}
