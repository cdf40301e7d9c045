import { getCurrencyDecimals, parseDecimal } from '../../../kernel/money.ts'
import { endOfDay, isCalendarDay, startOfDay } from '../../../kernel/time.ts'
import type { ConfigIssue } from '../issues.ts'
import { isJsonObject, toPointer } from '../pointers.ts'
import type { EventConfigFacts } from '../read.ts'
import type { ConfigNode } from '../schema/nodes.ts'
import type { ConfigDocument, EventConfig, Flow } from '../schema/event-config.ts'
import { FLOW_ENDING_WIDGET_TYPES, type WidgetType } from '../schema/widgets.ts'
import { visitValues, hasMatchingNode } from '../walk.ts'

/** Reports amounts with more decimals than the event's currency has. */
export function findAmountIssues(document: ConfigDocument, { currency }: Pick<EventConfigFacts, 'currency'>): ConfigIssue[] {
  const digits = getCurrencyDecimals(currency)
  const issues: ConfigIssue[] = []
  visitValues(
    document,
    (node, value, path, owner) => {
      if (typeof value !== 'string' || !isAmountProperty(node, owner) || (parseDecimal(value)?.digits ?? 0) <= digits) return
      issues.push({ level: 'structure', code: 'decimals', path, value, message: `has more decimals than ${currency} has (${digits})` })
    },
    (node) => hasMatchingNode(node, canBeAmount),
  )
  return issues
}

const canBeAmount = ({ annotations }: ConfigNode) => (annotations.amount || annotations.amountByKind) ?? false

/**
 * Whether the value is an amount within its object: the value of a discount is an amount if its kind is `amount`, but not if it is
 * `percent`.
 */
export const isAmountProperty = ({ annotations }: ConfigNode, owner: unknown) =>
  annotations.amount || (annotations.amountByKind && isJsonObject(owner) && owner.kind === 'amount')

const issue = (path: string, code: string, message: string, more: Partial<ConfigIssue> = {}): ConfigIssue => ({
  level: 'reference',
  code,
  path,
  message,
  ...more,
})

const ONLY_FOR: Partial<Record<WidgetType, Flow['kind']>> = {
  companyProfile: 'exhibitor',
  boothRequest: 'exhibitor',
  submission: 'speaker',
}

/** Checks rules that involve several parts of the document, other than references. */
export function findCrossFieldIssues(config: EventConfig, facts: EventConfigFacts): ConfigIssue[] {
  return [
    ...windowRules(config, facts),
    ...productRules(config),
    ...config.flows.flatMap((flow) => flowRules(config, flow)),
    ...exhibitorRules(config),
    ...config.surveys.flatMap((survey) => {
      const email = config.emails.find(({ code }) => code === survey.email)
      return email && email.trigger !== 'survey.invited'
        ? [
            issue(
              `/surveys/${survey.code}/email`,
              'wrongTrigger',
              `email ${email.code} has the trigger ${email.trigger}, not survey.invited`,
            ),
          ]
        : []
    }),
    ...Object.keys(config.translations)
      .filter((locale) => locale === facts.locale || !facts.locales.includes(locale))
      .map((locale) =>
        issue(
          `/translations${toPointer([locale])}`,
          'localeNotEnabled',
          locale === facts.locale
            ? `${locale} is the main language; texts in it need no translation`
            : `${locale} is not a language of this event (${facts.locales.join(', ')}): add it with update_event`,
        ),
      ),
    ...(config.details.contactEmail === null ? [issue('/details/contactEmail', 'required', 'is required to publish')] : []),
  ]
}

/**
 * Checks that sale and discount periods start before they end. Comparing a day with an instant needs the event's time zone, so the schema
 * cannot check it.
 */
function windowRules({ products, discounts }: EventConfig, { timezone }: EventConfigFacts): ConfigIssue[] {
  const check = ({ from, until }: { from: string | null; until: string | null }, path: () => string): ConfigIssue[] => {
    if (from === null || until === null || isCalendarDay(from) === isCalendarDay(until)) return []
    const [begins, ends] = isCalendarDay(from) ? [startOfDay(timezone, from), new Date(until)] : [new Date(from), endOfDay(timezone, until)]
    if (begins < ends) return []
    return [issue(`${path()}/until`, 'endsBeforeStart', `must be after from, in the time zone ${timezone}`, { value: until })]
  }
  return [
    ...products.flatMap(({ code, prices }) => prices.flatMap((price, row) => check(price, () => `/products/${code}/prices/${row}`))),
    ...discounts.flatMap((discount) => check(discount, () => `/discounts/${discount.code}`)),
  ]
}

