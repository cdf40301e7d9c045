import type { TagRule } from '../../../kernel/conditions.ts'
import { listSingleConditions } from '../flow/answer-classes.ts'
import { UNVERIFIED_MEMBERSHIP_TAG } from '../flow/collected-answers.ts'
import { type FlowFinding, type FlowReviewContext, cachePerReview, createWarningFinding } from './context.ts'

/** Tags that the configuration can give to participants, without tags that organizers give by hand. */
const givenTags = cachePerReview(({ config, directoryOutputs, externalRecords }) => {
  const widgets = config.flows.flatMap((flow) => flow.pages.flatMap((page) => page.widgets))
  return new Set([
    ...config.flows.flatMap(({ addsTags }) => addsTags),
    ...config.products.filter(({ retired }) => !retired).flatMap(({ addsTags }) => addsTags),
    ...widgets.flatMap((widget) => (widget.type === 'membershipLookup' ? widget.memberTags : [])),
    ...[...directoryOutputs.values()].flatMap(({ tags }) => tags),
    ...([...externalRecords.connections.values()].some(({ onFailure }) => onFailure === 'allow') ? [UNVERIFIED_MEMBERSHIP_TAG] : []),
  ])
})

/** Review check F32: tags that a rule or price requires, but that no flow, product or directory adds to participants. */
export function reviewTags(flowContext: FlowReviewContext): FlowFinding[] {
  const given = givenTags(flowContext.context)
  const first = new Map<string, string>()
  const names = new Map(flowContext.config.tags.map(({ code, name }) => [code, name]))
  // An unknown tag is already reported as a wrong reference.
  for (const { tag, path } of neededTags(flowContext)) if (names.has(tag) && !given.has(tag) && !first.has(tag)) first.set(tag, path)
  return [...first].map(([tag, path]) =>
    createWarningFinding(
      'F32',
      path,
      `The tag "${names.get(tag)}" is required here, but no flow, product or directory gives it: only an organizer can give it by hand.`,
    ),
  )
}

function neededTags({ flow, path, pages, widgetElements }: FlowReviewContext): { tag: string; path: string }[] {
  const ruled = (rule: TagRule | null, at: string) =>
    rule && rule.type !== 'none' ? rule.required.map((tag) => ({ tag, path: `${at}/visibleForTags` })) : []
  const elements = [
    ...pages.map((one) => ({ own: one.page, at: one.path })),
    ...widgetElements.map((one) => ({ own: one.widget, at: one.path })),
  ]
  const products = [...new Set(widgetElements.flatMap(({ sold }) => sold))]
  return [
    ...ruled(flow.visibleForTags, path),
    ...elements.flatMap(({ own, at }) => [
      ...ruled(own.visibleForTags, at),
      ...conditionTags(own.showWhen).map((tag) => ({ tag, path: `${at}/showWhen` })),
    ]),
    ...products.flatMap(({ code, visibleForTags, prices }) => [
      ...ruled(visibleForTags, `/products/${code}`),
      ...prices.flatMap(({ tags }, row) => tags.map((tag) => ({ tag, path: `/products/${code}/prices/${row}/tags` }))),
    ]),
  ]
}

const conditionTags = (condition: Parameters<typeof listSingleConditions>[0]): string[] =>
  listSingleConditions(condition)
    .filter(({ binding, op }) => binding === '@participant.tags' && op !== 'notEquals')
    .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((tag) => typeof tag === 'string')
    .map((tag) => tag.toLowerCase())
