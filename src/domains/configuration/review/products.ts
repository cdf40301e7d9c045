import { indexConfigByCode } from '../flow/collected-answers.ts'
import type { ConfigOperation } from '../operations.ts'
import type { Product } from '../schema/event-config.ts'
import { FLOW_ENDING_WIDGET_TYPES } from '../schema/widgets.ts'
import { reportUndecidedConditions } from './reachability.ts'
import { insertWidget, findLastPageForEveryone, buildWidgetRemoval } from './suggestions.ts'
import {
  capitalize,
  createErrorFinding,
  type FlowFinding,
  hasVisibilityRule,
  joinWithAnd,
  type FlowReviewContext,
  type WidgetInFlow,
  describeWidgetAndPage,
  joinFirstItems,
  createWarningFinding,
} from './context.ts'
import type { VisibilitySolver } from './visibility-solver.ts'

/** Review checks F18 to F20, F23 and F24: products and payment. */
export const reviewProducts = (flowContext: FlowReviewContext, solver: VisibilitySolver): FlowFinding[] => [
  ...checkEmptyOffers(flowContext, solver),
  ...checkUnpaid(flowContext),
  ...checkNothingToPay(flowContext),
  ...checkRequiredOffers(flowContext, solver),
  ...checkSoldOut(flowContext),
]

function checkEmptyOffers(flowContext: FlowReviewContext, solver: VisibilitySolver): FlowFinding[] {
  const undecided: string[] = []
  const found = flowContext.widgetElements.flatMap((element) => {
    if (element.widget.type !== 'products' || sellsToEverybody(element)) return []
    const nothing = solver.findEmptyOffer(element)
    if (nothing === null) undecided.push(describeWidgetAndPage(flowContext, element))
    if (nothing === null || nothing === false) return []
    const tags = nothing === true ? [] : [...new Set([...nothing.tags, ...flowContext.flow.addsTags])]
    const audience =
      tags.length > 0
        ? `participants with the ${tags.length === 1 ? 'tag' : 'tags'} ${joinFirstItems(tags)} and no other`
        : 'participants without a tag'
    return [
      createErrorFinding(
        'F18',
        element.path,
        `${capitalize(describeWidgetAndPage(flowContext, element))} has nothing to offer to ${audience}.`,
      ),
    ]
  })
  return [...found, ...reportUndecidedConditions(flowContext, 'F18', undecided)]
}

const sellsToEverybody = ({ sold }: WidgetInFlow) =>
  sold.some(({ visibleForTags, prices }) => visibleForTags === null && prices.some(({ tags }) => tags.length === 0))

const hasPrice = (product: Product | undefined) =>
  product !== undefined && !product.retired && (product.category === 'donation' || product.prices.some(({ amount }) => Number(amount) > 0))

/** Lists the products with a price that a widget can add to the order. */
function listPricedProducts({ config, flow }: FlowReviewContext, { widget, sold }: WidgetInFlow): Product[] {
  const { products } = indexConfigByCode(config)
  if (widget.type !== 'guests') return sold.filter(hasPrice)
  const types = flow.guests?.enabled ? flow.guests.types : []
  return types.flatMap(({ productCode }) => products.get(productCode) ?? []).filter(hasPrice)
}

function checkUnpaid(flowContext: FlowReviewContext): FlowFinding[] {
  const lastPayment = flowContext.widgetElements.findLast(({ widget }) => widget.type === 'payment')?.order ?? -1
  const sellers = flowContext.widgetElements.filter(
    (element) => element.order > lastPayment && listPricedProducts(flowContext, element).length > 0,
  )
  const last = sellers.at(-1)
  if (!last) return []
  const names = joinFirstItems(
    [...new Set(sellers.flatMap((element) => listPricedProducts(flowContext, element).map(({ name }) => `"${name}"`)))],
    3,
  )
  const after = lastPayment < 0 ? 'the flow has no payment' : 'no payment follows'
  return [
    createErrorFinding(
      'F19',
      last.path,
      `Participants can choose ${names} up to ${describeWidgetAndPage(flowContext, last)}, which costs money, but ${after}.`,
      suggestPayment(flowContext, last),
    ),
  ]
}

/**
 * Suggests a payment widget at the end of the last page that everyone sees before the flow ends, or else of the page that sells the
 * product.
 */
function suggestPayment(flowContext: FlowReviewContext, seller: WidgetInFlow): ConfigOperation[] | null {
  const later = findLastPageForEveryone(flowContext, ({ index }) => index > seller.pageIndex)
  const target = later ?? flowContext.pages[seller.pageIndex]!
  const sold = target.page.widgets.indexOf(seller.widget)
  const end = target.page.widgets.find(({ type }, index) => index > sold && FLOW_ENDING_WIDGET_TYPES.includes(type))
  const operation = insertWidget(flowContext, target, { type: 'payment', methods: ['bank'] }, 'payment', end ? { before: end.id } : {})
  return operation && [operation]
}

