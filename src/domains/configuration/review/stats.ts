import { goalsOf, isBranch } from '../flow/goals.ts'
import { rulesOf } from '../flow/values.ts'
import { ADDRESS_PARTS, type Widget } from '../schema/widgets.ts'
import { asksSomethingRequired, type Look } from './scene.ts'

export interface FlowStats {
  pages: number
  widgets: number
  /** Widgets that must be answered while they are shown. */
  required: number
  /** Pages and widgets that are shown only when some answers were given. */
  conditions: number
  /** Outcomes of everything the flow decides: shown or hidden, and which of several prices. */
  branches: number
  /** For somebody who sees every page, rounded up to a tenth. */
  estimatedMinutes: number
}

/** How many things a widget asks for. */
export function inputsOf(widget: Widget): number {
  switch (widget.type) {
    case 'name':
      return widget.parts.length
    case 'address':
      return ADDRESS_PARTS.length
    case 'membershipLookup':
      return widget.inputs.length
    case 'companyProfile':
    case 'submission':
      return Math.max(1, widget.fields.length)
    case 'group':
      return widget.mode === 'both' ? 2 : 1
    case 'field':
      return widget.readOnly ? 0 : 1
    case 'headshot':
    case 'inviteCode':
    case 'products':
    case 'donation':
    case 'sessions':
    case 'guests':
    case 'housing':
    case 'boothRequest':
    case 'policy':
    case 'sharing':
    case 'discountCode':
    case 'payment':
      return 1
    default:
      return 0
  }
}

const SECONDS = { input: 6, longText: 12, products: 8, policy: 15, page: 10 }

export function statsOf(look: Look): FlowStats {
  const { places, pages, flow, config } = look
  const seconds = places.reduce((sum, { widget }) => sum + secondsFor(look, widget), pages.length * SECONDS.page)
  return {
    pages: pages.length,
    widgets: places.length,
    required: places.filter(asksSomethingRequired).length,
    conditions: [...pages.map(({ page }) => page), ...places.map(({ widget }) => widget)].filter(({ showWhen }) => showWhen !== null)
      .length,
    branches: goalsOf(config, flow).filter(isBranch).length,
    estimatedMinutes: Math.ceil(seconds / 6) / 10,
  }
}

function secondsFor({ config }: Look, widget: Widget): number {
  if (widget.type === 'products' || widget.type === 'donation') return SECONDS.products
  if (widget.type === 'policy') return SECONDS.policy
  const long = widget.type === 'field' && rulesOf(config, widget.binding)?.type === 'longText'
  return inputsOf(widget) * (long ? SECONDS.longText : SECONDS.input)
}
