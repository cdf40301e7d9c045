import type { TagRule } from '../../../kernel/conditions.ts'
import { leavesOf } from '../flow/classes.ts'
import { UNVERIFIED_TAG } from '../flow/collects.ts'
import { type Finding, type Look, perScene, warning } from './scene.ts'

/** Tags that the configuration can give to somebody. What organizers give by hand it does not know. */
const givenTags = perScene(({ config, gives, around }) => {
  const widgets = config.flows.flatMap((flow) => flow.pages.flatMap((page) => page.widgets))
  return new Set([
    ...config.flows.flatMap(({ addsTags }) => addsTags),
    ...config.products.filter(({ retired }) => !retired).flatMap(({ addsTags }) => addsTags),
    ...widgets.flatMap((widget) => (widget.type === 'membershipLookup' ? widget.memberTags : [])),
    ...[...gives.values()].flatMap(({ tags }) => tags),
    ...([...around.connections.values()].some(({ onFailure }) => onFailure === 'allow') ? [UNVERIFIED_TAG] : []),
  ])
})

/** F32: tags that something waits for in vain. */
export function reviewTags(look: Look): Finding[] {
  const given = givenTags(look.scene)
  const first = new Map<string, string>()
  const names = new Map(look.config.tags.map(({ code, name }) => [code, name]))
  // A tag that does not exist is a wrong reference, and told as one.
  for (const { tag, path } of neededTags(look)) if (names.has(tag) && !given.has(tag) && !first.has(tag)) first.set(tag, path)
  return [...first].map(([tag, path]) =>
    warning(
      'F32',
      path,
      `The tag "${names.get(tag)}" is needed here, but no flow, product or directory gives it: only an organizer could, by hand.`,
    ),
  )
}

function neededTags({ flow, path, pages, places }: Look): { tag: string; path: string }[] {
  const ruled = (rule: TagRule | null, at: string) =>
    rule && rule.type !== 'none' ? rule.required.map((tag) => ({ tag, path: `${at}/visibleForTags` })) : []
  const elements = [...pages.map((one) => ({ own: one.page, at: one.path })), ...places.map((one) => ({ own: one.widget, at: one.path }))]
  const products = [...new Set(places.flatMap(({ sold }) => sold))]
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

const conditionTags = (condition: Parameters<typeof leavesOf>[0]): string[] =>
  leavesOf(condition)
    .filter(({ binding, op }) => binding === '@participant.tags' && op !== 'notEquals')
    .flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((tag) => typeof tag === 'string')
    .map((tag) => tag.toLowerCase())