function checkNothingToPay(flowContext: FlowReviewContext): FlowFinding[] {
  const { widgetElements, config } = flowContext
  const sizes = (codes: readonly string[]) =>
    config.exhibitorConfig.boothSizes.filter(({ code }) => codes.length === 0 || codes.includes(code))
  const canCost = widgetElements.some((element) => {
    const { widget } = element
    if (widget.type === 'housing') return config.housing.guarantee !== 'none'
    if (widget.type === 'boothRequest')
      return sizes(widget.sizes).some(({ product }) => product !== null && hasPrice(indexConfigByCode(config).products.get(product)))
    return listPricedProducts(flowContext, element).length > 0
  })
  if (canCost) return []
  return widgetElements
    .filter(({ widget }) => widget.type === 'payment')
    .map((element) =>
      createWarningFinding(
        'F20',
        element.path,
        `${capitalize(describeWidgetAndPage(flowContext, element))} asks for payment, but nothing in this flow costs money.`,
        buildWidgetRemoval(flowContext, element),
      ),
    )
}

function checkRequiredOffers(flowContext: FlowReviewContext, solver: VisibilitySolver): FlowFinding[] {
  const { widgetElements, config } = flowContext
  const offers = new Map<string, WidgetInFlow[]>()
  for (const element of widgetElements) for (const { code } of element.sold) offers.set(code, [...(offers.get(code) ?? []), element])
  const needed = new Map<string, { element: WidgetInFlow; product: Product }>()
  for (const element of widgetElements) {
    for (const product of element.sold) {
      for (const code of product.requires) {
        if (!needed.has(code) && lacksRequired(flowContext, solver, element, product, { code, at: offers.get(code) ?? [] }))
          needed.set(code, { element, product })
      }
    }
  }
  return [...needed].map(([code, { element, product }]) => {
    const other = indexConfigByCode(config).products.get(code)
    const where = offers.has(code) ? 'some participants who see it are not offered that' : 'this flow does not offer that'
    const message = `"${product.name}" in ${describeWidgetAndPage(flowContext, element)} requires "${other?.name ?? code}", but ${where}.`
    return createErrorFinding(
      'F23',
      element.path,
      message,
      offers.has(code) || !other || other.retired ? null : suggestOffer(flowContext, element, other),
    )
  })
}

/** Whether a participant can be offered a product but not the product that it requires. */
function lacksRequired(
  flowContext: FlowReviewContext,
  solver: VisibilitySolver,
  element: WidgetInFlow,
  product: Product,
  { code, at }: { code: string; at: readonly WidgetInFlow[] },
): boolean {
  if (at.length === 0) return true
  const open = (one: WidgetInFlow) =>
    one === element || (!hasVisibilityRule(one.widget) && !hasVisibilityRule(flowContext.pages[one.pageIndex]!.page))
  if (!at.some(open) && solver.canSeeUntagged([element, 'shown'], ...at.map((one) => [one, 'hidden'] as const)) === true) return true
  const other = indexConfigByCode(flowContext.config).products.get(code)!
  const forAll = other.visibleForTags === null && other.prices.some(({ tags }) => tags.length === 0)
  // The visibility solver cannot combine the tag rule of a widget with that of its product, so this rare case is not reported.
  const twice = element.widget.visibleForTags !== null && product.visibleForTags !== null
  return !forAll && !twice && solver.canMissProduct(element, product, other) === true
}

function suggestOffer(flowContext: FlowReviewContext, element: WidgetInFlow, product: Product): ConfigOperation[] | null {
  const { widget } = element
  if (widget.type === 'products' && widget.category === null && widget.selection === 'multiple' && widget.max === null) {
    return [{ op: 'insert', path: `${element.path}/products`, valueJson: JSON.stringify(product.code), at: 0 }]
  }
  const rules = {
    ...(widget.showWhen === null ? {} : { showWhen: widget.showWhen }),
    ...(widget.visibleForTags === null ? {} : { visibleForTags: widget.visibleForTags }),
  }
  const operation = insertWidget(
    flowContext,
    flowContext.pages[element.pageIndex]!,
    { type: 'products', products: [product.code], ...rules },
    product.code,
    { before: widget.id },
  )
  return operation && [operation]
}

function checkSoldOut(flowContext: FlowReviewContext): FlowFinding[] {
  const { config, context, widgetElements } = flowContext
  const { products } = indexConfigByCode(config)
  const isSoldOut = (product: Product | undefined): product is Product =>
    product !== undefined && (product.capacity === 0 || context.soldOut.has(product.code))
  const sold = [...new Set(widgetElements.flatMap((element) => element.sold))]
  const required = new Map<Product, string[]>()
  for (const product of sold) {
    for (const other of product.requires.map((code) => products.get(code)).filter(isSoldOut))
      required.set(other, [...(required.get(other) ?? []), `"${product.name}"`])
  }
  const needed = [...required].map(([{ code, name, capacity }, by]) =>
    createWarningFinding(
      'F24',
      `/products/${code}/capacity`,
      `"${name}", which ${joinFirstItems(by, 3)} requires, ${capacity === 0 ? 'has a capacity of 0' : 'is sold out'}.`,
    ),
  )
  const stuck = widgetElements.flatMap((element) => {
    const own = element.sold
    if (element.widget.type !== 'products' || element.widget.min === 0 || own.length === 0 || !own.every(isSoldOut)) return []
    return [
      createWarningFinding(
        'F24',
        element.path,
        `${capitalize(describeWidgetAndPage(flowContext, element))} requires a choice, but ${joinWithAnd(own.slice(0, 3).map(({ name }) => `"${name}"`))} ${own.length === 1 ? 'is' : 'are all'} sold out.`,
      ),
    ]
  })
  return [...needed, ...stuck]
}
