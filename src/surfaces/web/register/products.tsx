import type { Child } from 'hono/jsx'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { indexConfigByCode, toProductAnswerKey, listWidgetProducts } from '../../../domains/configuration/flow/collected-answers.ts'
import type { OfferedProduct } from '../../../domains/configuration/flow/walk.ts'
import { htmlToPlainText } from '../../../domains/configuration/rich-text.ts'
import type { Product } from '../../../domains/configuration/schema/event-config.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { toProductInventoryKey } from '../../../domains/inventory/units.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { StatusLabel } from '../components/parts.tsx'
import { FieldGroup } from './fields.tsx'
import { QuantityStepper } from './stepper.tsx'
import type { RegistrationPageView } from './view.ts'

interface Offer {
  product: Product
  offered: OfferedProduct
  /**
   * The number of remaining units; null without a limit. A product that the participant already holds is never sold out for them, see
   * isSoldOut.
   */
  left: number | null
}

/** The number of remaining seats is shown only if it is at most this number. */
export const LOW_STOCK_THRESHOLD = 20

export const listProductsOfWidget = (view: RegistrationPageView, widget: WidgetOfType<'products'> | WidgetOfType<'donation'>): Offer[] => {
  const { products } = indexConfigByCode(view.config)
  const walked = view.progress.walk.pages.flatMap(({ widgets }) => widgets).find(({ id }) => id === widget.id)
  return (walked?.products ?? []).flatMap((offered) => {
    const product = products.get(offered.code)
    return product ? [{ product, offered, left: view.left.get(toProductInventoryKey(offered.code)) ?? null }] : []
  })
}

const isSoldOut = ({ left, offered }: Offer) => left !== null && left <= 0 && offered.quantity === 0

/** A list of products with name, price and remaining seats. */
export function ProductsWidget({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'products'> }) {
  const { site, config, progress, errors } = view
  const { say } = site.words
  const all = listProductsOfWidget(view, widget)
  const offers = widget.showSoldOut ? all : all.filter((offer) => !isSoldOut(offer))
  const codes = listWidgetProducts(config, widget).map(({ code }) => toProductAnswerKey(code))
  const error = errors.find(({ path }) => codes.includes(path))?.message
  // The id that the error summary links to.
  const name = errors.find(({ path }) => codes.includes(path))?.path ?? NON_ANSWER_FORM_FIELDS.one(widget)
  if (offers.length === 0) return <p class="muted">{say('register.noProducts')}</p>
  const single = widget.selection === 'single'
  const chosen = offers.find(({ offered }) => offered.quantity > 0)
  const [sent] = view.valueOf(NON_ANSWER_FORM_FIELDS.one(widget))
  const current = sent ?? chosen?.product.code ?? ''
  const sharedTax = widget.showPrices ? findSharedTax(view, offers) : null
  return (
    <FieldGroup
      field={{ name, label: getProductListTitle(view, widget), help: sharedTax === null ? undefined : say(ALL_TAX_KEYS[sharedTax]), error }}
      helpFirst
    >
      <div class="options">
        {offers.map((offer) => (
          <ProductOption
            view={view}
            widget={widget}
            offer={offer}
            single={single}
            current={current}
            waits={progress.stored.waits}
            showTax={sharedTax === null}
          />
        ))}
        {single && widget.min === 0 ? (
          <label class="option">
            <input type="radio" name={NON_ANSWER_FORM_FIELDS.one(widget)} value="" checked={current === ''} />
            <span class="name">{say('register.none')}</span>
          </label>
        ) : null}
      </div>
    </FieldGroup>
  )
}

const NAMED_CATEGORIES = ['admission', 'session', 'meal', 'tour', 'merchandise'] as const

/** Returns the heading before the widget, or the page title if it is the only product list, or the product category. */
export function getProductListTitle({ flow, site, config }: RegistrationPageView, widget: WidgetOfType<'products'>): string {
  const page = flow.pages.find(({ widgets }) => widgets.some(({ id }) => id === widget.id))
  const before = page?.widgets
    .slice(
      0,
      page.widgets.findIndex(({ id }) => id === widget.id),
    )
    .findLast(({ type }) => type === 'heading')
  if (before?.type === 'heading') return before.text
  const lists = page?.widgets.filter(({ type }) => type === 'products') ?? []
  if (page?.title && lists.length === 1) return page.title
  const [category, ...others] = new Set(listWidgetProducts(config, widget).map((product) => product.category))
  const named = others.length === 0 ? NAMED_CATEGORIES.find((one) => one === category) : undefined
  return site.words.say(`category.${named ?? 'other'}`)
}

interface Choice {
  view: RegistrationPageView
  widget: WidgetOfType<'products'>
  offer: Offer
  single: boolean
  current: string
  waits: readonly string[]
  showTax: boolean
}

