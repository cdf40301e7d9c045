import { normalizeTextForComparison } from '../../../kernel/conditions.ts'
import { buildConfigSetOperation } from './suggestions.ts'
import {
  capitalize,
  type FlowFinding,
  type FlowReviewContext,
  describePage,
  type WidgetInFlow,
  describeWidgetAndPage,
  createWarningFinding,
} from './context.ts'

/** Review checks F14 and F15: alternative texts for images and videos, and a distinct title for every page. */
export const reviewFlowContent = (flowContext: FlowReviewContext): FlowFinding[] => [
  ...flowContext.widgetElements.flatMap((element) => checkAlternativeText(flowContext, element)),
  ...checkTitles(flowContext),
]

const isMeaningful = (text: string | null): text is string =>
  text !== null && /[\p{L}\p{N}]/u.test(text) && !/^\S+\.(png|jpe?g|gif|webp|svg|avif|mp4)$/i.test(text.trim())

function checkAlternativeText(flowContext: FlowReviewContext, element: WidgetInFlow): FlowFinding[] {
  const { widget, path } = element
  if (widget.type === 'video' && !isMeaningful(widget.title))
    return [
      createWarningFinding(
        'F14',
        path,
        `${capitalize(describeWidgetAndPage(flowContext, element))} has no title for participants who cannot see it.`,
      ),
    ]
  if (widget.type !== 'image' || isMeaningful(widget.alt)) return []
  // An image that is a link is not decorative: its text must describe the target.
  if (widget.decorative && widget.link === null) return []
  const operations = isMeaningful(widget.caption) ? [buildConfigSetOperation(`${path}/alt`, widget.caption)] : null
  return [
    createWarningFinding(
      'F14',
      path,
      `${capitalize(describeWidgetAndPage(flowContext, element))} has no alternative text for participants who cannot see it${widget.link === null ? '' : ', although it is a link'}.`,
      operations,
    ),
  ]
}

function checkTitles(flowContext: FlowReviewContext): FlowFinding[] {
  const taken = new Set(flowContext.pages.flatMap(({ page }) => (page.title === null ? [] : [normalizeTextForComparison(page.title)])))
  const seen = new Map<string, string>()
  const fresh = (stem: string): string => {
    let title = stem
    for (let n = 2; taken.has(normalizeTextForComparison(title)); n++) title = `${stem.slice(0, 150)} (${n})`
    taken.add(normalizeTextForComparison(title))
    return title
  }
  return flowContext.pages.flatMap(({ page, path }) => {
    if (page.title === null || !isMeaningful(page.title)) {
      return [
        createWarningFinding('F15', path, `${capitalize(describePage(page))} has no title.`, [
          buildConfigSetOperation(`${path}/title`, fresh(titleOf(page.code))),
        ]),
      ]
    }
    const key = normalizeTextForComparison(page.title)
    const first = seen.get(key)
    seen.set(key, first ?? page.code)
    if (first === undefined) return []
    return [
      createWarningFinding('F15', path, `The pages ${first} and ${page.code} have the same title, "${page.title}".`, [
        buildConfigSetOperation(`${path}/title`, fresh(page.title)),
      ]),
    ]
  })
}

const titleOf = (code: string) => capitalize(code.replaceAll('-', ' ').trim())
