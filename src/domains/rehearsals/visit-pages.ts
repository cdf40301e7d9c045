import { isAnswerUnset, type FlowEvaluation, evaluateFlow } from '../configuration/flow/walk.ts'
import { type DirectoryFactsByConnection, buildDirectoryOutcomeAnswerKey, getLookupTags } from '../configuration/flow/collected-answers.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { normalizeAnswers } from '../registration/answers.ts'
import { listMissingFields } from '../registration/missing-fields.ts'
import type { EventSnapshot } from '../registration/event-snapshot.ts'

export interface SimulatedFlowParticipant {
  flow: Flow
  tags: readonly string[]
  answers: Readonly<Record<string, unknown>>
}

export interface SimulatedFlowProblem {
  page: string
  binding: string
  message: string
}

export interface SimulatedFlowPage {
  code: string
  widgets: readonly string[]
}

export interface SimulatedFlowResult {
  /** The pages that were shown to the test participant, in order. */
  pages: readonly SimulatedFlowPage[]
  /** The answers of the test participant, in the format in which a registration stores them. */
  answers: Readonly<Record<string, unknown>>
  /** All answers of the test participant after each visited page, in the sequence of the pages. */
  after: readonly Readonly<Record<string, unknown>>[]
  walk: FlowEvaluation
  /** The problem at which the test participant could not continue; null if the flow was completed. */
  problem: SimulatedFlowProblem | null
}

/** Whether the answer results from a lookup in a member directory, which a user does not type. */
export const isDirectoryLookupAnswer = (binding: string) => binding.startsWith('@lookup.') || binding.startsWith('@directory.')

/** Walks through a flow page by page: answers the questions of each page, validates them, and continues to the next page. */
export function simulateFlowPages(
  snapshot: EventSnapshot,
  connections: DirectoryFactsByConnection,
  { flow, tags, answers }: SimulatedFlowParticipant,
): SimulatedFlowResult {
  const { config, timezone, at } = snapshot
  const walk = (entered: Record<string, unknown>) => evaluateFlow(config, flow, { answers: entered, tags, timezone, now: at, connections })
  const entered = Object.fromEntries(Object.entries(answers).filter(([binding]) => binding.startsWith('@directory.')))
  const pages: SimulatedFlowPage[] = []
  const after: Record<string, unknown>[] = []
  let now = walk(entered)
  const end = (problem: SimulatedFlowProblem | null): SimulatedFlowResult => ({ pages, answers: entered, after, walk: now, problem })
  for (let code = now.next(null); code !== null; code = now.next(code)) {
    const shown = () => now.pages.find((page) => page.code === code)!.widgets.filter(({ visible }) => visible)
    // An answer may reveal another question on the same page, so the questions on it are answered until no new one appears.
    for (let seen = '', ids = idsOf(shown()); ids !== seen; seen = ids, ids = idsOf(shown())) {
      const own = pickPageAnswers(
        answers,
        shown().flatMap(({ bindings }) => bindings),
      )
      const typed = Object.fromEntries(Object.entries(own).filter(([binding]) => !isDirectoryLookupAnswer(binding)))
      const read = normalizeAnswers({ config, flow }, typed)
      const [error] = read.errors
      if (error) return end({ page: code, binding: error.path, message: error.message })
      Object.assign(entered, own, read.answers)
      now = walk(entered)
    }
    pages.push({ code, widgets: shown().map(({ id }) => id) })
    after.push({ ...entered })
    const missing = now.missing.find(({ page, why }) => page === code && why !== 'neededByProduct')
    if (missing) return end(toProblem(snapshot, now, missing))
  }
  const [missing] = now.missing
  return end(missing ? toProblem(snapshot, now, missing) : null)
}

const idsOf = (widgets: readonly { id: string }[]) => `${widgets.map(({ id }) => id).join(' ')} shown`

const toProblem = ({ config }: EventSnapshot, walk: FlowEvaluation, missing: FlowEvaluation['missing'][number]): SimulatedFlowProblem => ({
  page: missing.page,
  binding: missing.binding,
  message: listMissingFields(config, walk, { skipRequired: false })[walk.missing.indexOf(missing)]!.message,
})

const pickPageAnswers = (answers: Readonly<Record<string, unknown>>, bindings: readonly string[]) =>
  Object.fromEntries(
    Object.entries(answers).filter(
      ([binding, value]) =>
        !isAnswerUnset(binding, value) && bindings.some((asked) => asked === binding || (asked.endsWith('.') && binding.startsWith(asked))),
    ),
  )

/** Lists the tags that the flow's member directories would return for this test participant. */
export function listSimulatedDirectoryTags(
  { flow }: SimulatedFlowParticipant,
  { walk, answers }: SimulatedFlowResult,
  connections: DirectoryFactsByConnection,
): string[] {
  const visible = new Set(walk.pages.flatMap(({ widgets }) => widgets.filter((widget) => widget.visible).map(({ id }) => id)))
  const widgets = flow.pages
    .flatMap((page) => page.widgets)
    .filter((widget) => widget.type === 'membershipLookup')
    .filter(({ id }) => visible.has(id))
    .flatMap((widget) => getLookupTags(widget.memberTags, connections[widget.connection], answers[`@lookup.${widget.id}`]))
  const own =
    flow.directory === null ? [] : getLookupTags([], connections[flow.directory], answers[buildDirectoryOutcomeAnswerKey(flow.directory)])
  return [...new Set([...own, ...widgets])]
}