function ProductOption({ view, widget, offer, single, current, waits, showTax }: Choice) {
  const { product } = offer
  const { site } = view
  const { say } = site.words
  const key = toProductInventoryKey(product.code)
  const out = isSoldOut(offer) || waits.includes(key)
  const binding = toProductAnswerKey(product.code)
  const many = !single && product.perPerson > 1
  const [sent] = view.valueOf(binding)
  const count = Number(sent ?? offer.offered.quantity)
  const off = out && !product.waitlist
  const full = out ? <input type="hidden" name={NON_ANSWER_FORM_FIELDS.full} value={key} /> : null
  const rest = (
    <>
      <Price view={view} offer={offer} show={widget.showPrices} showTax={showTax} />
      {product.description ? (
        <span class="about" lang={site.langOf(product.description)}>
          {htmlToPlainText(product.description)}
        </span>
      ) : null}
      <StockBadges view={view} offer={offer} out={out} showLeft={widget.showRemaining} />
      {full}
    </>
  )
  if (off)
    return (
      <div class="option off">
        <input
          type={single ? 'radio' : 'checkbox'}
          disabled
          aria-label={say('label.value', { label: product.name, value: say('event.soldOut') })}
        />
        <span class="name" lang={site.langOf(product.name)}>
          {product.name}
        </span>
        {rest}
      </div>
    )
  if (many)
    return (
      <div class="option plain" id={binding}>
        <label class="name" for={`${binding}-count`} lang={site.langOf(product.name)}>
          {product.name}
          <span class="hidden">, {say('register.howMany')}</span>
        </label>
        {rest}
        <QuantityStepper
          words={site.words}
          product={product.name}
          id={`${binding}-count`}
          name={binding}
          max={product.perPerson}
          value={count}
        />
      </div>
    )
  return (
    <label class="option" id={binding}>
      {single ? (
        <input type="radio" name={NON_ANSWER_FORM_FIELDS.one(widget)} value={product.code} checked={current === product.code} />
      ) : (
        <input type="checkbox" name={binding} value="1" checked={count > 0} />
      )}
      <span class="name" lang={site.langOf(product.name)}>
        {product.name}
      </span>
      {rest}
    </label>
  )
}

function Price({
  view,
  offer: { product, offered },
  show,
  showTax,
}: {
  view: RegistrationPageView
  offer: Offer
  show: boolean
  showTax: boolean
}) {
  if (!show || offered.amount === null) return <span />
  const { amount, taxNote } = describePrice(view, product, offered.amount)
  return (
    <span class="price">
      <span class="money">{amount}</span>
      {showTax && taxNote ? <small class="muted">{taxNote}</small> : null}
    </span>
  )
}

const TAX_KEYS = { included: 'register.withTax', added: 'register.plusTax' } as const
const ALL_TAX_KEYS = { included: 'register.allWithTax', added: 'register.allPlusTax' } as const

/** Whether tax is included in the price of a product or added to it; null without tax. */
function findTax({ config }: RegistrationPageView, product: Product): keyof typeof TAX_KEYS | null {
  const tax = config.taxes.find(({ code }) => code === product.taxCode)
  return tax ? (tax.inclusive ? 'included' : 'added') : null
}

/** How tax applies to all prices of a list, so that it is stated once; null if they differ or only one product has a price. */
function findSharedTax(view: RegistrationPageView, offers: readonly Offer[]) {
  const priced = offers.filter(({ offered }) => Number(offered.amount ?? 0) > 0)
  const [tax = null, ...others] = new Set(priced.map(({ product }) => findTax(view, product)))
  return priced.length > 1 && others.length === 0 ? tax : null
}

/** Describes a price, and whether tax is added to it. */
function describePrice(view: RegistrationPageView, product: Product, amount: string): { amount: string; taxNote: string | null } {
  const { say, locale } = view.site.words
  const tax = findTax(view, product)
  if (Number(amount) === 0) return { amount: say('event.free'), taxNote: null }
  return {
    amount: formatMoney(locale, { amount, currency: view.site.facts.currency }),
    taxNote: tax === null ? null : say(TAX_KEYS[tax]),
  }
}

/** Formats a price as text, such as "€180.00 plus tax". */
export const formatPriceText = (view: RegistrationPageView, product: Product, amount: string): string => {
  const { amount: price, taxNote } = describePrice(view, product, amount)
  return [price, taxNote].filter(Boolean).join(' ')
}

function StockBadges({ view, offer, out, showLeft }: { view: RegistrationPageView; offer: Offer; out: boolean; showLeft: boolean }) {
  const { say } = view.site.words
  const { left, product } = offer
  const badges: Child[] = []
  if (out) badges.push(<StatusLabel>{say('event.soldOut')}</StatusLabel>)
  if (out && product.waitlist) badges.push(<StatusLabel tone="accent">{say('register.waitlistOpen')}</StatusLabel>)
  if (!out && left !== null && left > 0 && (showLeft || left <= LOW_STOCK_THRESHOLD))
    badges.push(<StatusLabel tone={left <= LOW_STOCK_THRESHOLD ? 'warning' : 'success'}>{say('event.left', { count: left })}</StatusLabel>)
  return badges.length > 0 ? <span class="states">{badges}</span> : null
}
