import { endOfDay, formatInstant } from '../../../kernel/time.ts'
import type { ConfigOperation } from '../operations.ts'
import { findPositionBeforeQuestions, insertWidget, buildWidgetRemoval, buildConfigSetOperation } from './suggestions.ts'
import {
  capitalize,
  type FlowFinding,
  type FlowReviewContext,
  type WidgetInFlow,
  describeWidgetAndPage,
  createWarningFinding,
} from './context.ts'

/** Review checks F31, F33, F34 and F36: whether the flow fits the settings of the event. */
export const reviewEventSettings = (flowContext: FlowReviewContext): FlowFinding[] => [
  ...checkClosing(flowContext),
  ...checkDisabledParts(flowContext),
  ...checkCapacities(flowContext),
  ...checkInvitations(flowContext),
]

function checkClosing({ flow, config, context: { facts }, path }: FlowReviewContext): FlowFinding[] {
  if (flow.closesAt === null) return []
  const closes = Date.parse(flow.closesAt)
  const end = endOfDay(facts.timezone, config.details.endsOn)
  const past = closes <= facts.now.getTime()
  if (!past && closes <= end.getTime()) return []
  const message = past
    ? `The flow "${flow.name}" closed at ${flow.closesAt}.`
    : `The flow "${flow.name}" closes at ${flow.closesAt}, after the event has ended on ${config.details.endsOn}.`
  const opens = flow.opensAt === null ? -Infinity : Date.parse(flow.opensAt)
  const fixable = end.getTime() > facts.now.getTime() && end.getTime() > opens
  return [
    createWarningFinding(
      'F31',
      `${path}/closesAt`,
      message,
      fixable ? [buildConfigSetOperation(`${path}/closesAt`, formatInstant(end))] : null,
    ),
  ]
}

function checkDisabledParts(flowContext: FlowReviewContext): FlowFinding[] {
  const { widgetElements, config, flow } = flowContext
  const { tracks, formats, rooms } = config.sessions
  const off = ({ widget }: WidgetInFlow): string | null => {
    if (widget.type === 'housing') return config.housing.enabled ? null : 'housing is disabled'
    if (widget.type === 'guests') return flow.guests?.enabled ? null : 'this flow does not accept guests'
    return widget.type === 'sessions' && tracks.length + formats.length + rooms.length === 0 ? 'the event has no programme yet' : null
  }
  return widgetElements.flatMap((element) => {
    const why = off(element)
    return why === null
      ? []
      : [
          createWarningFinding(
            'F33',
            element.path,
            `${capitalize(describeWidgetAndPage(flowContext, element))} cannot be used: ${why}.`,
            suggestFix(flowContext, element),
          ),
        ]
  })
}

/**
 * Suggests a fix for a widget whose feature is disabled. Guests can be enabled in the flow itself; other features need more
 * configuration, so the widget is removed.
 */
const suggestFix = (flowContext: FlowReviewContext, element: WidgetInFlow): ConfigOperation[] | null =>
  element.widget.type === 'guests'
    ? [buildConfigSetOperation(`${flowContext.path}/guests/enabled`, true)]
    : buildWidgetRemoval(flowContext, element)

function checkCapacities({ flow, config, path, widgetElements }: FlowReviewContext): FlowFinding[] {
  const most = config.details.capacity
  if (most === null) return []
  const admissions = [...new Set(widgetElements.flatMap(({ sold }) => sold))].filter(({ category }) => category === 'admission')
  const own = [
    { what: `The flow "${flow.name}"`, at: `${path}/capacity`, capacity: flow.capacity },
    ...admissions.map(({ code, name, capacity }) => ({ what: `"${name}"`, at: `/products/${code}/capacity`, capacity })),
  ]
  return own.flatMap(({ what, at, capacity }) =>
    capacity !== null && capacity > most
      ? [
          createWarningFinding('F34', at, `${what} has a capacity of ${capacity}, but the whole event has only ${most}.`, [
            buildConfigSetOperation(at, most),
          ]),
        ]
      : [],
  )
}

function checkInvitations(flowContext: FlowReviewContext): FlowFinding[] {
  const { flow, widgetElements, context, path, pages } = flowContext
  if (!flow.inviteOnly || context.inviteLists.has(flow.slug) || widgetElements.some(({ widget }) => widget.type === 'inviteCode')) return []
  const [first] = pages
  const operation = first
    ? insertWidget(flowContext, first, { type: 'inviteCode' }, 'invite-code', findPositionBeforeQuestions(first))
    : null
  const message = `The flow "${flow.name}" is by invitation only, but it has no invite list and does not ask for an invitation code.`
  return [createWarningFinding('F36', `${path}/inviteOnly`, message, operation && [operation])]
}
