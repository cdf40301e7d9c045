import type { Child } from 'hono/jsx'
import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { indexOf, productBinding, productsOf } from '../../../domains/configuration/flow/collects.ts'
import type { OfferedProduct } from '../../../domains/configuration/flow/walk.ts'
import { plainText } from '../../../domains/configuration/rich-text.ts'
import type { Product } from '../../../domains/configuration/schema/event-config.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { productKey } from '../../../domains/inventory/places.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { Badge } from '../components/parts.tsx'
import { Group } from './fields.tsx'
import type { View } from './view.ts'

interface Offer {
  product: Product
  offered: OfferedProduct
  /** Null without a limit. What this person holds themselves is not taken from them. */
  left: number | null
}

/** From here on it is worth telling how many are left. */
const FEW = 20

export const offersOf = (view: View, widget: WidgetOf<'products'> | WidgetOf<'donation'>): Offer[] => {
  const { products } = indexOf(view.config)
  const walked = view.progress.walk.pages.flatMap(({ widgets }) => widgets).find(({ id }) => id === widget.id)
  return (walked?.products ?? []).flatMap((offered) => {
    const product = products.get(offered.code)
    return product ? [{ product, offered, left: view.left.get(productKey(offered.code)) ?? null }] : []
  })
}

const isOut = ({ left, offered }: Offer) => left !== null && left <= 0 && offered.quantity === 0

/** One line per thing that can be chosen: name, price, what is left, before the choice. */
export function Products({ view, widget }: { view: View; widget: WidgetOf<'products'> }) {
  const { place, config, progress, errors } = view
  const { say } = place.words
  const all = offersOf(view, widget)
  const offers = widget.showSoldOut ? all : all.filter((offer) => !isOut(offer))
  const codes = productsOf(config, widget).map(({ code }) => productBinding(code))
  const error = errors.find(({ path }) => codes.includes(path))?.message
  // The place that the error's link leads to.
  const name = errors.find(({ path }) => codes.includes(path))?.path ?? FIELDS.one(widget)
  if (offers.length === 0) return <p class="muted">{say('register.noProducts')}</p>
  const single = widget.selection === 'single'
  const chosen = offers.find(({ offered }) => offered.quantity > 0)
  const [sent] = view.valueOf(FIELDS.one(widget))
  const current = sent ?? chosen?.product.code ?? ''
  return (
    <Group field={{ name, label: titleOf(view, widget), error }}>
      <div class="options">
        {offers.map((offer) => (
          <Option view={view} widget={widget} offer={offer} single={single} current={current} waits={progress.kept.waits} />
        ))}
        {single && widget.min === 0 ? (
          <label class="option">
            <input type="radio" name={FIELDS.one(widget)} value="" checked={current === ''} />
            <span class="name">{say('register.none')}</span>
          </label>
        ) : null}
      </div>
    </Group>
  )
}

const NAMED = ['admission', 'session', 'meal', 'tour', 'merchandise'] as const

/** By the heading before it, else the page's own title where this is all that it has to choose, else by what it is. */
function titleOf({ flow, place, config }: View, widget: WidgetOf<'products'>): string {
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
  const [category, ...others] = new Set(productsOf(config, widget).map((product) => product.category))
  const named = others.length === 0 ? NAMED.find((one) => one === category) : undefined
  return place.words.say(`category.${named ?? 'other'}`)
}

interface Choice {
  view: View
  widget: WidgetOf<'products'>
  offer: Offer
  single: boolean
  current: string
  waits: readonly string[]
}

function Option({ view, widget, offer, single, current, waits }: Choice) {
  const { product } = offer
  const { say } = view.place.words
  const key = productKey(product.code)
  const out = isOut(offer) || waits.includes(key)
  const binding = productBinding(product.code)
  const many = !single && product.perPerson > 1
  const [sent] = view.valueOf(binding)
  const count = Number(sent ?? offer.offered.quantity)
  const off = out && !product.waitlist
  const full = out ? <input type="hidden" name={FIELDS.full} value={key} /> : null
  const rest = (
    <>
      <Price view={view} offer={offer} show={widget.showPrices} />
      {product.description ? <span class="about">{plainText(product.description)}</span> : null}
      <States view={view} offer={offer} out={out} showLeft={widget.showRemaining} />
      {full}
    </>
  )
  if (off)
    return (
      <div class="option off">
        <input type={single ? 'radio' : 'checkbox'} disabled aria-label={`${product.name}: ${say('event.soldOut')}`} />
        <span class="name">{product.name}</span>
        {rest}
      </div>
    )
  if (many)
    return (
      <div class="option plain" id={binding}>
        <label class="name" for={`${binding}-count`}>
          {product.name}
          <span class="hidden">, {say('register.howMany')}</span>
        </label>
        {rest}
        <span class="about">
          <input
            id={`${binding}-count`}
            class="quantity"
            name={binding}
            type="number"
            min={0}
            max={product.perPerson}
            inputmode="numeric"
            value={count}
          />
        </span>
      </div>
    )
  return (
    <label class="option" id={binding}>
      {single ? (
        <input type="radio" name={FIELDS.one(widget)} value={product.code} checked={current === product.code} />
      ) : (
        <input type="checkbox" name={binding} value="1" checked={count > 0} />
      )}
      <span class="name">{product.name}</span>
      {rest}
    </label>
  )
}

function Price({ view: { place, config }, offer: { product, offered }, show }: { view: View; offer: Offer; show: boolean }) {
  if (!show || offered.amount === null) return <span />
  const { say, locale } = place.words
  const tax = config.taxes.find(({ code }) => code === product.taxCode)
  const isFree = Number(offered.amount) === 0
  return (
    <span class="price">
      <span class="money">
        {isFree ? say('event.free') : formatMoney(locale, { amount: offered.amount, currency: place.facts.currency })}
      </span>
      {tax && !isFree ? <small class="muted">{tax.inclusive ? say('register.withTax') : say('register.plusTax')}</small> : null}
    </span>
  )
}

function States({ view, offer, out, showLeft }: { view: View; offer: Offer; out: boolean; showLeft: boolean }) {
  const { say } = view.place.words
  const { left, product } = offer
  const badges: Child[] = []
  if (out) badges.push(<Badge>{say('event.soldOut')}</Badge>)
  if (out && product.waitlist) badges.push(<Badge tone="accent">{say('register.joinWaitlist')}</Badge>)
  if (!out && left !== null && left > 0 && (showLeft || left <= FEW))
    badges.push(<Badge tone={left <= FEW ? 'warning' : 'success'}>{say('event.left', { count: left })}</Badge>)
  return badges.length > 0 ? <span class="states">{badges}</span> : null
}