function productRules(config: EventConfig): ConfigIssue[] {
  const byCode = new Map(config.products.map((product) => [product.code, product]))
  const excluded = (a: string, b: string) =>
    (byCode.get(a)?.excludes.includes(b) ?? false) || (byCode.get(b)?.excludes.includes(a) ?? false)
  const circles = inCircles(byCode)
  return config.products.flatMap((product) => {
    const path = `/products/${product.code}`
    const free = product.category === 'donation' || product.retired
    return [
      ...(product.prices.length === 0 && !free
        ? [issue(`${path}/prices`, 'noPrice', 'needs at least one price to be published; use 0.00 for a free product')]
        : []),
      ...product.requires.flatMap((code, index) =>
        excluded(product.code, code)
          ? [issue(`${path}/requires/${index}`, 'requiresExcluded', `${product.code} requires ${code}, which it excludes`)]
          : [],
      ),
      ...(circles.has(product.code) ? [issue(`${path}/requires`, 'cycle', `${product.code} indirectly requires itself`)] : []),
    ]
  })
}

/** Finds products that require each other in a cycle. Depth-first search, linear in the number of products. */
function inCircles(byCode: ReadonlyMap<string, { requires: readonly string[] }>): ReadonlySet<string> {
  const circles = new Set<string>()
  const state = new Map<string, 'open' | 'closed'>()
  const path: string[] = []
  const visit = (code: string): void => {
    if (state.get(code) === 'closed') return
    if (state.get(code) === 'open') {
      for (const member of path.slice(path.indexOf(code))) circles.add(member)
      return
    }
    state.set(code, 'open')
    path.push(code)
    for (const required of byCode.get(code)?.requires ?? []) visit(required)
    path.pop()
    state.set(code, 'closed')
  }
  for (const code of byCode.keys()) visit(code)
  return circles
}

function flowRules(config: EventConfig, flow: Flow): ConfigIssue[] {
  const last = flow.pages.length - 1
  return flow.pages.flatMap((page, at) =>
    page.widgets.flatMap((widget) => {
      const path = `/flows/${flow.slug}/pages/${page.code}/widgets/${widget.id}`
      const kind = ONLY_FOR[widget.type]
      return [
        ...(kind && flow.kind !== kind
          ? [issue(`${path}/type`, 'wrongFlowKind', `${widget.type} is for flows of kind ${kind}, not ${flow.kind}`)]
          : []),
        ...(FLOW_ENDING_WIDGET_TYPES.includes(widget.type) && at !== last
          ? [issue(`${path}/type`, 'terminalNotLast', `${widget.type} ends the flow and belongs on its last page`)]
          : []),
        ...(widget.type === 'housing' && widget.maxRooms > config.housing.maxRoomsPerPerson
          ? [issue(`${path}/maxRooms`, 'tooMany', `is more than housing.maxRoomsPerPerson (${config.housing.maxRoomsPerPerson})`)]
          : []),
        ...(widget.type === 'companyProfile'
          ? subset(`${path}/fields`, widget.fields, config.exhibitorConfig.applicationFields, 'exhibitorConfig.applicationFields')
          : []),
        ...(widget.type === 'submission'
          ? subset(`${path}/fields`, widget.fields, config.sessions.submissionFields, 'sessions.submissionFields')
          : []),
      ]
    }),
  )
}

const subset = (path: string, codes: readonly string[], of: readonly string[], name: string): ConfigIssue[] =>
  codes.flatMap((code, index) => (of.includes(code) ? [] : [issue(`${path}/${index}`, 'notAmong', `${code} is not among ${name}`)]))

function exhibitorRules(config: EventConfig): ConfigIssue[] {
  const { leadVisibleFields, meetingHours, interestField, categories } = config.exhibitorConfig
  const fields = new Map(config.customFields.map((field) => [field.code, field]))
  const { startsOn, endsOn } = config.details
  const interest = interestField === null ? undefined : fields.get(interestField)
  const known = new Set(categories.map(({ code }) => code))
  return [
    ...leadVisibleFields.flatMap((name, index) =>
      name.startsWith('cf:') && fields.get(name.slice(3))?.sensitive
        ? [issue(`/exhibitorConfig/leadVisibleFields/${index}`, 'sensitive', `${name} is sensitive and never shown to exhibitors`)]
        : [],
    ),
    ...meetingHours.flatMap((hours, index) => {
      const path = `/exhibitorConfig/meetingHours/${index}`
      const overlap = meetingHours
        .slice(0, index)
        .some((other) => other.day === hours.day && other.from < hours.until && hours.from < other.until)
      return [
        ...(hours.day < startsOn || hours.day > endsOn
          ? [issue(`${path}/day`, 'outsideEvent', `${hours.day} is not a day of the event`)]
          : []),
        ...(overlap ? [issue(path, 'overlap', 'overlaps other meeting hours of that day')] : []),
      ]
    }),
    ...(interest && interest.choices.some((choice) => !choice.retired && !known.has(choice.code))
      ? [
          issue(
            '/exhibitorConfig/interestField',
            'notCategories',
            `the choices of ${interest.code} must be codes of exhibitorConfig.categories`,
          ),
        ]
      : []),
  ]
}
